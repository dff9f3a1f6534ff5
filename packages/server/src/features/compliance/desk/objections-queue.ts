import type { Queue } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { openDocument } from '../../kyc/kyc.ts'
import { objectionVerdicts } from '../cases/decide-case.ts'
import { listCaseEntries, heldUsdSql, readCaseSections, type WaitingCase } from './case-entries.ts'
import { readCaseFiles } from './case-files.ts'

const waitingSql = `
  select c.*, o.id as entry_id, o.made_at as entry_opened_at, o.decide_by as entry_due_at, ${heldUsdSql}
    from compliance_objection o join compliance_case c on c.id = o.case_id
   where o.state = 'open' and ($1::uuid is null or o.id = $1) order by o.decide_by, o.id`

const readObjectedCases = async (db: Db, id?: string): Promise<WaitingCase[]> =>
  (await db.query<WaitingCase>(waitingSql, [id ?? null])).rows

const findObjectedCase = async (db: Db, id: string): Promise<WaitingCase | undefined> =>
  (await readObjectedCases(db, id))[0]

/** Queue of objections to cases. Operators who decided, claimed or were handed the case cannot decide them. */
export const objectionsQueue: Queue = {
  name: 'objections',
  verdicts: objectionVerdicts,
  isSecret: true,
  reading: { purpose: 'case', what: ['name', 'identity', 'payments'] },
  list: async (product, db) => listCaseEntries(product, db, await readObjectedCases(db)),
  find: async (product, db, id) => (await listCaseEntries(product, db, await readObjectedCases(db, id)))[0],

  async readSections(product, db, id) {
    const row = await findObjectedCase(db, id)
    // Without a chapter, the objection is shown first.
    return row ? readCaseSections(product, db, { row, objectionChapter: null }) : []
  },

  async readFile({ kyc }, db, { id, fileId }) {
    const row = await findObjectedCase(db, id)
    return openDocument(kyc, { files: row ? await readCaseFiles(db, row.id) : [], fileId })
  },

  isInvolved: ({ cases }, db, { id, operatorId }) => cases.isInvolved(db, id, operatorId),
  passDeadlines: ({ cases }, tx) => cases.passDeadlines.objections(tx),

  async perform({ cases, heldTransfers }, db, { id, verdict, by }) {
    const row = await findObjectedCase(db, id)
    const knownVerdict = objectionVerdicts.find((candidate) => candidate === verdict) ?? refuse('not_found')
    await cases.decideObjection(id, knownVerdict, by.name)
    await heldTransfers.followCases(row?.id)
  },
}
