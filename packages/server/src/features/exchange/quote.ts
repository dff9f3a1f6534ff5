import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Quote } from '@tern/contract/exchange'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { type Ratio, ratio, toDecimalPlaces, toRateText } from '@tern/money/ratio'
import { wireId } from '../../platform/ids.ts'
import { ringOf, type Secret } from '../../platform/seal.ts'
import type { Price, PriceRequest } from './price.ts'
import type { PairRate } from './rates/rates.ts'

/** For how long a price is honoured. */
export const quoteLifetimeMs = 5 * 60_000

/** Where the rate of a price comes from. */
export type RateEvidence = Pick<PairRate, 'sources' | 'asOf' | 'fixIds'>

/** A price as it was promised: to whom, for what, until when. */
export interface QuotedPrice {
  readonly id: string
  readonly userId: bigint
  readonly recipientId: bigint | undefined
  readonly request: PriceRequest
  readonly price: Price
  readonly evidence: RateEvidence
  readonly createdAt: Date
}

export const expiryOf = (quoted: Pick<QuotedPrice, 'createdAt'>): Date =>
  new Date(quoted.createdAt.getTime() + quoteLifetimeMs)

/** Signs and checks the terms of quotes with a key that is derived from the product's secret. */
export function createQuoteSigner(secret: Secret) {
  const keys = ringOf(secret).map((each) => Buffer.from(hkdfSync('sha256', each, '', 'tern quote', 32)))
  // jsonb does not keep the order of members, so the signature is over the sorted ones.
  const canonical = (locked_price: Terms) =>
    JSON.stringify(Object.entries(locked_price).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const signatures = (locked_price: Terms) =>
    keys.map((key) => createHmac('sha256', key).update(canonical(locked_price)).digest())
  return {
    /** Under the ring's first key. */
    sign: (locked_price: Terms) => signatures(locked_price)[0],
    /** Whether any key of the ring signed these terms. */
    isAuthentic: (locked_price: Terms, signature: Buffer) =>
      signatures(locked_price).some((own) => timingSafeEqual(signature, own)),
  }
}

/** A price as it is stored: decimal texts only, so that nothing is lost on the way. */
export interface PriceText {
  readonly route: Price['route']
  readonly sourceCurrency: CurrencyCode
  readonly source: string
  readonly targetCurrency: CurrencyCode
  readonly target: string
  readonly inflow: string | null
  readonly outflow: string | null
  readonly rate: readonly [string, string]
  /** Both are missing in prices stored before there were spreads. */
  readonly midMarketRate?: readonly [string, string]
  readonly spreadPartsPerMillion?: string
  readonly feeBasisPoints: string
  readonly fee: string
  readonly usdMinor: string
  readonly costPartsPerMillion: string
}

/** What was promised to whom until when, as it is stored and signed. */
export interface Terms extends PriceText {
  readonly id: string
  readonly user: string
  readonly recipient: string | null
  readonly expiresAt: string
  readonly ratesAsOf: string
  /** Missing in quotes stored before rates were. */
  readonly rateSources?: readonly string[]
  readonly rateFixIds?: readonly string[]
  readonly side: 'source' | 'target'
  readonly useStablecoin: boolean
}

const textOf = ({ numerator, denominator }: Ratio): [string, string] => [numerator.toString(), denominator.toString()]

const ratioOf = ([numerator, denominator]: readonly [string, string]): Ratio =>
  ratio(BigInt(numerator), BigInt(denominator))

/** A price in its stored spelling; `priceFrom` reads it. */
export const priceText = (price: Price): PriceText => ({
  route: price.route,
  sourceCurrency: price.source.currency,
  source: toDecimal(price.source),
  targetCurrency: price.target.currency,
  target: toDecimal(price.target),
  inflow: price.crossing ? toDecimal(price.crossing.inflow) : null,
  outflow: price.crossing ? toDecimal(price.crossing.outflow) : null,
  rate: textOf(price.rate),
  midMarketRate: textOf(price.midMarketRate),
  spreadPartsPerMillion: price.spreadPartsPerMillion.toString(),
  feeBasisPoints: price.feeBasisPoints.toString(),
  fee: toDecimal(price.fee),
  usdMinor: price.usdMinor.toString(),
  costPartsPerMillion: price.costPartsPerMillion.toString(),
})

/** The terms of a quote in their stored spelling. */
export function lockedPriceOf(quoted: QuotedPrice): Terms {
  const { id, userId, recipientId, request, price, evidence } = quoted
  return {
    id,
    user: userId.toString(),
    recipient: recipientId?.toString() ?? null,
    expiresAt: expiryOf(quoted).toISOString(),
    ratesAsOf: evidence.asOf.toISOString(),
    rateSources: evidence.sources,
    rateFixIds: evidence.fixIds,
    side: request.side,
    useStablecoin: request.useStablecoin,
    ...priceText(price),
  }
}

/** What was asked for, to price it again. */
export function requestFrom(locked_price: Terms): PriceRequest {
  const { sourceCurrency, targetCurrency, side, useStablecoin } = locked_price
  const amount =
    side === 'source'
      ? parseDecimal(sourceCurrency, locked_price.source)
      : parseDecimal(targetCurrency, locked_price.target)
  return { amount, side, sourceCurrency, targetCurrency, useStablecoin }
}

/** The price that was promised. */
export function priceFrom(locked_price: PriceText): Price {
  const source = parseDecimal(locked_price.sourceCurrency, locked_price.source)
  const fee = parseDecimal(locked_price.sourceCurrency, locked_price.fee)
  const inflow = locked_price.inflow === null ? undefined : parseDecimal(bridgeCurrency, locked_price.inflow)
  const outflow = locked_price.outflow === null ? undefined : parseDecimal(bridgeCurrency, locked_price.outflow)
  return {
    route: locked_price.route,
    source,
    target: parseDecimal(locked_price.targetCurrency, locked_price.target),
    crossing: inflow && outflow && { inflow, outflow, residue: money(bridgeCurrency, inflow.minor - outflow.minor) },
    rate: ratioOf(locked_price.rate),
    midMarketRate: ratioOf(locked_price.midMarketRate ?? locked_price.rate),
    spreadPartsPerMillion: BigInt(locked_price.spreadPartsPerMillion ?? 0),
    feeBasisPoints: BigInt(locked_price.feeBasisPoints),
    fee,
    total: money(source.currency, source.minor + fee.minor),
    usdMinor: BigInt(locked_price.usdMinor),
    costPartsPerMillion: BigInt(locked_price.costPartsPerMillion),
  }
}

const conversionPaths = { same_currency: 'none', stablecoin_bridge: 'stablecoin', direct_conversion: 'direct' } as const

/** The quote as its user reads it. */
export const quoteView = (quoted: QuotedPrice): Quote => ({
  quote_id: quoted.id,
  expires_at: expiryOf(quoted).toISOString(),
  recipient_id: quoted.recipientId === undefined ? null : wireId(quoted.recipientId),
  ...priceView(quoted.price, quoted.evidence),
})

/** A price as people read it, without any promise to keep it. */
export function priceView(
  price: Price,
  evidence: Omit<RateEvidence, 'fixIds'>,
): Omit<Quote, 'quote_id' | 'expires_at' | 'recipient_id'> {
  return {
    source_currency: price.source.currency,
    target_currency: price.target.currency,
    source_amount: toDecimal(price.source),
    target_amount: toDecimal(price.target),
    stablecoin_amount: price.crossing ? toDecimal(price.crossing.inflow) : null,
    conversion_path: conversionPaths[price.route],
    rate: toRateText(price.rate),
    mid_market_rate: toRateText(price.midMarketRate),
    rate_source: sourceText(evidence),
    rate_as_of: evidence.asOf.toISOString(),
    spread_percent: toDecimalPlaces(percentOf(price.spreadPartsPerMillion), 2),
    fee: toDecimal(price.fee),
    fee_currency: price.fee.currency,
    fee_basis_points: Number(price.feeBasisPoints), // not money: a rate of the price list
    total: toDecimal(price.total),
    total_cost_percent: toDecimalPlaces(percentOf(price.costPartsPerMillion), 2),
    delivery_estimate: price.target.currency === 'BTC' || price.target.currency === 'ETH' ? 'minutes' : 'seconds',
  }
}

// A ratio is positive; nothing is shown as the smallest one there is, which rounds to 0.00.
const percentOf = (partsPerMillion: bigint) => ratio(partsPerMillion > 0n ? partsPerMillion : 1n, 10_000n)

/** The sources of a rate in one text: `ecb`, `ecb+bitstamp`, or empty where no rate is needed. */
export const sourceText = ({ sources }: Pick<RateEvidence, 'sources'>): string => sources.join('+')
