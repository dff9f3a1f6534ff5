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

/** Public interface of cases: reading, answering, objecting, and carrying out operators' decisions. */
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
    /** Returns the open checks that hold the user's money, then recently closed ones. */
    list: async (userId: bigint): Promise<Check[]> => listChecks(pool, await readerOf(userId), now()),

    /** Returns the check that holds a transfer, as its sender may see it. */
    ofTransfer: async (userId: bigint, transferId: string): Promise<Check | undefined> =>
      checkOfTransfer(pool, await readerOf(userId), now(), transferId),

    /** Stores the account holder's answer. Refuses `not_found`, `nothing_asked`, `file_missing`. */
    async answer(userId: bigint, id: string, text: string): Promise<Check> {
      const { need } = await read(userId, id)
      // Answers are only requested from the account holder of the case.
      if (need === 'nothing') refuse('nothing_asked')
      await transact(pool, (tx) => answerQuestion(tx, id, text, now()))
      return read(userId, id)
    },

    /** Stores an objection. Refuses `not_found`, `objection_not_possible`. */
    async object(userId: bigint, id: string, text: string): Promise<Check> {
      await read(userId, id)
      await transact(pool, (tx) => makeObjection(tx, { caseId: id, userId, text, at: now() }))
      return read(userId, id)
    },

    /**
     * Carries out a review decision of operators. Retried on conflicts with screening and verification, which lock the
     * same rows in another order. Refuses `desk_item_closed`.
     */
    decideReview: (id: string, verdict: CaseVerdict, by: string): Promise<void> =>
      retryOnConflict(pool, (tx) => decideReview(tx, id, verdict, how(by))),

    /** Carries out a decision about an objection. Refuses `desk_item_closed`. */
    decideObjection: (id: string, verdict: ObjectionVerdict, by: string): Promise<void> =>
      retryOnConflict(pool, (tx) => decideObjection(tx, id, verdict, how(by))),

    /** Extends expired deadlines; returns the ids of reviews or objections that escalate to a lead. */
    passDeadlines: {
      cases: (tx: Tx): Promise<string[]> => passCaseDeadlines(tx, now()),
      objections: (tx: Tx): Promise<string[]> => passObjectionDeadlines(tx, now()),
    },

    /** Returns cases with an expired question to operators. */
    endUnanswered: (): Promise<void> => transact(pool, (tx) => endUnanswered(tx, now())),

    /** Notifies senders of held payments; returns the count. */
    tellHeld: notices.tellHeld,

    /** Returns the number of open cases and objections that missed a deadline. */
    countEscalated: (): Promise<bigint> => countEscalated(pool),

    /** Returns whether an operator took part in the decision an objection is against. */
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
