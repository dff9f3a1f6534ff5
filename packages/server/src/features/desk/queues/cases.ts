import type pg from 'pg'
import { refuse } from '../../../platform/refuse.ts'
import { type Cases, caseVerdicts, type Compliance } from '../../compliance/compliance.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Kyc } from '../../kyc/kyc.ts'
import type { HeldTransfers } from '../../transfers/transfers.ts'
import { caseEntries, caseSections, heldUsdSql, type WaitingCase } from './case-entries.ts'
import { filesOfCase, openDocument } from './document-files.ts'
import type { Queue } from './queue.ts'

export interface CaseQueueOptions {
  readonly pool: pg.Pool
  readonly cases: Cases
  readonly compliance: Pick<Compliance, 'scoreNames'>
  readonly identity: Pick<Identity, 'usersById'>
  readonly kyc: Pick<Kyc, 'documents'>
  readonly heldTransfers: Pick<HeldTransfers, 'followCases' | 'movementsOf'>
}

/** Cases in review. A case with an open objection waits for its decision. */
const waitingSql = `
  select c.*, r.id as entry_id, r.opened_at as entry_opened_at, c.decide_by as entry_due_at, ${heldUsdSql}
    from compliance_review r join compliance_case c on c.id = r.case_id
   where r.closed_at is null and c.state = 'open' and ($1::uuid is null or r.id = $1)
     and not exists (select from compliance_objection o where o.case_id = c.id and o.state = 'open')
   order by c.decide_by, r.id`

/** Queue of possible list matches and payment patterns. Held money waits for the decision of two operators. */
export function createCasesQueue({ pool, cases, compliance, identity, kyc, heldTransfers }: CaseQueueOptions): Queue {
  const read = async (id?: string) => (await pool.query<WaitingCase>(waitingSql, [id ?? null])).rows

  return {
    name: 'cases',
    verdicts: caseVerdicts,
    soleVerdicts: ['ask_explanation', 'ask_document'],
    isUntold: true,
    reading: { purpose: 'case', what: ['name', 'identity', 'payments'] },
    list: async () => caseEntries(identity, pool, await read()),
    find: async (id) => (await caseEntries(identity, pool, await read(id)))[0],
    async sectionsOf({ id }) {
      const [known] = await read(id)
      return known ? caseSections({ pool, identity, compliance, heldTransfers }, known) : []
    },
    async file({ id }, fileId) {
      const [known] = await read(id)
      return openDocument(kyc, known ? await filesOfCase(pool, known.id) : [], fileId)
    },
    passDeadlines: cases.passDeadlines.cases,

    async perform({ id }, verdict, by) {
      const [known] = await read(id)
      const asked = caseVerdicts.find((one) => one === verdict) ?? refuse('not_found')
      await cases.decideReview(id, asked, by.name)
      await heldTransfers.followCases(known?.id)
    },
  }
}
