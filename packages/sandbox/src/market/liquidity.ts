import type { Clock } from '../control/clock.ts'
import { ApiError, fingerprint, newId, requireFound } from '../server/api.ts'
import { chance } from '../server/chance.ts'
import { marketDecimals } from '../server/currency.ts'
import type { Fields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'
import type { Market, Prices } from './market.ts'

/** Order to sell an amount of one currency for another. */
export interface NewLiquidityOrder {
  /** UUID, chosen by the caller. */
  id: string
  sellCurrency: string
  /** In the currency's minor units. */
  sellMinor: string
  buyCurrency: string
}

/** Settings for later orders. */
export interface LiquidityCourse {
  /** Time from an order to its execution, by the sandbox clock. */
  delay_ms: number
  /** Deduction from the market rate. */
  slippage_parts_per_million: number
  reject_percent: number
  /** Seed of the pseudorandom decisions, for repeatable tests. */
  seed: number
}

export interface LiquidityOrder {
  number: number
  id: string
  order_id: string
  request_hash: string
  sell_currency: string
  sell_minor: string
  buy_currency: string
  slippage_parts_per_million: number
  /** 1 if the order will be rejected when due. */
  is_refused: number
  status: 'working' | 'filled' | 'rejected'
  bought_minor: string | null
  reason: string | null
  created_at: string
  due_at: string | null
  ended_at: string | null
}

interface StoredLiquidityCourse extends LiquidityCourse {
  /** Number of the newest order at the time of the change. */
  since: number
}

const defaultCourse: LiquidityCourse = { delay_ms: 2000, slippage_parts_per_million: 200, reject_percent: 0, seed: 1 }
const longestDelayMs = 7 * 24 * 60 * 60 * 1000
const maxSlippage = 500_000
const million = 1_000_000n
// Clients are expected to read amounts of at most 38 digits.
const largestMinor = 10n ** 38n
const setting = 'liquidity'

/** Reads the settings; absent ones get their defaults. Throws ApiError 422. */
function readCourse(fields: Fields): LiquidityCourse {
  const course = {
    delay_ms: fields.integer('delay_ms', { max: longestDelayMs }) ?? defaultCourse.delay_ms,
    slippage_parts_per_million:
      fields.integer('slippage_parts_per_million', { max: maxSlippage }) ?? defaultCourse.slippage_parts_per_million,
    reject_percent: fields.integer('reject_percent', { max: 100 }) ?? defaultCourse.reject_percent,
    seed: fields.integer('seed', { max: Number.MAX_SAFE_INTEGER }) ?? defaultCourse.seed,
  }
  fields.check()
  return course
}

/** Returns the amount bought at these prices, in minor units, rounded down. */
function computeBought(order: LiquidityOrder, { usdPerUnit }: Prices): bigint {
  const { sell_currency: sell, buy_currency: buy } = order
  const [from, to] = [requireFound(usdPerUnit[sell], 'rate'), requireFound(usdPerUnit[buy], 'rate')]
  const minorUnitsPerUnit = (code: string) => 10n ** BigInt(requireFound(marketDecimals.get(code), 'currency'))
  const numerator = BigInt(from.numerator) * BigInt(to.denominator) * minorUnitsPerUnit(buy)
  const denominator = BigInt(from.denominator) * BigInt(to.numerator) * minorUnitsPerUnit(sell)
  const afterSlippage = million - BigInt(order.slippage_parts_per_million)
  return (BigInt(order.sell_minor) * numerator * afterSlippage) / (denominator * million)
}

/** Returns the outcome of an order at the prices of its due time. */
function settleOrder(order: LiquidityOrder, prices: Prices, endedAt: string) {
  const boughtAmount = computeBought(order, prices)
  const sizeProblem =
    boughtAmount === 0n ? 'amount_too_small' : boughtAmount >= largestMinor ? 'amount_too_large' : undefined
  const reason = order.is_refused === 1 ? 'no_counterparty' : sizeProblem
  const end = { due_at: null, ended_at: endedAt }
  return reason === undefined
    ? { ...end, status: 'filled', bought_minor: boughtAmount.toString() }
    : { ...end, status: 'rejected', reason }
}

/** Returns an order as in the API's reply. */
function toReply(order: LiquidityOrder): object {
  const { id, order_id, status, sell_currency: currency, sell_minor: amount_minor, buy_currency: buy } = order
  const { bought_minor, ended_at, reason, created_at } = order
  const end = {
    working: {},
    filled: { sold_minor: amount_minor, bought_minor, filled_at: ended_at },
    rejected: { reason },
  }
  return { id, order_id, status, sell: { currency, amount_minor }, buy, created_at, ...end[status] }
}

export type Liquidity = ReturnType<typeof createLiquidity>

/** Creates a venue that executes orders at the market rate, some time after they are placed. */
export function createLiquidity({ store, clock, market }: { store: Store; clock: Clock; market: Market }) {
  const storedCourse = (): StoredLiquidityCourse =>
    store.setting<StoredLiquidityCourse>(setting) ?? { ...defaultCourse, since: 0 }
  const newest = () =>
    store.get<{ number: number }>('select coalesce(max(number), 0) as number from liquidity_order')?.number ?? 0

  function get(): LiquidityCourse {
    const { since: _since, ...course } = storedCourse()
    return course
  }

  /** Executes due orders at the prices of their due times. */
  function executeDue(): void {
    const now = clock.now().toISOString()
    const nextDue = () =>
      store.get<LiquidityOrder>('select * from liquidity_order where due_at <= ? order by due_at, number limit 1', now)
    if (!nextDue()) return
    store.transact(() => {
      for (let order = nextDue(); order?.due_at; order = nextDue()) {
        store.update('liquidity_order', order.id, settleOrder(order, market.at(new Date(order.due_at)), order.due_at))
      }
    })
  }

  const find = (id: string): LiquidityOrder => {
    executeDue()
    return requireFound(store.get<LiquidityOrder>('select * from liquidity_order where id = ?', id), 'order')
  }

  return {
    get,
    /** Changes the settings for later orders, and restarts the pseudorandom sequence. Throws ApiError 422. */
    change(fields: Fields): LiquidityCourse {
      const course = readCourse(fields)
      store.saveSetting(setting, { ...course, since: newest() })
      return course
    },
    /** Places an order, idempotently by its id. Throws ApiError 409 if the id was used for another order. */
    place({ id, sellCurrency, sellMinor, buyCurrency }: NewLiquidityOrder): object {
      const hash = fingerprint(sellCurrency, sellMinor, buyCurrency)
      const existing = store.get<LiquidityOrder>('select * from liquidity_order where id = ?', id)
      if (existing && existing.request_hash !== hash) {
        throw new ApiError(409, 'order_id_reused', 'This id was used for another order.')
      }
      if (existing) return toReply(find(id))
      const { delay_ms, slippage_parts_per_million, reject_percent, seed, since } = storedCourse()
      const now = clock.now()
      store.insert('liquidity_order', {
        id,
        order_id: newId('lq'),
        request_hash: hash,
        sell_currency: sellCurrency,
        sell_minor: sellMinor,
        buy_currency: buyCurrency,
        slippage_parts_per_million,
        is_refused: chance(seed, 'liquidity', newest() - since) < reject_percent ? 1 : 0,
        created_at: now.toISOString(),
        due_at: new Date(now.getTime() + delay_ms).toISOString(),
      })
      return toReply(find(id))
    },
    /** Returns an order as in the API's reply, after executing due orders. Throws ApiError 404 if unknown. */
    show: (id: string): object => toReply(find(id)),
    /** Returns at most `limit` orders, newest first. */
    list(limit: number): LiquidityOrder[] {
      executeDue()
      return store.all<LiquidityOrder>('select * from liquidity_order order by number desc limit ?', limit)
    },
    executeDue,
  }
}
