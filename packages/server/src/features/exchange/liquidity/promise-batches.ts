import { LedgerError, readSqlState } from '@tern/ledger/ledger'
import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import { crossRate } from '@tern/money/rate'
import type pg from 'pg'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import { readDeadline } from '../../../platform/http/deadline.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { ExchangeContext } from '../context.ts'
import type { Reservation, Valuation } from './reservations.ts'

// Prices in two currencies are reserved by one SQL statement, `promise_prices`, for a batch of callers. Outside a
// transaction, it locks, checks, stores and commits in one round trip, so a process that freezes holds no lock.

/** Columns of a quote; the signature is in hexadecimal. */
export interface QuoteColumns {
  readonly user_id: bigint
  readonly recipient_id: bigint | undefined
  readonly created_at: Date
  readonly expires_at: Date
  readonly locked_price: object
  readonly signature: string
}

/** Reservation to make, and the quote to store with it. */
export interface NewPromise {
  readonly reservation: Reservation
  readonly quote?: QuoteColumns
  /** Id of a quote of the same user to void, unless it is used, reserved or expired. */
  readonly replaces?: string | undefined
}

type Status = 'promised' | 'too_large' | 'too_much_locked' | 'no_room'

interface WaitingPromise {
  readonly promise: NewPromise
  readonly timer: NodeJS.Timeout | undefined
  resolve(status: Status): void
  reject(error: unknown): void
}

const maxBatchSize = 64
const lockTimeout = '55P03'
const deadlock = '40P01'

const serializePromise = ({ reservation, quote, replaces }: NewPromise) => {
  const { id, source, target, usdMinor, userId, until } = reservation
  return {
    ...quote,
    id,
    replaces,
    counted_for: userId,
    source: source.currency,
    source_minor: source.minor,
    target: target.currency,
    target_minor: target.minor,
    usd_minor: usdMinor,
    until,
  }
}

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member))

/** Returns the minor units of a currency per US dollar cent. */
function minorUnitsPerCent({ usdValueOf }: Valuation, currency: CurrencyCode) {
  const { numerator, denominator } = crossRate(usdValueOf, 'USD', currency)
  const scaledRatio = { numerator: numerator * 10n ** BigInt(scaleOf(currency)) }
  return { currency, ...scaledRatio, denominator: denominator * 10n ** BigInt(scaleOf('USD')) }
}

/** Stores promises with one statement, which is a transaction of its own if `db` is a pool. */
async function storePromises(
  { rates, now }: PromiseContext,
  db: Db,
  promises: readonly NewPromise[],
): Promise<Status[]> {
  const pairs = promises.flatMap(({ reservation: { source, target } }): Money[] => [source, target])
  const knownCurrencies = [...new Set(pairs.map(({ currency }) => currency))].filter(rates.isKnown)
  const { rows } = await db.query<{ statuses: Status[] }>({
    name: 'promise_prices',
    text: 'select promise_prices($1, $2, $3) as statuses',
    values: [
      toJson(promises.map(serializePromise)),
      toJson(knownCurrencies.map((currency) => minorUnitsPerCent(rates, currency))),
      now(),
    ],
  })
  return onlyRow(rows).statuses
}

async function settleBatch(ctx: PromiseContext, pool: pg.Pool, batch: readonly WaitingPromise[]): Promise<void> {
  try {
    const promises = batch.map(({ promise }) => promise)
    const statuses = await storePromises(ctx, pool, promises)
    for (const [place, waitingPromise] of batch.entries()) waitingPromise.resolve(statuses[place] ?? 'no_room')
  } catch (error) {
    const isFinal = batch.length === 1 || ![lockTimeout, deadlock].includes(readSqlState(error) ?? '')
    if (isFinal) for (const waitingPromise of batch) waitingPromise.reject(error)
    // Another transaction locks a replaced quote and blocked the whole batch, so each promise is retried alone.
    else await Promise.all(batch.map((waitingPromise) => settleBatch(ctx, pool, [waitingPromise])))
  }
}

