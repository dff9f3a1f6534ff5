import type pg from 'pg'
import { only, type Queryable } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'

export { hasOpenLoss, requireNotFrozen, whyStopped } from './stopped.ts'
export { readStreetPolicy, streetHold } from './street/passes.ts'
export { createStreetMode, type StreetModes } from './street/street-mode.ts'

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
  /** In which it was asked for; undefined where nobody is there. */
  readonly sessionId?: string | undefined
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
    const { movementId, userId, kind, payee, sessionId, usdMinor } = candidate
    const { trusted_hours: hours, new_device_hours: newHours } = await readHours(pool)
    const isTrusted = payee !== undefined && (await payee.wasPaid(new Date(at.getTime() - hours * hourMs)))
    const isNewDevice = sessionId !== undefined && (await isOnNewDevice(pool, sessionId, newHours))
    const { rows } = await pool.query<{ passed: boolean; rule: string; is_first: boolean }>(
      'select * from decide_risk($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [newId(at), movementId, userId, at, kind, payee?.id ?? null, isTrusted, isNewDevice, usdMinor],
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

async function readHours(db: Queryable) {
  const { rows } = await db.query<{ trusted_hours: number; new_device_hours: number }>(
    `select trusted_after_hours as trusted_hours, new_device_hours from risk_policy order by version desc limit 1`,
  )
  return only(rows)
}

/**
 * Whether a session is on a device that its account was first used on within so many hours, and not the first device of the
 * account. By the real clock, which dates sign-ins.
 */
async function isOnNewDevice(db: Queryable, sessionId: string, hours: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from session own
      where own.id = $1 and own.created_at > now() - make_interval(hours => $2)
        and exists (select from session earlier where earlier.user_id = own.user_id and earlier.created_at < own.created_at
                      and earlier.device is distinct from own.device)
        and not exists (select from session known where known.user_id = own.user_id and known.device = own.device
                          and known.created_at <= now() - make_interval(hours => $2))`,
    [sessionId, hours],
  )
  return rowCount === 1
}
