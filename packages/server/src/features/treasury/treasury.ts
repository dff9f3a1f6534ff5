import { type CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { transact, type Tx } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import {
  type Exchange,
  type LimitName,
  lockLiquidity,
  reserve,
  roomIn,
  roomOut,
  setLimit,
  type Standing,
} from '../exchange/exchange.ts'
import { type OrderOptions, type OrderRow, placeOrder, pollOrders, writeOrder } from './orders.ts'

export type { LimitName } from '../exchange/exchange.ts'
export { type OrderRow, sellOf } from './orders.ts'

interface Options extends OrderOptions {
  readonly exchange: Pick<Exchange, 'standings' | 'valuation' | 'sweepReservations' | 'lockedValue'>
}

/** A trade that brings a position back to nothing, as far as the limits let it. */
export interface Trade {
  readonly sell: Money
  /** What it brings at the mid-market rate. */
  readonly expected: Money
}

export interface Position extends Standing {
  /** In US dollar cents, rounded away from zero; undefined while no rate is known. */
  readonly usdMinor: bigint | undefined
  /** What flattens it; undefined where there is nothing to flatten, or no rate. */
  readonly toFlatten: Trade | undefined
  readonly openOrder: OrderRow | undefined
}

/** Positions are measured in this currency, and flattened into it. */
const measure: CurrencyCode = 'USD'

/** What was rejected is not ordered again before. */
const retryMs = 10 * 60_000

const least = (one: bigint, ...others: bigint[]): bigint => others.reduce((low, next) => (next < low ? next : low), one)
const sizeOf = (minor: bigint): bigint => (minor < 0n ? -minor : minor)

/** The operator's own positions, and the trades with venues that flatten them. */
export function createTreasury(options: Options) {
  const { pool, exchange, venues, now, log } = options
  const { valuation } = exchange

  const valueIn = (amount: Money, target: CurrencyCode, rounding: 'up' | 'down'): Money =>
    convert(amount, target, crossRate(valuation.usdValueOf, amount.currency, target), rounding)

  /** As much of the position as may be traded now: no promise may be pushed beyond a limit by it. */
  function tradeFor({ currency, position, ...rest }: Standing, dollars: Standing): Trade | undefined {
    if (currency === measure || position === 0n || !valuation.isKnown(currency)) return undefined
    const own = { currency, position, ...rest }
    const inOwn = (usdMinor: bigint) =>
      usdMinor <= 0n ? 0n : valueIn(money(measure, usdMinor), currency, 'down').minor
    const size =
      position > 0n
        ? least(position, roomOut(own), inOwn(roomIn(dollars)))
        : least(-position, roomIn(own), inOwn(roomOut(dollars)))
    if (size <= 0n) return undefined
    const amount = money(currency, size)
    const value = valueIn(amount, measure, position > 0n ? 'down' : 'up')
    if (value.minor <= 0n) return undefined
    return position > 0n ? { sell: amount, expected: value } : { sell: value, expected: amount }
  }

  const dollarsOf = (standings: readonly Standing[]): Standing => {
    const found = standings.find(({ currency }) => currency === measure)
    if (!found) throw new Error(`${measure} has no position`)
    return found
  }

  const openOrders = async (db: Pick<Tx, 'query'> = pool) =>
    (await db.query<OrderRow>(`select * from treasury_order where state = 'pending' order by created_at`)).rows

  /**
   * Writes an order down in one commit, so that any number of workers order once: where `isWanted` and no other order is
   * open. Gives its id.
   */
  function order(currency: CurrencyCode, orderedBy: string, isWanted: (standing: Standing) => boolean) {
    const venue = venues.choose({ currency })
    if (!venue) return undefined
    return transact(pool, async (tx) => {
      await lockLiquidity(tx)
      if ((await openOrders(tx)).some((open) => open.currency === currency)) return undefined
      const standings = await exchange.standings(tx)
      const standing = standings.find((one) => one.currency === currency)
      const trade = standing && isWanted(standing) ? tradeFor(standing, dollarsOf(standings)) : undefined
      if (!trade) return undefined
      const at = now()
      const id = newId(at)
      const { sell, expected } = trade
      const effects = {
        id,
        source: expected,
        target: sell,
        usdMinor: 0n,
        userId: undefined,
        until: 'infinity',
      } as const
      await reserve(tx, valuation, effects, at)
      const row = { id, provider: venue.name, currency, ordered_by: orderedBy, sell, buy: expected.currency }
      await writeOrder(tx, row, at)
      return id
    })
  }

  async function recentlyRejected(): Promise<ReadonlySet<string>> {
    const { rows } = await pool.query<{ currency: string }>(
      `select distinct currency from treasury_order where state = 'rejected' and updated_at > $1`,
      [new Date(now().getTime() - retryMs)],
    )
    return new Set(rows.map(({ currency }) => currency))
  }

  const isBeyond = ({ position, limits }: Standing): boolean =>
    limits !== undefined && sizeOf(position) > limits.flattenAbove

  return {
    /** How every currency stands, and what is under way or would have to be done to flatten it. */
    async positions(): Promise<readonly Position[]> {
      const standings = await exchange.standings()
      const orders = await openOrders()
      const dollars = dollarsOf(standings)
      return standings.map((standing) => {
        const { currency, position } = standing
        const value = valuation.isKnown(currency)
          ? valueIn(money(currency, sizeOf(position)), measure, 'up').minor
          : undefined
        return {
          ...standing,
          usdMinor: value !== undefined && position < 0n ? -value : value,
          toFlatten: tradeFor(standing, dollars),
          openOrder: orders.find((open) => open.currency === currency),
        }
      })
    },

    /** Orders that have no certain answer yet. */
    openOrders: () => openOrders(),
    lockedValue: exchange.lockedValue,

    /**
     * Flattens every position beyond its threshold, follows open orders, and deletes reservations that are over. Any number
     * of workers may do so at once.
     */
    async run(): Promise<void> {
      await exchange.sweepReservations()
      await pollOrders(options)
      if (venues.all.length === 0) return
      const waiting = await recentlyRejected()
      for (const { currency } of (await exchange.standings()).filter(isBeyond)) {
        if (waiting.has(currency)) continue
        try {
          const id = await order(currency, 'threshold', isBeyond)
          if (id !== undefined) await placeOrder(options, id)
        } catch (error) {
          log.error({ err: error, currency }, 'a position was not flattened')
        }
      }
    },

    /** Orders what flattens a position, now. Undefined where there is nothing to flatten, or an order is open. Refuses `provider_unavailable`. */
    async flatten(currency: CurrencyCode, operator: string): Promise<OrderRow | undefined> {
      if (!venues.choose({ currency })) refuse('provider_unavailable')
      const id = await order(currency, operator, () => true)
      return id === undefined ? undefined : placeOrder(options, id)
    },

    /** Sets a limit for all processes, from now on. */
    setLimit: (name: LimitName, limit: Money, operator: string): Promise<void> =>
      setLimit(pool, name, limit, { operator, now: now() }),
  }
}

export type Treasury = ReturnType<typeof createTreasury>
