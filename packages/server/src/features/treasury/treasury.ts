import { type CurrencyCode } from '@tern/money/currency'
import { type Money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { type LimitName, setLimit, type Exposure } from '../exchange/exchange.ts'
import { placeOrder, pollOrders, type TreasuryContext, storeOrder } from './orders.ts'
import { toAbsolute, type Trade, planTrade, computeUsdMinor } from './trades.ts'
import type { TreasuryOrderRow } from './row-types.ts'

export type { LimitName } from '../exchange/exchange.ts'
export { toSellAmount } from './orders.ts'

export interface Position extends Exposure {
  /** In US dollar cents, rounded away from zero; undefined while no rate is known. */
  readonly usdMinor: bigint | undefined
  /** Trade that flattens it; undefined if there is nothing to flatten, or no rate. */
  readonly toFlatten: Trade | undefined
  readonly openOrder: TreasuryOrderRow | undefined
}

/** A rejected order is not repeated within this time. */
const retryMs = 10 * 60_000

const exceedsLimits = ({ position, limits }: Exposure): boolean =>
  limits !== undefined && toAbsolute(position) > limits.flattenAbove

/** Returns the orders whose outcome is not certain yet. */
async function findOpenOrders(db: Db): Promise<TreasuryOrderRow[]> {
  return (await db.query<TreasuryOrderRow>(`select * from treasury_order where state = 'pending' order by created_at`))
    .rows
}

/** Returns the currencies with a recently rejected order. */
async function findRejectedCurrencies({ now }: TreasuryContext, db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<Pick<TreasuryOrderRow, 'currency'>>(
    `select distinct currency from treasury_order where state = 'rejected' and updated_at > $1`,
    [new Date(now().getTime() - retryMs)],
  )
  return new Set(rows.map(({ currency }) => currency))
}

interface TradeRequest {
  readonly currency: CurrencyCode
  readonly orderedBy: string
  /** Orders only if the position is beyond its threshold. */
  readonly isAtThreshold: boolean
}

/**
 * Stores an order with its reservation in one transaction, so that any number of workers order once. Returns its id;
 * undefined if there is nothing to flatten, or another order of the currency is open.
 */
async function order(
  { exchange, venues, now }: TreasuryContext,
  pool: pg.Pool,
  { currency, orderedBy, isAtThreshold }: TradeRequest,
): Promise<string | undefined> {
  const venue = venues.choose({ currency })
  if (!venue) return undefined
  return transact(pool, async (tx) => {
    await lockName(tx, 'treasury orders')
    if ((await findOpenOrders(tx)).some((open) => open.currency === currency)) return undefined
    const exposures = await exchange.exposures(tx)
    const exposure = exposures.find((one) => one.currency === currency)
    if (!exposure || (isAtThreshold && !exceedsLimits(exposure))) return undefined
    const trade = planTrade(exchange.valuation, exposures, exposure)
    if (!trade) return undefined
    const at = now()
    const id = newId(at)
    const { sell, expected } = trade
    const row = { id, provider: venue.name, currency, ordered_by: orderedBy }
    await storeOrder(tx, { ...row, sell, buy: expected.currency, at })
    const reservation = {
      id,
      source: expected,
      target: sell,
      usdMinor: 0n,
      userId: undefined,
      until: 'infinity',
    } as const
    await exchange.reserveInTransaction(tx, reservation)
    return id
  })
}

/** Position of every currency, with its open order, and the trade that would flatten it. */
async function readPositions({ exchange }: TreasuryContext, db: Db): Promise<readonly Position[]> {
  const { valuation } = exchange
  const exposures = await exchange.exposures(db)
  const orders = await findOpenOrders(db)
  return exposures.map((exposure): Position => {
    const { currency, position, incoming, outgoing, limits } = exposure
    return {
      currency,
      position,
      incoming,
      outgoing,
      limits,
      usdMinor: computeUsdMinor(valuation, exposure),
      toFlatten: planTrade(valuation, exposures, exposure),
      openOrder: orders.find((open) => open.currency === currency),
    }
  })
}

/**
 * Flattens every position beyond its threshold, follows open orders, and deletes expired reservations. Safe with any
 * number of workers.
 */
async function run(context: TreasuryContext, pool: pg.Pool): Promise<void> {
  const { exchange, venues, log } = context
  await exchange.sweepReservations()
  await pollOrders(context, pool)
  if (venues.all.length === 0) return
  const rejected = await findRejectedCurrencies(context, pool)
  for (const { currency } of (await exchange.exposures(pool)).filter(exceedsLimits)) {
    if (rejected.has(currency)) continue
    try {
      const id = await order(context, pool, { currency, orderedBy: 'threshold', isAtThreshold: true })
      if (id !== undefined) await placeOrder(context, pool, id)
    } catch (error) {
      log.error({ err: error, currency }, 'a position was not flattened')
    }
  }
}

interface FlattenOrder {
  readonly currency: CurrencyCode
  readonly operator: string
}

/**
 * Orders the trade that flattens a position now, regardless of its threshold. Undefined if there is nothing to
 * flatten, or an order is open. Refuses `provider_unavailable`.
 */
async function flatten(
  context: TreasuryContext,
  pool: pg.Pool,
  { currency, operator }: FlattenOrder,
): Promise<TreasuryOrderRow | undefined> {
  if (!context.venues.choose({ currency })) refuse('provider_unavailable')
  const id = await order(context, pool, { currency, orderedBy: operator, isAtThreshold: false })
  return id === undefined ? undefined : placeOrder(context, pool, id)
}

interface LimitChange {
  readonly name: LimitName
  readonly limit: Money
  readonly operator: string
}

/** Positions of the exchange desk, and the trades with venues that flatten them. */
export function createTreasury({ pool, ...context }: TreasuryContext & { readonly pool: pg.Pool }) {
  const { exchange, now } = context
  return {
    positions: () => readPositions(context, pool),
    openOrders: () => findOpenOrders(pool),
    lockedValue: () => exchange.lockedValue(pool),
    run: () => run(context, pool),
    flatten: (flattening: FlattenOrder) => flatten(context, pool, flattening),
    /** Sets a limit for all processes, effective at once. */
    setLimit: ({ name, limit, operator }: LimitChange) => setLimit(pool, name, limit, { operator, now: now() }),
  }
}

export type Treasury = ReturnType<typeof createTreasury>
