import type { StepUpReason } from '@tern/contract/security'
import type pg from 'pg'
import { onlyRow, type Db, type Tx, type WorkInput } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Wallets } from '../wallets/wallets.ts'
import { requestDigest, type RequestFacts } from './request-digest.ts'
import {
  addStreetPlace,
  readStreetMode,
  removeStreetPlace,
  setStreetMode,
  type StreetContext,
} from './street/street-mode.ts'

export { requestDigest, sourceName } from './request-digest.ts'
export {
  AccountStopped,
  hasOpenLoss,
  isFrozen,
  isAccountStopped,
  openLossSql,
  requireAccountNotStopped,
  requireNotFrozen,
  stopColumnsSql,
  type AccountStop,
  toAccountStop,
  type AccountStopRow,
  findAccountStop,
} from './account-stop.ts'
export { readStreetPolicy, computeStreetHold } from './street/street-hold.ts'

/** A user's street mode: settings and trusted places. */
export const createStreetMode = ({ pool, ...ctx }: StreetContext & { readonly pool: pg.Pool }) => ({
  read: (input: WorkInput<typeof readStreetMode>) => readStreetMode(ctx, pool, input),
  set: (input: WorkInput<typeof setStreetMode>) => setStreetMode(ctx, pool, input),
  addPlace: (input: WorkInput<typeof addStreetPlace>) => addStreetPlace(ctx, pool, input),
  removePlace: (input: WorkInput<typeof removeStreetPlace>) => removeStreetPlace(ctx, pool, input),
})

export type StreetModes = ReturnType<typeof createStreetMode>

/** Direction of a movement: to a user, to a bank account, or from a saved card or bank account into the wallet. */
export type RiskKind = 'transfer' | 'payout' | 'pull'

/** Movement that its owner may have to confirm. */
export interface RiskCandidate extends Pick<RequestFacts, 'amount' | 'source'> {
  /** Derived from the idempotency key. Grants nothing by itself: another request may name the same key. */
  readonly movementId: string
  readonly userId: bigint
  readonly kind: RiskKind
  /** Undefined for incoming money. */
  readonly payee?: Payee | undefined
  /** Session of the request; undefined for a movement without a request, such as a scheduled one. */
  readonly sessionId?: string | undefined
  /** In US dollar cents, without the fee. */
  readonly usdMinor: bigint
}

/** User or bank account that is paid. */
type Payee = {
  /** Equal for every payment to this payee. */
  readonly id: string
} & ({ readonly userId: bigint } | { readonly bankAccountId: string })

export const formatUserPayee = (userId: bigint): string => `user ${userId}`

interface Assessment {
  readonly passes: boolean
  readonly rule: string
  readonly decisionId: string
}

interface RiskContext {
  readonly wallets: Pick<Wallets, 'hasPaid'>
}

/**
 * Decides whether a request needs a fresh proof by the account's owner (PSD2 RTS 2018/389, article 16: sum and number
 * of payments since the last one; article 13: trusted payees), and counts it if it passes, until `revokeDecision`.
 * Thresholds are rows of `risk_policy`; `risk_decision` stores each decision with its rule, the version of the
 * thresholds and its inputs.
 */
export async function assessRisk(
  ctx: RiskContext,
  db: Db,
  { candidate, at }: { readonly candidate: RiskCandidate; readonly at: Date },
): Promise<Assessment> {
  const { movementId, userId, kind, payee, sessionId, usdMinor } = candidate
  const { trusted_hours: hours, new_device_hours: newDeviceHours } = await readHours(db)
  const isTrusted = await hasPaidBefore(ctx, db, candidate, new Date(at.getTime() - hours * hourMs))
  const isNewDevice = sessionId !== undefined && (await isOnNewDevice(db, sessionId, newDeviceHours))
  const { rows } = await db.query<{ passed: boolean; rule: string; passed_with: string }>({
    name: 'decide_risk',
    // Commits without waiting for the disk: WAL is written in order, so a payment that survives a crash stays counted.
    text: `select decided.* from set_config('synchronous_commit', 'off', true),
      decide_risk($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as decided`,
    values: [
      newId(at),
      movementId,
      digestCandidate(candidate),
      userId,
      at,
      kind,
      payee?.id ?? null,
      isTrusted,
      isNewDevice,
      usdMinor,
    ],
  })
  const { passed: passes, rule, passed_with: decisionId } = onlyRow(rows)
  return { passes, rule, decisionId }
}

/** True if money of the owner reached the payee before this time; for a bank account, by a payout ordered before it. */
async function hasPaidBefore(
  { wallets }: RiskContext,
  db: Db,
  { userId, payee }: RiskCandidate,
  before: Date,
): Promise<boolean> {
  if (!payee) return false
  if ('userId' in payee) return wallets.hasPaid(db, { senderId: userId, recipientId: payee.userId, before })
  // The fingerprint also finds payouts to the account from before it was linked again.
  const { rowCount } = await db.query(
    `select from bank_account linked
       join bank_account same using (user_id, provider, fingerprint)
       join payout p on p.bank_account_id = same.id
      where linked.id = $1 and linked.user_id = $2 and p.status = 'completed' and p.created_at < $3 limit 1`,
    [payee.bankAccountId, userId, before],
  )
  return rowCount === 1
}

