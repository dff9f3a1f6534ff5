import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Quote } from '@tern/contract/exchange'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { type Ratio, ratio, toDecimalPlaces, toRateText } from '@tern/money/ratio'
import { computeSpread } from '@tern/contract/prices/recompute'
import { wireId } from '../../platform/ids.ts'
import { createSeal, toRing, type Secret } from '../../platform/seal.ts'
import type { Price, PriceRequest } from './price.ts'
import type { PairRate } from './rates/pair-rate.ts'
import type { FixIds, ReferenceRate } from './rates/reference-rate.ts'

export const quoteLifetimeMs = 5 * 60_000

/** Sources of a price's rate, so that it can be verified later. */
export interface RateEvidence extends Pick<PairRate, 'sources' | 'asOf' | 'fixIds' | 'reference'> {
  /** Fixes behind the US dollar value of each currency in the price. */
  readonly valueFixIds: FixIds
}

/** Price with its user, evidence and validity, before it is stored as a quote. */
export interface QuotedPrice {
  readonly id: string
  readonly userId: bigint
  readonly recipientId: bigint | undefined
  readonly request: PriceRequest
  readonly price: Price
  readonly evidence: RateEvidence
  readonly createdAt: Date
  /** Validity in milliseconds; defaults to `quoteLifetimeMs`. */
  readonly lifetimeMs?: number | undefined
}

export const computeExpiry = ({
  createdAt,
  lifetimeMs = quoteLifetimeMs,
}: Pick<QuotedPrice, 'createdAt' | 'lifetimeMs'>) => new Date(createdAt.getTime() + lifetimeMs)

// Signatures cover sorted members, since `jsonb` does not keep their order.
function sortMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortMembers)
  return Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, sortMembers(member)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Purpose of the keys that sign quotes; those of rotated secrets are retained to prove old quotes. */
export const quoteKeyPurpose = 'exchange/quote'

/**
 * Signs and verifies the terms of quotes, with keys derived from the product's secrets. `retainedKeys` are the keys of
 * rotated secrets.
 */
export function createQuoteSigner(secret: Secret, retainedKeys: readonly Buffer[] = []) {
  const seal = createSeal(secret, quoteKeyPurpose)
  const retainedSeal = createSeal(secret, quoteKeyPurpose, retainedKeys)
  // Keys of an earlier derivation, which signed older quotes.
  const legacyKeys = toRing(secret).map((key) => Buffer.from(hkdfSync('sha256', key, '', 'tern quote', 32)))
  const canonical = (locked_price: QuoteTerms) => JSON.stringify(sortMembers(locked_price))
  const isSigned = (text: string, signature: Buffer, ownHashes: readonly Buffer[]) =>
    [...ownHashes, ...legacyKeys.map((key) => createHmac('sha256', key).update(text).digest())].some(
      (hash) => signature.length === hash.length && timingSafeEqual(signature, hash),
    )
  return {
    /** Signs with the key of the newest secret. */
    sign: (locked_price: QuoteTerms) => seal.fingerprint(canonical(locked_price)),
    /** Returns whether a current key signed these terms. */
    isAuthentic(locked_price: QuoteTerms, signature: Buffer): boolean {
      const text = canonical(locked_price)
      return isSigned(text, signature, seal.fingerprints(text))
    },
    /** Returns whether a current key or the key of a rotated secret signed these terms. */
    wasAuthentic(locked_price: QuoteTerms, signature: Buffer): boolean {
      const text = canonical(locked_price)
      return isSigned(text, signature, retainedSeal.fingerprints(text))
    },
  }
}

export type QuoteSigner = ReturnType<typeof createQuoteSigner>

/** Stored form of a price, with every number as a decimal text so that no precision is lost. */
export interface PriceText {
  readonly route: Price['route']
  readonly sourceCurrency: CurrencyCode
  readonly source: string
  readonly targetCurrency: CurrencyCode
  readonly target: string
  readonly inflow: string | null
  readonly outflow: string | null
  readonly rate: readonly [string, string]
  /** Absent in older prices, which had no spread. */
  readonly midMarketRate?: readonly [string, string]
  readonly spreadPartsPerMillion?: string
  readonly feeBasisPoints: string
  readonly fee: string
  readonly usdMinor: string
  readonly costPartsPerMillion: string
}

