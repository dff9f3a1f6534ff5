import { type HolderRate, convertDollars } from '@tern/contract/protocol/holder-rate'
import { type Money, money, toDecimal } from '@tern/money/money'
import type { Db, Tx } from '../../platform/database/db.ts'
import { readHolderRate } from './own-rate.ts'
import { fieldReason, type Reason, refuse, type RefusalDetails } from '../../platform/refuse.ts'
import type { LimitUsageRow } from './row-types.ts'

/**
 * Kind of movement. `transfer`, `exchange` and `payout` count as outgoing money; `card` and `bank` as money pulled in.
 */
export type LimitMethod = 'transfer' | 'exchange' | 'payout' | 'card' | 'bank'

/** Usage of limits by a movement. Amounts are US dollar cents; `day` is a UTC date such as `2026-11-21`. */
export interface LimitUsage {
  readonly userId: bigint
  readonly day: string
  readonly method: LimitMethod
  readonly usdMinor: bigint
}

/** Returns the UTC day on which a movement at this time counts. */
export const usageDay = (at: Date): string => at.toISOString().slice(0, 10)

export const buildUsage = (userId: bigint, method: LimitMethod, usdMinor: bigint, at: Date): LimitUsage => ({
  userId,
  day: usageDay(at),
  method,
  usdMinor,
})

/** Limit of a user with its usage. Amounts are US dollar cents. */
export interface LimitRow {
  readonly direction: 'out' | 'in'
  readonly method: LimitMethod | null
  readonly period: 'payment' | 'day' | '30_days'
  readonly is_own: boolean
  readonly max_usd_minor: bigint | null
  readonly max_movements: number | null
  readonly used_usd_minor: bigint
  readonly used_movements: bigint
}

interface UserAndTime {
  readonly userId: bigint
  readonly at: Date
}

/** Returns a user's limits with their usage on the day of `at`. */
export async function readLimits(db: Db, { userId, at }: UserAndTime): Promise<LimitRow[]> {
  const { rows } = await db.query<LimitRow>('select * from limits_of($1, $2, $3)', [userId, usageDay(at), at])
  return rows
}

/** Usage on one day. Amounts are US dollar cents. */
export type DailyUsage = Pick<LimitUsageRow, 'day' | 'movements'> & {
  /** Null for the sum of all outgoing money. */
  readonly method: LimitMethod | null
  readonly usdMinor: bigint
}

/** Returns a user's usage on the day of `at` and the 29 days before it, earliest first. */
export async function readUsedDays(db: Db, { userId, at }: UserAndTime): Promise<DailyUsage[]> {
  const { rows } = await db.query<DailyUsage>(
    `select day, null as method, usd_minor as "usdMinor", movements from limit_usage
      where user_id = $1 and day between $2::date - 29 and $2::date
     union all
     select day, method, usd_minor, movements from limit_usage_by_method
      where user_id = $1 and day between $2::date - 29 and $2::date
      order by day`,
    [userId, usageDay(at)],
  )
  return rows
}

interface UsageBatch {
  readonly usages: readonly LimitUsage[]
  readonly at: Date
}

/**
 * Counts money without a ledger movement, such as a card payment when it begins. Counts all usages, or refuses
 * `limit_exceeded`. Call it before any movement of the transaction, because days are locked before accounts.
 */
export async function countLimitUsage(tx: Tx, { usages, at }: UsageBatch): Promise<void> {
  if (await storeUsage(tx, { usages, at, isEnforced: true })) return
  const [first] = usages
  const exceededLimit = first && (await explainRefusal(tx, { userId: first.userId, usages, at }))
  refuse('limit_exceeded', exceededLimit ?? limitDetails())
}

/** Counts money that has already moved, regardless of limits. */
export async function countUnchecked(tx: Tx, { usages, at }: UsageBatch): Promise<void> {
  await storeUsage(tx, { usages, at, isEnforced: false })
}

async function storeUsage(
  tx: Tx,
  { usages, at, isEnforced }: UsageBatch & { readonly isEnforced: boolean },
): Promise<boolean> {
  const [first] = usages
  if (!first) return true
  const { rows } = await tx.query<{ isCounted: boolean }>(
    'select count_limit_usage($1, $2, $3, $4, $5, $6) as "isCounted"',
    [
      first.userId,
      first.day,
      at,
      usages.map(({ method }) => method),
      usages.map(({ usdMinor }) => usdMinor),
      isEnforced,
    ],
  )
  return rows[0]?.isCounted === true
}

/** Locks the day of a usage. Call it before a movement if the transaction will reverse the usage afterwards. */
export async function lockLimitUsage(tx: Tx, { userId, day }: LimitUsage): Promise<void> {
  await tx.query('select lock_limit_usage($1, $2)', [userId, day])
}

/**
 * Reverses the usage of a failed or returned movement on its day. Call it before any movement of the transaction,
 * because days are locked before accounts.
 */
