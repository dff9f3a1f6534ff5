import type { Limit, Limits, HolderLimit } from '@tern/contract/limits'
import type { HolderRate } from '@tern/contract/protocol/holder-rate'
import { toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { parseAmount } from '../../platform/http/amount.ts'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { StepUpNeeded } from '../../platform/database/locks.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { confirmedSubject } from '../../platform/subjects.ts'
import type { Identity, SensitiveAction } from '../identity/identity.ts'
import { type Kyc, readResidence } from '../kyc/kyc.ts'
import { forecastFreedRoom } from './freed-room.ts'
import { readHolderRate } from './own-rate.ts'
import {
  approximateInOwnCurrency,
  computeRemaining,
  type LimitRow,
  readLimits,
  readUsedDays,
  usd,
  type DailyUsage,
} from './limits.ts'
import type { OwnLimitRow } from './row-types.ts'

/** Delay before a raised limit applies. A lowered limit applies at once. */
const raiseAfterMs = 24 * 3_600_000

interface RequestedLimit {
  readonly direction: HolderLimit['direction']
  readonly period: HolderLimit['period']
  /** Decimal amount in US dollars; null removes the limit. */
  readonly max: string | null
}

interface OwnLimitChange {
  readonly caller: Caller
  readonly requested: RequestedLimit
  readonly confirmation: string | undefined
}

export interface LimitsContext {
  readonly now: () => Date
  readonly identity: Pick<Identity, 'requireStepUp'>
  /** A user's limits depend on the verification status. */
  readonly kyc: Pick<Kyc, 'status'>
}

/** Returns a user's limits with their usage and what is left, and the limits that the user set. */
export async function viewLimits({ now, kyc }: LimitsContext, pool: pg.Pool, userId: bigint): Promise<Limits> {
  const at = now()
  const limits = await readLimits(pool, { userId, at })
  const days = await readUsedDays(pool, { userId, at })
  const ownRows = await readOwnLimits(pool, userId)
  const rate = await readHolderRate(pool, userId)
  const { status } = await kyc.status(userId)
  return {
    currency: 'USD',
    own_rate: rate ?? null,
    verification_state: status,
    country: status === 'verified' ? ((await readResidence(pool, userId)) ?? null) : null,
    limits: limits.map((limit) => toView(limit, { days, rate, at })),
    own: ownRows.map((row) => toOwnView(row, at)),
  }
}

/** Sets a limit of the caller's own. Refuses `step_up_required` for raising one without a confirmation. */
export async function changeOwnLimit(
  { now, identity }: LimitsContext,
  pool: pg.Pool,
  { caller, requested, confirmation }: OwnLimitChange,
): Promise<void> {
  const max = requested.max === null ? null : parseAmount('max', 'USD', requested.max).minor
  const writeLimit = (canRaise: boolean) =>
    transact(pool, (tx) => writeOwnLimit(tx, { ...requested, userId: caller.userId, max, at: now(), canRaise }))
  await writeLimit(false).catch(async (error: unknown) => {
    if (!(error instanceof StepUpNeeded)) throw error
    await identity.requireStepUp({ caller, act: sensitiveAction(requested, max), confirmation })
    await writeLimit(true)
  })
}

async function readOwnLimits(db: Db, userId: bigint): Promise<OwnLimitRow[]> {
  const { rows } = await db.query<OwnLimitRow>(
    'select * from own_limit where user_id = $1 order by direction desc, period desc',
    [userId],
  )
  return rows
}

interface NewOwnLimit extends Omit<RequestedLimit, 'max'> {
  readonly userId: bigint
  /** US dollar cents; null removes the limit. */
  readonly max: bigint | null
  readonly at: Date
  readonly canRaise: boolean
}

/** Stores a limit. Throws StepUpNeeded if it raises the current one and `canRaise` is false. */
async function writeOwnLimit(tx: Tx, { userId, direction, period, max, at, canRaise }: NewOwnLimit): Promise<void> {
  // Locks the user, because free room is computed from the limits under a lock of the same row.
  await tx.query('select from app_user where id = $1 for no key update', [userId])
  const ownRows = await readOwnLimits(tx, userId)
  const ownLimit = ownRows.find((row) => row.direction === direction && row.period === period)
  const currentMax = ownLimit ? currentMaximum(ownLimit, at) : null
  const isRaise = currentMax !== null && (max === null || max > currentMax)
  if (isRaise && !canRaise) throw new StepUpNeeded()
  const values = isRaise ? [currentMax, max, new Date(at.getTime() + raiseAfterMs)] : [max, null, null]
  await tx.query(
    `insert into own_limit (user_id, direction, period, max_usd_minor, next_max_usd_minor, next_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, direction, period) do update
       set max_usd_minor = excluded.max_usd_minor, next_max_usd_minor = excluded.next_max_usd_minor, next_at = excluded.next_at`,
    [userId, direction, period, ...values],
  )
}

const isNextInForce = ({ next_at: nextAt }: OwnLimitRow, at: Date): boolean => nextAt !== null && nextAt <= at

const currentMaximum = (row: OwnLimitRow, at: Date): bigint | null =>
  isNextInForce(row, at) ? row.next_max_usd_minor : row.max_usd_minor

const sensitiveAction = ({ direction, period }: RequestedLimit, max: bigint | null): SensitiveAction => ({
  action: 'raise_limit',
  subject: {
    limit: confirmedSubject(`${period === 'day' ? 'daily' : 'monthly'}_limit_${direction}`),
    amount: max === null ? confirmedSubject('no_own_limit') : `${toDecimal(usd(max))} USD`,
  },
})

const formatMinor = (minor: bigint | null): string | null => (minor === null ? null : toDecimal(usd(minor)))

interface LimitReading {
  readonly days: readonly DailyUsage[]
  readonly rate: HolderRate | undefined
  readonly at: Date
}

function toView(row: LimitRow, { days, rate, at }: LimitReading): Limit {
  const {
    max_usd_minor: max,
    max_movements: maxMovements,
    used_usd_minor: usedMinor,
    used_movements: usedMovements,
  } = row
  return {
    direction: row.direction,
    method: row.method,
    period: row.period,
    own: row.is_own,
    max: formatMinor(max),
    used: toDecimal(usd(usedMinor)),
    left: max === null ? null : formatMinor(computeRemaining(max, usedMinor)),
    max_movements: maxMovements,
    used_movements: Number(usedMovements), // not money: a count of movements
    left_movements: maxMovements === null ? null : Number(computeRemaining(BigInt(maxMovements), usedMovements)), // not money: a count of movements
    about: approximateInOwnCurrency(rate, max, max === null ? null : computeRemaining(max, usedMinor)),
    comes_back: forecastFreedRoom(row, days, at).map((freedRoom) => ({
      at: freedRoom.at,
      amount: toDecimal(usd(freedRoom.usdMinor)),
      movements: freedRoom.movements,
    })),
  }
}

function toOwnView(row: OwnLimitRow, at: Date): HolderLimit {
  const isWaiting = row.next_at !== null && !isNextInForce(row, at)
  return {
    direction: row.direction,
    period: row.period,
    max: formatMinor(currentMaximum(row, at)),
    next: isWaiting && row.next_at ? { max: formatMinor(row.next_max_usd_minor), at: row.next_at.toISOString() } : null,
  }
}