/** Terms of a quote as stored and signed. */
export interface QuoteTerms extends PriceText {
  readonly id: string
  readonly user: string
  readonly recipient: string | null
  readonly expiresAt: string
  readonly ratesAsOf: string
  /** Absent in older quotes. */
  readonly rateSources?: readonly string[]
  readonly rateFixIds?: readonly string[]
  /** Absent in older quotes, whose price cannot be recomputed. */
  readonly valueFixIds?: FixIds
  /** Null within one currency, or if the ECB's rates did not cover the pair; absent in older quotes. */
  readonly reference?: StoredReference | null
  readonly side: 'source' | 'target'
  readonly useStablecoin: boolean
}

interface StoredReference {
  readonly rate: readonly [string, string]
  readonly asOf: string
  readonly fixIds: FixIds
}

const serializeRatio = ({ numerator, denominator }: Ratio): [string, string] => [
  numerator.toString(),
  denominator.toString(),
]

const parseStoredRatio = ([numerator, denominator]: readonly [string, string]): Ratio =>
  ratio(BigInt(numerator), BigInt(denominator))

/** Returns the stored form of a price, which `readPrice` reads. */
export const priceText = (price: Price): PriceText => ({
  route: price.route,
  sourceCurrency: price.source.currency,
  source: toDecimal(price.source),
  targetCurrency: price.target.currency,
  target: toDecimal(price.target),
  inflow: price.crossing ? toDecimal(price.crossing.inflow) : null,
  outflow: price.crossing ? toDecimal(price.crossing.outflow) : null,
  rate: serializeRatio(price.rate),
  midMarketRate: serializeRatio(price.midMarketRate),
  spreadPartsPerMillion: price.spreadPartsPerMillion.toString(),
  feeBasisPoints: price.feeBasisPoints.toString(),
  fee: toDecimal(price.fee),
  usdMinor: price.usdMinor.toString(),
  costPartsPerMillion: price.costPartsPerMillion.toString(),
})

const referenceText = ({ rate, asOf, fixIds }: ReferenceRate): StoredReference => ({
  rate: serializeRatio(rate),
  asOf: asOf.toISOString(),
  fixIds,
})

/** Returns the terms of a quote in their stored form. */
export function toLockedPrice(quotedPrice: QuotedPrice): QuoteTerms {
  const { id, userId, recipientId, request, price, evidence } = quotedPrice
  return {
    id,
    user: userId.toString(),
    recipient: recipientId?.toString() ?? null,
    expiresAt: computeExpiry(quotedPrice).toISOString(),
    ratesAsOf: evidence.asOf.toISOString(),
    rateSources: evidence.sources,
    rateFixIds: evidence.fixIds,
    valueFixIds: evidence.valueFixIds,
    reference: evidence.reference ? referenceText(evidence.reference) : null,
    side: request.side,
    useStablecoin: request.useStablecoin,
    ...priceText(price),
  }
}

/** Returns the price request behind stored terms, so that it can be priced again. */
export function readPriceRequest(locked_price: QuoteTerms): PriceRequest {
  const { sourceCurrency, targetCurrency, side, useStablecoin } = locked_price
  const amount =
    side === 'source'
      ? parseDecimal(sourceCurrency, locked_price.source)
      : parseDecimal(targetCurrency, locked_price.target)
  return { amount, side, sourceCurrency, targetCurrency, useStablecoin }
}

