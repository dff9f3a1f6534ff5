import type { StepUpReason } from '@tern/contract/security'
import type pg from 'pg'
import { only, type Db, type Tx } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { requestDigest, type RequestFacts } from './request-digest.ts'

export { requestDigest, sourceOf } from './request-digest.ts'
export {
  AccountStopped,
  hasOpenLoss,
  isFrozen,
  isAccountStopped,
  openLossSql,
  requireAccountNotStopped,
  requireNotFrozen,
  stopColumnsSql,
  type Stopped,
  stoppedOf,
  type StoppedRow,
  whyStopped,
} from './stopped.ts'
export { readStreetPolicy, streetHold } from './street/passes.ts'
export { createStreetMode, type StreetModes } from './street/street-mode.ts'

/** How money goes: to a person, to a bank account, or from a saved card or bank account into the wallet. */
export type RiskKind = 'transfer' | 'payout' | 'pull'

/** A movement that its owner may have to prove. */
export interface RiskCandidate extends Pick<RequestFacts, 'amount' | 'source'> {
  /** Derived from the idempotency key. Not enough for a right: another request may name the same key. */
  readonly movementId: string
  readonly userId: bigint
  readonly kind: RiskKind
  /** The recipient; undefined for incoming money. */
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

/** A decision with which a request passed. */
export interface Passed {
  /** Call when the request failed: revokes the decision, which then covers no further request. */
  takeBack(): Promise<void>
}

/** Whether a request passes without a proof, and by which rule. */
interface Assessment extends Passed {
  readonly passes: boolean
  readonly rule: string
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
    const { rows } = await pool.query<{ passed: boolean; rule: string; passed_with: string }>({
      name: 'decide_risk',
      // Waits for no disk: WAL is written in order, so a payment that survives a crash does so with what it counted.
      text: `select decided.* from set_config('synchronous_commit', 'off', true),
        decide_risk($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as decided`,
      values: [
        newId(at),
        movementId,
        digestOf(candidate),
        userId,
        at,
        kind,
        payee?.id ?? null,
        isTrusted,
        isNewDevice,
        usdMinor,
      ],
    })
    return only(rows)
  }

  const takeBackDecision = async (decisionId: string) => {
    await pool.query('select take_back_risk($1, $2)', [decisionId, now()])
  }

  return {
    /** Decides a request; counts it, if it passes, until it is revoked. */
    async assess(candidate: RiskCandidate): Promise<Assessment> {
      const { passed, rule, passed_with: decisionId } = await decide(candidate, now())
      return {
        passes: passed,
        rule,
        async takeBack() {
          if (passed) await takeBackDecision(decisionId)
        },
      }
    },

    /**
     * Records that the owner has proven exactly this request at this time: earlier payments no longer count. A proof shown again
     * with a retry changes nothing.
     */
    async recordProof(candidate: RiskCandidate, provenAt: Date): Promise<Passed> {
      const { movementId, userId, kind, payee, usdMinor } = candidate
      const at = now()
      const { rows } = await pool.query<{ passed_with: string }>(
        'select record_risk_proof($1, $2, $3, $4, $5, $6, $7, $8, $9) as passed_with',
        [...[newId(at), movementId, digestOf(candidate), userId, at, kind, payee?.id ?? null], ...[usdMinor, provenAt]],
      )
      const { passed_with: decisionId } = only(rows)
      return { takeBack: () => takeBackDecision(decisionId) }
    },

    /** Why the latest decision refused this request without a proof; undefined when none did. */
    async reasonToProve({ userId, movementId }: RiskCandidate): Promise<StepUpReason | undefined> {
      const { rows } = await pool.query<RefusedDecision>(
        `select rule, (inputs ->> 'trusted')::boolean as "isTrusted", (inputs ->> 'new_device')::boolean as "isNewDevice",
                inputs ->> 'new_factor' is not null as "hasNewFactor"
           from risk_decision where user_id = $1 and movement = $2 and not passed order by decided_at desc limit 1`,
        [userId, movementId],
      )
      return rows[0] && reasonOf(rows[0])
    },

    /** Locks what is counted of somebody for a transaction that calls `takeBack` after something has moved. */
    lock: async (tx: Tx, userId: bigint): Promise<void> => {
      await tx.query('select from risk_profile where user_id = $1 for no key update', [userId])
    },

    /** Revokes the count of a posted movement that has failed, in the transaction that records the failure. */
    takeBack: async (db: Db, movementId: string, at: Date): Promise<void> => {
      await db.query('select take_back_movement_risk($1, $2)', [movementId, at])
    },
  }
}

export type Risk = ReturnType<typeof createRisk>

const hourMs = 3_600_000

/** A refusal without a proof, and what it looked at. */
interface RefusedDecision {
  readonly rule: string
  readonly isTrusted: boolean
  readonly isNewDevice: boolean
  readonly hasNewFactor: boolean
}

/** What kept somebody long paid from being paid as usual comes first: without it the other rules had not been asked. */
function reasonOf({ rule, isTrusted, isNewDevice, hasNewFactor }: RefusedDecision): StepUpReason {
  if (isTrusted) return isNewDevice ? 'new_device' : hasNewFactor ? 'new_factor' : 'day_amount'
  if (rule === 'new_payees') return 'new_payees'
  return rule === 'allowance_payments' ? 'payments' : 'amount'
}

/** The digest of what a decision about this covers. */
export const digestOf = ({ kind, payee, amount, source }: RiskCandidate): Buffer =>
  requestDigest({ kind, payee: payee?.id, amount, source })

async function readHours(db: Db) {
  const { rows } = await db.query<{ trusted_hours: number; new_device_hours: number }>({
    name: 'risk_hours',
    text: `select trusted_after_hours as trusted_hours, new_device_hours from risk_policy order by version desc limit 1`,
  })
  return only(rows)
}

/** SQL condition of `isOnNewDevice`. */
export const newDeviceSql = (sessionId: string, hours: string): string => `exists (select from session own
  where own.id = ${sessionId} and own.created_at > now() - make_interval(hours => ${hours})
    and exists (select from session earlier where earlier.user_id = own.user_id and earlier.created_at < own.created_at
                  and earlier.device is distinct from own.device)
    and not exists (select from session known where known.user_id = own.user_id and known.device = own.device
                      and known.created_at <= now() - make_interval(hours => ${hours})))`

/**
 * Whether a session is on a device that its account was first used on within so many hours, and not the first device of the
 * account. By the real clock, which dates sign-ins.
 */
async function isOnNewDevice(db: Db, sessionId: string, hours: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'session_on_new_device',
    text: `select where ${newDeviceSql('$1::uuid', '$2::int')}`,
    values: [sessionId, hours],
  })
  return rowCount === 1
}
