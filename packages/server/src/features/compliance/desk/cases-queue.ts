import type { Queue } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { openDocument } from '../../kyc/kyc.ts'
import { caseVerdicts } from '../cases/decide-case.ts'
import { listCaseEntries, heldUsdSql, readCaseSections, type WaitingCase } from './case-entries.ts'
import { readCaseFiles } from './case-files.ts'

/** SQL: cases with an open review, without those that wait for the decision of an objection. */
const waitingSql = `
  select c.*, r.id as entry_id, r.opened_at as entry_opened_at, c.decide_by as entry_due_at, ${heldUsdSql}
    from compliance_review r join compliance_case c on c.id = r.case_id
   where r.closed_at is null and c.state = 'open' and ($1::uuid is null or r.id = $1)
     and not exists (select from compliance_objection o where o.case_id = c.id and o.state = 'open')
   order by c.decide_by, r.id`

const readCases = async (db: Db, id?: string): Promise<WaitingCase[]> =>
  (await db.query<WaitingCase>(waitingSql, [id ?? null])).rows

const findCase = async (db: Db, id: string): Promise<WaitingCase | undefined> => (await readCases(db, id))[0]

/** Queue of cases: possible list matches and payment patterns. Operators who are a party to a case do not see it. */
export const casesQueue: Queue = {
  name: 'cases',
  verdicts: caseVerdicts,
  soleVerdicts: ['ask_explanation', 'ask_document'],
  isSecret: true,
  reading: { purpose: 'case', what: ['name', 'identity', 'payments'] },
  list: async (product, db) => listCaseEntries(product, db, await readCases(db)),
  find: async (product, db, id) => (await listCaseEntries(product, db, await readCases(db, id)))[0],

  async readSections(product, db, id) {
    const row = await findCase(db, id)
    return row ? readCaseSections(product, db, { row, objectionChapter: 'people' }) : []
  },

  async readFile({ kyc }, db, { id, fileId }) {
    const row = await findCase(db, id)
    return openDocument(kyc, { files: row ? await readCaseFiles(db, row.id) : [], fileId })
  },

  passDeadlines: ({ cases }, tx) => cases.passDeadlines.cases(tx),

  async perform({ cases, heldTransfers }, db, { id, verdict, by }) {
    const row = await findCase(db, id)
    const knownVerdict = caseVerdicts.find((candidate) => candidate === verdict) ?? refuse('not_found')
    await cases.decideReview(id, knownVerdict, by.name)
    await heldTransfers.followCases(row?.id)
  },
}