export function readPrice(locked_price: PriceText): Price {
  const source = parseDecimal(locked_price.sourceCurrency, locked_price.source)
  const fee = parseDecimal(locked_price.sourceCurrency, locked_price.fee)
  const inflow = locked_price.inflow === null ? undefined : parseDecimal(bridgeCurrency, locked_price.inflow)
  const outflow = locked_price.outflow === null ? undefined : parseDecimal(bridgeCurrency, locked_price.outflow)
  return {
    route: locked_price.route,
    source,
    target: parseDecimal(locked_price.targetCurrency, locked_price.target),
    crossing: inflow && outflow && { inflow, outflow, residue: money(bridgeCurrency, inflow.minor - outflow.minor) },
    rate: parseStoredRatio(locked_price.rate),
    midMarketRate: parseStoredRatio(locked_price.midMarketRate ?? locked_price.rate),
    spreadPartsPerMillion: BigInt(locked_price.spreadPartsPerMillion ?? 0),
    feeBasisPoints: BigInt(locked_price.feeBasisPoints),
    fee,
    total: money(source.currency, source.minor + fee.minor),
    usdMinor: BigInt(locked_price.usdMinor),
    costPartsPerMillion: BigInt(locked_price.costPartsPerMillion),
  }
}

const conversionPaths = { same_currency: 'none', stablecoin_bridge: 'stablecoin', direct_conversion: 'direct' } as const

/** Returns a quote as its user sees it. */
export const quoteView = (quotedPrice: QuotedPrice): Quote => ({
  quote_id: quotedPrice.id,
  expires_at: computeExpiry(quotedPrice).toISOString(),
  recipient_id: quotedPrice.recipientId === undefined ? null : wireId(quotedPrice.recipientId),
  ...priceView(quotedPrice.price, quotedPrice.evidence),
})

/** Formats a price for its user; reserves nothing. */
export function priceView(
  price: Price,
  evidence: Pick<RateEvidence, 'sources' | 'asOf' | 'reference'>,
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
    spread_percent: percentText(price.spreadPartsPerMillion),
    ...referenceView(price.rate, evidence.reference),
    fee: toDecimal(price.fee),
    fee_currency: price.fee.currency,
    fee_basis_points: Number(price.feeBasisPoints), // not money: a rate of the price list
    total: toDecimal(price.total),
    total_cost_percent: percentText(price.costPartsPerMillion),
    delivery_estimate: price.target.currency === 'BTC' || price.target.currency === 'ETH' ? 'minutes' : 'seconds',
  }
}

/** Formats millionths as a percentage with two decimals, rounded half up. */
function percentText(partsPerMillion: bigint): string {
  const magnitude = partsPerMillion < 0n ? -partsPerMillion : partsPerMillion
  // Ratios are positive, so zero is formatted as the smallest one, which rounds to 0.00.
  const text = toDecimalPlaces(ratio(magnitude > 0n ? magnitude : 1n, 10_000n), 2)
  return partsPerMillion < 0n && /[1-9]/.test(text) ? `-${text}` : text
}

const referenceView = (rate: Ratio, reference: Pick<ReferenceRate, 'rate' | 'asOf'> | undefined) => ({
  reference_rate: reference ? toRateText(reference.rate) : null,
  reference_as_of: reference ? reference.asOf.toISOString() : null,
  spread_to_reference_percent: reference ? percentText(computeSpread(reference.rate, rate)) : null,
})

/** Returns the sources, spread and cost of a stored price, as its payer sees them. */
export function evidenceView(locked_price: QuoteTerms) {
  const { rateSources, ratesAsOf, reference } = locked_price
  const { rate, midMarketRate, spreadPartsPerMillion, costPartsPerMillion } = readPrice(locked_price)
  return {
    mid_market_rate: toRateText(midMarketRate),
    rate_source: sourceText({ sources: rateSources ?? [] }),
    rate_as_of: ratesAsOf,
    spread_percent: percentText(spreadPartsPerMillion),
    ...referenceView(
      rate,
      reference ? { rate: parseStoredRatio(reference.rate), asOf: new Date(reference.asOf) } : undefined,
    ),
    total_cost_percent: percentText(costPartsPerMillion),
  }
}

/** Joins the sources of a rate: `ecb`, `ecb+bitstamp`, or an empty text if no rate is needed. */
export const sourceText = ({ sources }: Pick<RateEvidence, 'sources'>): string => sources.join('+')
