import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { readObject, readSafeInteger, readText } from '../json.ts'
import type { UnknownOutcome } from '../outcome.ts'
import { type Decimal, readDecimal } from './kraken-decimals.ts'
import { type KrakenHttp, toUnknown } from './kraken-http.ts'

/** Market in which `base` is bought and sold for `quote`. */
export interface Market {
  /** Name in orders, such as XBTUSD. */
  readonly name: string
  readonly base: CurrencyCode
  readonly quote: CurrencyCode
  /** Decimals of volumes in the base and in the quote currency. */
  readonly baseDecimals: number
  readonly quoteDecimals: number
  readonly minVolume: Decimal
  readonly minCost: Decimal
  readonly status: string
}

export interface Markets {
  readonly status: 'known'
  readonly markets: readonly Market[]
  /** Our currencies by Kraken's names, such as XXBT. */
  readonly currencies: ReadonlyMap<string, CurrencyCode>
}

/**
 * Reads the markets between currencies of the product. Kraken names them XXBT or ZUSD, or briefly XBT or USD.
 * https://docs.kraken.com/api-reference/market-data/get-tradable-asset-pairs
 */
export async function readMarkets({ ask }: KrakenHttp): Promise<Markets | UnknownOutcome> {
  const [assets, pairs] = await Promise.all([ask('Assets'), ask('AssetPairs')])
  if (assets.status !== 'answered') return toUnknown(assets)
  if (pairs.status !== 'answered') return toUnknown(pairs)
  const currencies = new Map<string, CurrencyCode>()
  for (const [name, asset] of Object.entries(assets.result)) {
    const shortName = readText(asset, 'altname')
    const code = shortName === 'XBT' ? 'BTC' : (shortName ?? '')
    if (isCurrencyCode(code)) currencies.set(name, code)
  }
  const markets = Object.values(pairs.result).flatMap((pair) => readMarket(pair, currencies) ?? [])
  if (markets.length === 0) return { status: 'unknown', reason: 'Kraken has no market in currencies of ours' }
  return { status: 'known', markets, currencies }
}

function readMarket(pair: unknown, currencies: Markets['currencies']): Market | undefined {
  const name = readText(pair, 'altname')
  const base = currencies.get(readText(pair, 'base') ?? '')
  const quote = currencies.get(readText(pair, 'quote') ?? '')
  const baseDecimals = readSafeInteger(pair, 'lot_decimals')
  const minVolume = readDecimal(readText(pair, 'ordermin'))
  if (!name || !base || !quote || baseDecimals === undefined || !minVolume) return undefined
  return {
    name,
    base,
    quote,
    baseDecimals,
    quoteDecimals: readSafeInteger(pair, 'cost_decimals') ?? 0,
    minVolume,
    minCost: readDecimal(readText(pair, 'costmin')) ?? { digits: 0n, places: 0 },
    status: readText(pair, 'status') ?? 'unknown',
  }
}

/** Returns the market of an order, by the name in its description. */
export const findMarketOf = (order: unknown, { markets }: Markets): Market | undefined => {
  const name = readText(readObject(order, 'descr'), 'pair')
  return markets.find((market) => market.name === name)
}