/** Promises of this process that wait for its next statement. */
interface PromiseQueue {
  readonly waiting: WaitingPromise[]
  isBusy: boolean
}

export interface PromiseQueues {
  readonly plain: PromiseQueue
  /** Separate, since a transaction that locks the replaced quote would delay all other promises. */
  readonly replacing: PromiseQueue
}

export const createQueues = (): PromiseQueues => ({
  plain: { waiting: [], isBusy: false },
  replacing: { waiting: [], isBusy: false },
})

type PromiseContext = Pick<ExchangeContext, 'rates' | 'promises' | 'now'>

/** Stores waiting promises in batches. Promises that arrive during a batch wait for the next one. */
async function processQueue(ctx: PromiseContext, pool: pg.Pool, queue: PromiseQueue): Promise<void> {
  if (queue.isBusy) return
  queue.isBusy = true
  while (queue.waiting.length > 0) {
    const batch = queue.waiting.splice(0, maxBatchSize)
    for (const { timer } of batch) clearTimeout(timer)
    await settleBatch(ctx, pool, batch)
  }
  queue.isBusy = false
}

const enqueue = (ctx: PromiseContext, pool: pg.Pool, queue: PromiseQueue, promise: NewPromise): Promise<Status> =>
  new Promise((resolve, reject) => {
    const at = readDeadline()
    const expire = () => {
      queue.waiting.splice(queue.waiting.indexOf(waitingPromise), 1)
      reject(new LedgerError('unavailable', 'The request waited too long and was not begun'))
    }
    const timer = at === undefined ? undefined : setTimeout(expire, Math.max(0, at - performance.now()))
    const waitingPromise: WaitingPromise = { promise, timer, resolve, reject }
    queue.waiting.push(waitingPromise)
    void processQueue(ctx, pool, queue)
  })

const formatUsd = (usdMinor: bigint): string => toDecimal(money('USD', usdMinor))

/** Returns the limits of locked value, in US dollar cents. */
async function readLockedLimits(db: Db): Promise<{ byPerson: bigint; inTotal: bigint }> {
  const { rows } = await db.query<{ by_person: bigint; in_all: bigint }>(
    `select max(usd_minor) filter (where name = 'locked_by_person') as by_person,
            max(usd_minor) filter (where name = 'locked_in_all') as in_all from liquidity_default`,
  )
  const { by_person: byPerson, in_all: inTotal } = onlyRow(rows)
  return { byPerson, inTotal }
}

/**
 * Reserves a price within the liquidity limits, in a transaction of its own. Refuses `limit_exceeded` for an amount
 * above the limit of one price, `rate_limited` if the user has too much value locked, and `liquidity_unavailable` if
 * too much is locked in total or a position could exceed its limit.
 */
export async function promisePrice(ctx: PromiseContext, pool: pg.Pool, newPromise: NewPromise): Promise<void> {
  const { plain, replacing } = ctx.promises
  const status = await enqueue(ctx, pool, newPromise.replaces === undefined ? plain : replacing, newPromise)
  await requirePromised(pool, newPromise, status)
}

/**
 * Reserves a price in the caller's transaction, which blocks all other reservations until it ends: call it last.
 * Refuses like `promisePrice`.
 */
export async function reserveInTransaction(ctx: PromiseContext, tx: Tx, reservation: Reservation): Promise<void> {
  const [status = 'no_room'] = await storePromises(ctx, tx, [{ reservation }])
  await requirePromised(tx, { reservation }, status)
}

async function requirePromised(db: Db, newPromise: NewPromise, status: Status): Promise<void> {
  if (status === 'no_room') refuse('liquidity_unavailable')
  if (status === 'promised') return
  const { byPerson, inTotal } = await readLockedLimits(db)
  if (status === 'too_large') {
    const cap = newPromise.reservation.userId !== undefined && byPerson < inTotal ? byPerson : inTotal
    refuseField('limit_exceeded', 'amount', { code: 'limit_of_one_price', params: { max: formatUsd(cap) } })
  }
  refuse('rate_limited', { reason: { code: 'too_much_locked', params: { max: formatUsd(byPerson) } } })
}