export async function reverseLimitUsage(tx: Tx, { userId, day, method, usdMinor }: LimitUsage): Promise<void> {
  await tx.query('select reverse_limit_usage($1, $2, $3, $4)', [userId, day, method, usdMinor])
}

interface RefusedUsage extends UserAndTime {
  readonly usages: readonly Pick<LimitUsage, 'method' | 'usdMinor'>[]
}

/**
 * Returns the limit that refuses usages not yet counted, with what is left of it. Undefined if the usages fit by now.
 */
export async function explainRefusal(
  db: Db,
  { userId, usages, at }: RefusedUsage,
): Promise<RefusalDetails | undefined> {
  const limits = await readLimits(db, { userId, at })
  for (const limit of limits) {
    const exceededUsage = usages.find((usage) => isExceeded(limit, usage))
    if (exceededUsage)
      return limitDetails({ limit, requestedMinor: exceededUsage.usdMinor, rate: await readHolderRate(db, userId) })
  }
  return undefined
}

const methodDirection = (method: LimitMethod): LimitRow['direction'] =>
  method === 'card' || method === 'bank' ? 'in' : 'out'

function isExceeded(limit: LimitRow, { method, usdMinor }: Pick<LimitUsage, 'method' | 'usdMinor'>): boolean {
  if (limit.direction !== methodDirection(method) || (limit.method !== null && limit.method !== method)) return false
  if (limit.max_usd_minor !== null && limit.used_usd_minor + usdMinor > limit.max_usd_minor) return true
  return limit.max_movements !== null && limit.used_movements + 1n > BigInt(limit.max_movements)
}

/** Returns what is left of a limit, at least zero. */
export const computeRemaining = (max: bigint, usedMinor: bigint): bigint => (usedMinor < max ? max - usedMinor : 0n)

export const usd = (minor: bigint): Money => money('USD', minor)

/** Builds refusal details: the limit and what is left of it, as text and as data. */
function limitDetails(exceeded?: {
  limit: LimitRow
  requestedMinor: bigint
  rate: HolderRate | undefined
}): RefusalDetails {
  if (!exceeded) return {}
  const { limit, requestedMinor, rate } = exceeded
  const { direction, method, period, max_usd_minor: max, max_movements: maxMovements, is_own: isOwn } = limit
  const remaining = max === null ? null : computeRemaining(max, limit.used_usd_minor)
  const remainingMovements =
    maxMovements === null ? null : Number(computeRemaining(BigInt(maxMovements), limit.used_movements)) // not money: a count of movements
  const reason = describeReason(limit, { remaining, remainingMovements, rate })
  const params = {
    direction,
    method,
    period,
    own: isOwn,
    currency: 'USD',
    max: max === null ? null : toDecimal(usd(max)),
    left: remaining === null ? null : toDecimal(usd(remaining)),
    max_movements: maxMovements,
    left_movements: remainingMovements,
    about: approximateInOwnCurrency(rate, max, remaining),
    asked: toDecimal(usd(requestedMinor)),
  }
  return { ...fieldReason('amount', reason), extra: { limit: params } }
}

/** Converts a limit and what is left of it into the user's base currency; null without a rate. */
export const approximateInOwnCurrency = (rate: HolderRate | undefined, max: bigint | null, remaining: bigint | null) =>
  rate === undefined
    ? null
    : {
        currency: rate.currency,
        max: max === null ? null : convertDollars(rate, toDecimal(usd(max))),
        left: remaining === null ? null : convertDollars(rate, toDecimal(usd(remaining))),
      }

interface RemainingRoom {
  readonly remaining: bigint | null
  readonly remainingMovements: number | null
  readonly rate: HolderRate | undefined
}

function describeReason(limit: LimitRow, { remaining, remainingMovements, rate }: RemainingRoom): Reason {
  const { direction, method, period, is_own: isOwn, max_usd_minor: max, max_movements: maxMovements } = limit
  const what = method ?? direction
  const currency = rate?.currency ?? 'USD'
  const formatAmount = (minor: bigint) => (rate ? convertDollars(rate, toDecimal(usd(minor))) : toDecimal(usd(minor)))
  if (max === 0n) return { code: 'limit_is_nothing', params: { what, currency } }
  const maxText = formatAmount(max ?? 0n)
  if (period === 'payment') return { code: 'limit_of_one_payment', params: { max: maxText, currency } }
  const name = `${isOwn ? 'own_' : ''}${period === 'day' ? 'day' : 'month'}`
  if (remainingMovements === 0) {
    return { code: 'limit_of_number', params: { what, limit: name, max: maxMovements ?? 0 } }
  }
  return {
    code: 'limit_of_amount',
    params: { what, limit: name, max: maxText, left: formatAmount(remaining ?? 0n), currency },
  }
}
