import type pg from 'pg'
import { only, type Queryable } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'

export { requireNotFrozen, whyStopped } from './stopped.ts'

/** How money goes: to a person, to a bank account, or from a saved card or bank account into the wallet. */
export type RiskKind = 'transfer' | 'payout' | 'pull'

/** A movement that its owner may have to prove. */
export interface RiskCandidate {
  /** Made of the key of the request, so that a repeated one is the same movement. */
  readonly movementId: string
  readonly userId: bigint
  readonly kind: RiskKind
  /** Who gets it; undefined for money that comes. */
  readonly payee?: Payee | undefined
  /** In US dollar cents, without the fee. */
  readonly usdMinor: bigint
}

interface Payee {
  /** Of a person or a bank account, the same whenever they are paid. */
  readonly id: string
  /** Whether money arrived there before this time. */
  wasPaid(before: Date): Promise<boolean>
}

/** Names a person as a payee. */
export const payeeOfUser = (userId: bigint): string => `user ${userId}`

/** Whether a movement may pass as it is, by which rule. */
interface Assessment {
  readonly passes: boolean
  readonly rule: string
  /** To be called when nothing came of it, so that it counts for nothing. */
  takeBack(): Promise<void>
}

interface Options {
  readonly pool: pg.Pool
  readonly now: () => Date
}

/**
 * Decides what needs a fresh proof by the account's owner (PSD2 RTS 2018/389, article 16: the sum and number of payments since
 * the last one; article 13: trusted payees). The numbers are rows of `risk_policy`; every decision is kept in `risk_decision` with
 * its rule, the version of the numbers and what the rule looked at.
 */
export function createRisk({ pool, now }: Options) {
  async function decide(candidate: RiskCandidate, at: Date) {
    const { movementId, userId, kind, payee, usdMinor } = candidate
    const isTrusted = payee !== undefined && (await payee.wasPaid(await trustedBefore(pool, at)))
    const { rows } = await pool.query<{ passed: boolean; rule: string; is_first: boolean }>(
      'select * from decide_risk($1, $2, $3, $4, $5, $6, $7, $8)',
      [newId(at), movementId, userId, at, kind, payee?.id ?? null, isTrusted, usdMinor],
    )
    return only(rows)
  }

  return {
    /** Decides about a movement and counts it, if it passes, until it is taken back. */
    async assess(candidate: RiskCandidate): Promise<Assessment> {
      const { passed, rule, is_first: isFirst } = await decide(candidate, now())
      return {
        passes: passed,
        rule,
        async takeBack() {
          if (passed && isFirst) await pool.query('select take_back_risk($1, $2, false)', [candidate.movementId, now()])
        },
      }
    },

    /**
     * The owner has proven a movement at this time: what passed before counts no more. A proof that is shown again, with a repeated
     * request, changes nothing.
     */
    async recordProof({ movementId, userId, kind, payee, usdMinor }: RiskCandidate, provenAt: Date): Promise<void> {
      await pool.query(
        `with proven as (
           insert into risk_profile as p (user_id, proven_at, counted_since) values ($3, $9, $4) on conflict (user_id) do update
              set proven_at = $9, counted_since = $4, unproven_usd_minor = 0, unproven_payments = 0
            where p.proven_at is null or p.proven_at < excluded.proven_at
           returning user_id
         )
         insert into risk_decision (id, movement, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed, inputs)
         select $1, $2, $3, $4, (select max(version) from risk_policy), $5, $6, $7, 'proven', true, $8 from proven
         on conflict do nothing`,
        [
          ...[newId(now()), movementId, userId, now(), kind, payee?.id ?? null, usdMinor],
          ...[JSON.stringify({ proven_at: provenAt }), provenAt],
        ],
      )
    },

    /** What was made has come to nothing since. In the transaction that says so. */
    takeBack: async (db: Queryable, movementId: string, at: Date): Promise<void> => {
      await db.query('select take_back_risk($1, $2, true)', [movementId, at])
    },
  }
}

export type Risk = ReturnType<typeof createRisk>

const hourMs = 3_600_000

/** A payee that was paid before this time is trusted. */
async function trustedBefore(db: Queryable, at: Date): Promise<Date> {
  const { rows } = await db.query<{ hours: number }>(
    'select trusted_after_hours as hours from risk_policy order by version desc limit 1',
  )
  return new Date(at.getTime() - only(rows).hours * hourMs)
}
