import { type CurrencyCode } from '@tern/money/currency'
import { type Money } from '@tern/money/money'
import { type Db, transact } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import {
  endReservation,
  type Exchange,
  keepReservation,
  type LimitName,
  setLimit,
  type Exposure,
} from '../exchange/exchange.ts'
import { type OrderOptions, type OrderRow, placeOrder, pollOrders, writeOrder } from './orders.ts'
import { sizeOf, type Trade, tradeFor, usdMinorOf } from './trades.ts'

export type { LimitName } from '../exchange/exchange.ts'
export { type OrderRow, sellOf } from './orders.ts'

interface Options extends OrderOptions {
  readonly exchange: Pick<Exchange, 'exposures' | 'valuation' | 'sweepReservations' | 'lockedValue' | 'reserve'>
}

export interface Position extends Exposure {
  /** In US dollar cents, rounded away from zero; undefined while no rate is known. */
  readonly usdMinor: bigint | undefined
  /** What flattens it; undefined where there is nothing to flatten, or no rate. */
  readonly toFlatten: Trade | undefined
  readonly openOrder: OrderRow | undefined
}

/** What was rejected is not ordered again before. */
const retryMs = 10 * 60_000

const isBeyond = ({ position, limits }: Exposure): boolean =>
  limits !== undefined && sizeOf(position) > limits.flattenAbove

async function openOrders(db: Db): Promise<OrderRow[]> {
  return (await db.query<OrderRow>(`select * from treasury_order where state = 'pending' order by created_at`)).rows
}

/** The currencies of which an order was rejected a moment ago. */
async function recentlyRejected({ pool, now }: Options): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ currency: string }>(
    `select distinct currency from treasury_order where state = 'rejected' and updated_at > $1`,
    [new Date(now().getTime() - retryMs)],
  )
  return new Set(rows.map(({ currency }) => currency))
}

interface Wish {
  readonly orderedBy: string
  readonly isWanted: (exposure: Exposure) => boolean
}

/**
 * Writes an order down in one commit, so that any number of workers order once: where it `isWanted`, and no other order of
 * the currency is open. Gives its id.
 */
async function order(options: Options, currency: CurrencyCode, wish: Wish): Promise<string | undefined> {
  const { pool, exchange, venues, now } = options
  const venue = venues.choose({ currency })
  if (!venue) return undefined
  let reserved: string | undefined
  try {
    return await transact(pool, async (tx) => {
      await lockName(tx, 'treasury orders')
      if ((await openOrders(tx)).some((open) => open.currency === currency)) return undefined
      const exposures = await exchange.exposures(tx)
      const exposure = exposures.find((one) => one.currency === currency && wish.isWanted(one))
      const trade = exposure && tradeFor(exchange.valuation, exposures, exposure)
      if (!trade) return undefined
      const at = now()
      const id = newId(at)
      const { sell, expected } = trade
      // In a separate statement, so that prices do not wait for this transaction.
      const until = new Date(at.getTime() + retryMs)
      await exchange.reserve({ id, source: expected, target: sell, usdMinor: 0n, userId: undefined, until })
      reserved = id
      await keepReservation(tx, id)
      const row = { id, provider: venue.name, currency, ordered_by: wish.orderedBy, sell, buy: expected.currency }
      await writeOrder(tx, row, at)
      return id
    })
  } catch (error) {
    const isWritten = reserved === undefined || (await openOrders(pool)).some(({ id }) => id === reserved)
    if (!isWritten && reserved !== undefined) await endReservation(pool, reserved)
    throw error
  }
}

/** The operator's own positions, and the trades with venues that flatten them. */
export function createTreasury(options: Options) {
  const { pool, exchange, venues, now, log } = options
  const { valuation } = exchange

  return {
    /** How every currency stands, and what is under way or would have to be done to flatten it. */
    async positions(): Promise<readonly Position[]> {
      const exposures = await exchange.exposures(pool)
      const orders = await openOrders(pool)
      return exposures.map((exposure): Position => {
        const { currency, position, incoming, outgoing, limits } = exposure
        return {
          currency,
          position,
          incoming,
          outgoing,
          limits,
          usdMinor: usdMinorOf(valuation, exposure),
          toFlatten: tradeFor(valuation, exposures, exposure),
          openOrder: orders.find((open) => open.currency === currency),
        }
      })
    },

    /** Orders that have no certain answer yet. */
    openOrders: () => openOrders(pool),
    lockedValue: () => exchange.lockedValue(pool),

    /**
     * Flattens every position beyond its threshold, follows open orders, and deletes reservations that are over. Any number
     * of workers may do so at once.
     */
    async run(): Promise<void> {
      await exchange.sweepReservations()
      await pollOrders(options)
      if (venues.all.length === 0) return
      const waiting = await recentlyRejected(options)
      for (const { currency } of (await exchange.exposures(pool)).filter(isBeyond)) {
        if (waiting.has(currency)) continue
        try {
          const id = await order(options, currency, { orderedBy: 'threshold', isWanted: isBeyond })
          if (id !== undefined) await placeOrder(options, id)
        } catch (error) {
          log.error({ err: error, currency }, 'a position was not flattened')
        }
      }
    },

    /**
     * Orders what flattens a position, now. Undefined where there is nothing to flatten, or an order is open. Refuses
     * `provider_unavailable`.
     */
    async flatten(currency: CurrencyCode, operator: string): Promise<OrderRow | undefined> {
      if (!venues.choose({ currency })) refuse('provider_unavailable')
      const id = await order(options, currency, { orderedBy: operator, isWanted: () => true })
      return id === undefined ? undefined : placeOrder(options, id)
    },

    /** Sets a limit for all processes, from now on. */
    setLimit: (name: LimitName, limit: Money, operator: string): Promise<void> =>
      setLimit(pool, name, limit, { operator, now: now() }),
  }
}

export type Treasury = ReturnType<typeof createTreasury>
