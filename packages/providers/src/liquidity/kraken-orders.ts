import { type Money, money } from '@tern/money/money'
import { readList, readObject, readText } from '../json.ts'
import type { UnknownOutcome } from '../outcome.ts'
import { addDecimals, compareDecimals, type Decimal, negate, readDecimal, toMinor, zero } from './kraken-decimals.ts'
import { type KrakenHttp, toUnknown } from './kraken-http.ts'
import { findMarketOf, type Market, type Markets } from './kraken-markets.ts'
import type { LiquidityResult } from './port.ts'

interface StoredOrder {
  readonly reference: string
  readonly order: unknown
}

/**
 * Finds an order by our id among open orders, then closed ones: in this order, one that closes meanwhile is not missed.
 * `unknown` if two orders have the id.
 */
export async function findStoredOrder(
  { call }: KrakenHttp,
  id: string,
): Promise<StoredOrder | { readonly status: 'not_found' } | UnknownOutcome> {
  const found: StoredOrder[] = []
  for (const [name, member] of [
    ['OpenOrders', 'open'],
    ['ClosedOrders', 'closed'],
  ] as const) {
    const answer = await call(name, { cl_ord_id: id, trades: 'true' })
    if (answer.status !== 'answered') return toUnknown(answer)
    const orders = readObject(answer.result, member)
    if (!orders) return { status: 'unknown', reason: `Kraken ${name}: has no list of orders` }
    for (const [reference, order] of Object.entries(orders))
      if (readText(order, 'cl_ord_id') === id && !found.some((other) => other.reference === reference))
        found.push({ reference, order })
  }
  const [first, second] = found
  if (second) return { status: 'unknown', reason: `Kraken has several orders with the id ${id}` }
  return first ?? { status: 'not_found' }
}

/** Reads the state of an order, and for a closed one the exact amounts from the ledger. */
export async function readOrder(
  http: KrakenHttp,
  { reference, order }: StoredOrder,
  markets: Markets,
): Promise<LiquidityResult> {
  const unknown = (reason: string): UnknownOutcome => ({ status: 'unknown', reason: `Kraken ${reference}: ${reason}` })
  const status = readText(order, 'status')
  if (status === 'pending' || status === 'open') return { status: 'working', reference }
  const executedVolume = readDecimal(readText(order, 'vol_exec'))
  const market = findMarketOf(order, markets)
  const side = readText(readObject(order, 'descr'), 'type')
  if (!executedVolume || !market || (side !== 'buy' && side !== 'sell')) return unknown('is unreadable')
  const isEnded = status === 'closed' || status === 'canceled' || status === 'expired'
  if (!isEnded) return unknown(`has the state ${status}`)
  if (executedVolume.digits === 0n) {
    if (status === 'closed') return unknown('is closed without a trade')
    return { status: 'rejected', reason: readText(order, 'reason') ?? `The order was ${status}` }
  }
  const span = readSpan(order)
  if (!span) return unknown('has no times')
  const entries = await readTradeEntries(http, span)
  if ('status' in entries) return entries
  const tradeIds = (readList(order, 'trades') ?? []).filter((trade) => typeof trade === 'string')
  const amounts = sumTrades({ tradeIds, executedVolume, market, side }, entries, markets)
  // The ledger follows the trades.
  if (!amounts) return { status: 'working', reference }
  return { status: 'filled', ...amounts, reference, filledAt: new Date(span.closedAt * 1000) }
}

interface Span {
  readonly openedAt: number
  readonly closedAt: number
}

/** Reads when an order was placed and closed, in seconds since 1970. */
function readSpan(order: unknown): Span | undefined {
  const [openedAt, closedAt] = ['opentm', 'closetm'].map((name) => (order as Record<string, unknown>)[name])
  const areTimes = typeof openedAt === 'number' && typeof closedAt === 'number' && closedAt > 0
  return areTimes ? { openedAt, closedAt } : undefined
}

const pageSize = 50
const maxPages = 40

/** Reads the trades in the ledger while an order was open. */
async function readTradeEntries({ call }: KrakenHttp, span: Span): Promise<readonly unknown[] | UnknownOutcome> {
  const entries = new Map<string, unknown>()
  const start = String(Math.floor(span.openedAt) - 2)
  const end = String(Math.ceil(span.closedAt) + 60)
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await call('Ledgers', { type: 'trade', start, end, ofs: String(page * pageSize) })
    if (answer.status !== 'answered') return toUnknown(answer)
    const ledger = readObject(answer.result, 'ledger')
    if (!ledger) return { status: 'unknown', reason: 'Kraken Ledgers: has no entries' }
    const list = Object.entries(ledger)
    for (const [id, entry] of list) entries.set(id, entry)
    if (list.length < pageSize) return [...entries.values()]
  }
  return { status: 'unknown', reason: `Kraken Ledgers: has more than ${maxPages * pageSize} entries` }
}

interface Trades {
  readonly tradeIds: readonly string[]
  readonly executedVolume: Decimal
  readonly market: Market
  readonly side: 'buy' | 'sell'
}

/**
 * Sums what left and what came, with fees: the sold amount rounded up, the bought amount down. Undefined while the
 * ledger lacks a trade.
 */
function sumTrades(
  { tradeIds, executedVolume, market, side }: Trades,
  entries: readonly unknown[],
  { currencies }: Markets,
): { readonly sold: Money; readonly bought: Money } | undefined {
  const { base, quote } = market
  const sums = { base: zero, quote: zero }
  let baseAmount = zero
  const seen = { base: new Set<string>(), quote: new Set<string>() }
  // The volume and each entry are rounded to their decimals.
  let tolerance: Decimal = { digits: 1n, places: executedVolume.places }
  for (const entry of entries) {
    const trade = readText(entry, 'refid') ?? ''
    const currency = currencies.get(readText(entry, 'asset') ?? '')
    if (!tradeIds.includes(trade) || (currency !== base && currency !== quote)) continue
    const amount = readDecimal(readText(entry, 'amount'))
    const fee = readDecimal(readText(entry, 'fee'))
    if (!amount || !fee) return undefined
    const member = currency === base ? 'base' : 'quote'
    sums[member] = addDecimals(sums[member], addDecimals(amount, negate(fee)))
    seen[member].add(trade)
    if (member === 'quote') continue
    baseAmount = addDecimals(baseAmount, amount)
    tolerance = addDecimals(tolerance, { digits: 1n, places: amount.places })
  }
  const isComplete = tradeIds.length > 0 && tradeIds.every((id) => seen.base.has(id) && seen.quote.has(id))
  const volume = side === 'sell' ? negate(baseAmount) : baseAmount
  const difference = addDecimals(volume, negate(executedVolume))
  const distance = difference.digits < 0n ? negate(difference) : difference
  if (!isComplete || compareDecimals(distance, tolerance) > 0) return undefined
  const [soldCurrency, boughtCurrency] = side === 'sell' ? [base, quote] : [quote, base]
  const [soldSum, boughtSum] = side === 'sell' ? [sums.base, sums.quote] : [sums.quote, sums.base]
  return {
    sold: money(soldCurrency, toMinor(negate(soldSum), soldCurrency, 'up')),
    bought: money(boughtCurrency, toMinor(boughtSum, boughtCurrency, 'down')),
  }
}
