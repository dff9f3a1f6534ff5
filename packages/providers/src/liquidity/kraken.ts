import { type CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import { readList, readSafeInteger } from '../json.ts'
import type { UnknownOutcome } from '../outcome.ts'
import { compareDecimals, formatVolume, readDecimal, zero } from './kraken-decimals.ts'
import { createKrakenHttp, type KrakenHttp, type KrakenSettings, toUnknown } from './kraken-http.ts'
import { type Market, type Markets, readMarkets } from './kraken-markets.ts'
import { findStoredOrder, readOrder } from './kraken-orders.ts'
import { createKrakenSetup } from './kraken-setup.ts'
import type { LiquidityOrder, LiquidityProvider, LiquidityResult } from './port.ts'

/** Seconds after which Kraken drops an order that is still on its way. Less than the pause before it is placed again. */
const deadlineSeconds = 10
const marketsLifetimeMs = 3_600_000

interface Ticket {
  readonly market: Market
  readonly side: 'buy' | 'sell'
  /** In the base currency of a sale, in the quote currency of a purchase. */
  readonly volume: string
}

/** Returns the market, side and volume that sell an amount; a sentence if Kraken cannot trade it. */
function planOrder(sell: Money, buy: CurrencyCode, { markets }: Markets): Ticket | string {
  const pair = `${sell.currency} and ${buy}`
  const market = markets.find(({ base, quote }) => [base, quote].includes(sell.currency) && [base, quote].includes(buy))
  if (!market) return `Kraken has no market between ${pair}`
  if (market.status !== 'online') return `Kraken's market between ${pair} is in state ${market.status}`
  const isSale = market.base === sell.currency
  const volume = formatVolume(sell.minor, sell.currency, isSale ? market.baseDecimals : market.quoteDecimals)
  const least = isSale ? market.minVolume : market.minCost
  const amount = readDecimal(volume) ?? zero
  if (amount.digits === 0n || compareDecimals(amount, least) < 0)
    return `${volume} ${sell.currency} is too little to trade`
  return { market, side: isSale ? 'sell' : 'buy', volume }
}

/** Errors that say for certain that an order was not placed, and never will be. */
const refusal = /^(EOrder:|EGeneral:Invalid arguments|EGeneral:Permission denied|EQuery:Unknown asset pair|ETrade:)/
/** Errors among them that a later attempt may not meet, or that another order with the same id may cause. */
const passing = /rate limit|limit exceeded|duplicate|already|cl_ord_id|deadline|timeout|internal|unavailable|busy/i

/** Places an order that Kraken does not have. The fee is taken from what is bought, so no more than ordered is sold. */
async function addOrder(
  { call }: KrakenHttp,
  id: string,
  { market, side, volume }: Ticket,
  deadline: Date,
): Promise<LiquidityResult> {
  const answer = await call('AddOrder', {
    ordertype: 'market',
    type: side,
    pair: market.name,
    volume,
    oflags: side === 'sell' ? 'fciq' : 'viqc,fcib',
    cl_ord_id: id,
    deadline: deadline.toISOString(),
  })
  if (answer.status === 'failed') {
    const { errors } = answer
    const isRefused = errors.every((error) => refusal.test(error) && !passing.test(error))
    return isRefused ? { status: 'rejected', reason: errors.join(', ') } : toUnknown(answer)
  }
  if (answer.status !== 'answered') return toUnknown(answer)
  const [reference] = readList(answer.result, 'txid') ?? []
  if (typeof reference === 'string' && reference !== '') return { status: 'working', reference }
  return { status: 'unknown', reason: 'Kraken AddOrder: has no order id' }
}

/** Reads the time until which an order may be accepted, by Kraken's clock. */
async function readDeadline({ ask }: KrakenHttp): Promise<Date | UnknownOutcome> {
  const answer = await ask('Time')
  if (answer.status !== 'answered') return toUnknown(answer)
  const seconds = readSafeInteger(answer.result, 'unixtime')
  if (seconds === undefined) return { status: 'unknown', reason: 'Kraken Time: has no time' }
  return new Date((seconds + deadlineSeconds) * 1000)
}

/**
 * Market orders at Kraken's spot exchange. Kraken refuses a repeated `cl_ord_id` only while the first order is open.
 * So an order is placed only if Kraken has none with its id, and with a deadline that ends before anyone looks again.
 * https://docs.kraken.com/api-reference/trading/add-order and /exchange/guides/general/clordid
 */
export function createKrakenLiquidityProvider(settings: KrakenSettings): LiquidityProvider {
  const http = createKrakenHttp(settings)
  let known: { readonly markets: Markets; readonly at: number } | undefined

  async function loadMarkets(): Promise<Markets | UnknownOutcome> {
    if (known && performance.now() - known.at < marketsLifetimeMs) return known.markets
    const markets = await readMarkets(http)
    if (markets.status === 'known') known = { markets, at: performance.now() }
    return markets
  }

  async function find(id: string): Promise<LiquidityResult | { readonly status: 'not_found' }> {
    const markets = await loadMarkets()
    if (markets.status !== 'known') return markets
    const stored = await findStoredOrder(http, id)
    return 'status' in stored ? stored : readOrder(http, stored, markets)
  }

  async function place({ id, sell, buy }: LiquidityOrder): Promise<LiquidityResult> {
    const markets = await loadMarkets()
    if (markets.status !== 'known') return markets
    const deadline = await readDeadline(http)
    if (!(deadline instanceof Date)) return deadline
    const earlier = await find(id)
    if (earlier.status !== 'not_found') return earlier
    const ticket = planOrder(sell, buy, markets)
    if (typeof ticket === 'string') return { status: 'rejected', reason: ticket }
    const placed = await addOrder(http, id, ticket, deadline)
    if (placed.status !== 'working') return placed
    const current = await find(id)
    return current.status === 'filled' || current.status === 'rejected' ? current : placed
  }

  return { name: 'kraken', place, find, setup: createKrakenSetup(http, loadMarkets) }
}
