import type { Check } from '@tern/contract/compliance/checks'
import type pg from 'pg'
import { type Db, retryOnConflict, transact, type Tx } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type NoticeParts, createCaseNotices } from './case-notices.ts'
import { type CheckReader, checkOfTransfer, findCheck, listChecks } from './checks.ts'
import {
  type CaseVerdict,
  decideObjection,
  decideReview,
  type DecidedHow,
  type ObjectionVerdict,
} from './decide-case.ts'
import { readResidence } from '../../kyc/kyc.ts'
import { countEscalated, endUnanswered, passCaseDeadlines, passObjectionDeadlines } from './deadlines.ts'
import { answerQuestion, makeObjection } from './person-acts.ts'

export interface CaseOptions extends NoticeParts {
  readonly pool: pg.Pool
  readonly now: () => Date
}

/** Cases from the outside: how people read and answer them, and what operators decide. */
export function createCases(options: CaseOptions) {
  const { pool, now } = options
  const notices = createCaseNotices(options)

  const readerOf = async (userId: bigint): Promise<CheckReader> => ({
    userId,
    country: await readResidence(pool, userId),
  })

  async function read(userId: bigint, id: string): Promise<Check> {
    const found = isUuid(id) && (await findCheck(pool, await readerOf(userId), now(), id))
    return found || refuse('not_found')
  }

  const how = (by: string): DecidedHow => ({ by, at: now(), notices })

  return {
    /** The checks because of which somebody's money waits, and the last ones that ended. */
    list: async (userId: bigint): Promise<Check[]> => listChecks(pool, await readerOf(userId), now()),

    /** The check that a transfer waits for, as its sender may read it. */
    ofTransfer: async (userId: bigint, transferId: string): Promise<Check | undefined> =>
      checkOfTransfer(pool, await readerOf(userId), now(), transferId),

    /** The person answers what is asked. Refuses `not_found`, `nothing_asked`, `file_missing`. */
    async answer(userId: bigint, id: string, text: string): Promise<Check> {
      const { need } = await read(userId, id)
      // Of somebody else's check nothing is ever asked.
      if (need === 'nothing') refuse('nothing_asked')
      await transact(pool, (tx) => answerQuestion(tx, id, text, now()))
      return read(userId, id)
    },

    /** The person objects. Refuses `not_found`, `objection_not_possible`. */
    async object(userId: bigint, id: string, text: string): Promise<Check> {
      await read(userId, id)
      await transact(pool, (tx) => makeObjection(tx, { caseId: id, userId, text, at: now() }))
      return read(userId, id)
    },

    /**
     * Carries out what operators decided in a review of a case. Done again where it meets whoever screens or verifies its person,
     * who locks the same rows in another order. Refuses `desk_item_closed`.
     */
    decideReview: (id: string, verdict: CaseVerdict, by: string): Promise<void> =>
      retryOnConflict(pool, (tx) => decideReview(tx, id, verdict, how(by))),

    /** The same about an objection. */
    decideObjection: (id: string, verdict: ObjectionVerdict, by: string): Promise<void> =>
      retryOnConflict(pool, (tx) => decideObjection(tx, id, verdict, how(by))),

    /** Gives what nobody decided in time a further deadline; the reviews or objections that are a lead's now. */
    passDeadlines: {
      cases: (tx: Tx): Promise<string[]> => passCaseDeadlines(tx, now()),
      objections: (tx: Tx): Promise<string[]> => passObjectionDeadlines(tx, now()),
    },

    /** Puts cases whose question nobody answered in time before operators again. */
    endUnanswered: (): Promise<void> => transact(pool, (tx) => endUnanswered(tx, now())),

    /** Tells senders of what waits now; gives how many. */
    tellHeld: notices.tellHeld,

    /** How many open cases and objections were not decided in time. */
    countEscalated: (): Promise<bigint> => countEscalated(pool),

    /** Whether an operator has had to do with what an objection is against. */
    async isInvolved(db: Db, objectionId: string, operatorId: string): Promise<boolean> {
      const { rows } = await db.query<{ involved: boolean }>('select compliance_is_involved($1, $2) as involved', [
        objectionId,
        operatorId,
      ])
      return rows[0]?.involved === true
    },
  }
}

export type Cases = ReturnType<typeof createCases>
