import { refuse } from '../../../platform/refuse.ts'
import { objectionVerdicts } from '../../compliance/compliance.ts'
import { caseEntries, caseSections, heldUsdSql, type WaitingCase } from './case-entries.ts'
import type { CaseQueueOptions } from './cases.ts'
import { filesOfCase, openDocument } from './document-files.ts'
import type { Queue } from './queue.ts'

const waitingSql = `
  select c.*, o.id as entry_id, o.made_at as entry_opened_at, o.decide_by as entry_due_at, ${heldUsdSql}
    from compliance_objection o join compliance_case c on c.id = o.case_id
   where o.state = 'open' and ($1::uuid is null or o.id = $1) order by o.decide_by, o.id`

/** Queue of objections to cases. Operators who took part in the case cannot decide. */
export function createObjectionsQueue({
  pool,
  cases,
  compliance,
  identity,
  kyc,
  heldTransfers,
}: CaseQueueOptions): Queue {
  const read = async (id?: string) => (await pool.query<WaitingCase>(waitingSql, [id ?? null])).rows

  return {
    name: 'objections',
    verdicts: objectionVerdicts,
    isUntold: true,
    reading: { purpose: 'case', what: ['name', 'identity', 'payments'] },
    list: async () => caseEntries(identity, pool, await read()),
    find: async (id) => (await caseEntries(identity, pool, await read(id)))[0],
    async sectionsOf({ id }) {
      const [known] = await read(id)
      // The objection decided here comes first.
      return known ? caseSections({ pool, identity, compliance, heldTransfers }, known, null) : []
    },
    async file({ id }, fileId) {
      const [known] = await read(id)
      return openDocument(kyc, known ? await filesOfCase(pool, known.id) : [], fileId)
    },
    isInvolved: ({ id }, operatorId) => cases.isInvolved(pool, id, operatorId),
    passDeadlines: cases.passDeadlines.objections,

    async perform({ id }, verdict, by) {
      const [known] = await read(id)
      const asked = objectionVerdicts.find((one) => one === verdict) ?? refuse('not_found')
      await cases.decideObjection(id, asked, by.name)
      await heldTransfers.followCases(known?.id)
    },
  }
}