/**
 * Records the owner's proof of exactly this request at `provenAt`: earlier payments no longer count. Repeating the
 * proof with a retry changes nothing. Returns the id of the decision with which the request passes.
 */
export async function recordProof(
  db: Db,
  { candidate, provenAt, at }: { readonly candidate: RiskCandidate; readonly provenAt: Date; readonly at: Date },
): Promise<string> {
  const { movementId, userId, kind, payee, usdMinor } = candidate
  const { rows } = await db.query<{ passed_with: string }>(
    'select record_risk_proof($1, $2, $3, $4, $5, $6, $7, $8, $9) as passed_with',
    [newId(at), movementId, digestCandidate(candidate), userId, at, kind, payee?.id ?? null, usdMinor, provenAt],
  )
  return onlyRow(rows).passed_with
}

/** Releases a failed request from its decision, and revokes the decision unless another request still runs with it. */
export async function revokeDecision(
  db: Db,
  { decisionId, at }: { readonly decisionId: string; readonly at: Date },
): Promise<void> {
  await db.query('select take_back_risk($1, $2)', [decisionId, at])
}

/** Reason why the latest refused decision under this movement id requires a proof; undefined if there is none. */
export async function readReasonToProve(
  db: Db,
  { userId, movementId }: Pick<RiskCandidate, 'userId' | 'movementId'>,
): Promise<StepUpReason | undefined> {
  const { rows } = await db.query<RefusedDecision>(
    `select rule, (inputs ->> 'trusted')::boolean as "isTrusted", (inputs ->> 'new_device')::boolean as "isNewDevice",
            inputs ->> 'new_factor' is not null as "hasNewFactor"
       from risk_decision where user_id = $1 and movement = $2 and not passed order by decided_at desc limit 1`,
    [userId, movementId],
  )
  return rows[0] && chooseReason(rows[0])
}

/** Locks a user's counts for a transaction that calls `revokeMovement` after a movement. */
export async function lockRisk(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('select from risk_profile where user_id = $1 for no key update', [userId])
}

/** Removes a failed movement from the counts, in the transaction that records the failure. */
export async function revokeMovement(
  tx: Tx,
  { movementId, at }: { readonly movementId: string; readonly at: Date },
): Promise<void> {
  await tx.query('select take_back_movement_risk($1, $2)', [movementId, at])
}

const hourMs = 3_600_000

/** Decision that requires a proof, and its inputs. */
interface RefusedDecision {
  readonly rule: string
  readonly isTrusted: boolean
  readonly isNewDevice: boolean
  readonly hasNewFactor: boolean
}

/** For a trusted payee, only the exceptions from trust can require a proof, so they are checked first. */
function chooseReason({ rule, isTrusted, isNewDevice, hasNewFactor }: RefusedDecision): StepUpReason {
  if (isTrusted) return isNewDevice ? 'new_device' : hasNewFactor ? 'new_factor' : 'day_amount'
  if (rule === 'new_payees') return 'new_payees'
  return rule === 'allowance_payments' ? 'payments' : 'amount'
}

/** Digest of the facts that a decision covers. */
export const digestCandidate = ({ kind, payee, amount, source }: RiskCandidate): Buffer =>
  requestDigest({ kind, payee: payee?.id, amount, source })

async function readHours(db: Db) {
  const { rows } = await db.query<{ trusted_hours: number; new_device_hours: number }>({
    name: 'risk_hours',
    text: `select trusted_after_hours as trusted_hours, new_device_hours from risk_policy order by version desc limit 1`,
  })
  return onlyRow(rows)
}

/** SQL condition of `isOnNewDevice`. */
export const newDeviceSql = (sessionId: string, hours: string): string => `exists (select from session own
  where own.id = ${sessionId} and own.created_at > now() - make_interval(hours => ${hours})
    and exists (select from session earlier where earlier.user_id = own.user_id and earlier.created_at < own.created_at
                  and earlier.device is distinct from own.device)
    and not exists (select from session known where known.user_id = own.user_id and known.device = own.device
                      and known.created_at <= now() - make_interval(hours => ${hours})
                      and known.revoked_reason is distinct from 'unrecognized'))`

/**
 * True for a session on a device that the account was first used on within this many hours, unless it is the account's
 * first device. Sign-ins that were reported as unrecognized do not count as use. By the real clock, which dates
 * sign-ins.
 */
async function isOnNewDevice(db: Db, sessionId: string, hours: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'session_on_new_device',
    text: `select where ${newDeviceSql('$1::uuid', '$2::int')}`,
    values: [sessionId, hours],
  })
  return rowCount === 1
}
