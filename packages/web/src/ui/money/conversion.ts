import type { Transaction } from '@tern/contract/transactions'
import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { divide, parseRatio, type Ratio, toDecimalPlaces } from '@tern/money/ratio'

/** Amount at one stage of a conversion. */
export interface Leg {
  /** Decimal string. */
  readonly amount: string
  readonly currency: string
  /** Caption of the stage: 'from you', 'on the way', 'for Lucas'. */
  readonly caption: string
}

/** Stages of a conversion, without any fee. */
export interface ConversionLegs {
  readonly from: Leg
  /** Stage in the stablecoin, with the rates to and from it as decimal strings; undefined without one. */
  readonly via?: (Leg & { readonly rates: readonly [string, string] }) | undefined
  readonly to: Leg
  /** Decimal string; undefined within one currency. */
  readonly rate: string | undefined
}

/** Minimum and maximum decimals of a rate. */
const minPlaces = 4
const maxPlaces = 12
/**
 * Decimals to which a rate derived from whole minor units is exact: a rate that is 1 to this many decimals is shown as
 * 1.
 */
const trustedDecimals = 5

/** Rate with enough decimals for `amount` times the rate to give the next amount, to the minor unit of `currency`. */
function computeRate(rate: Ratio, amount: string, currency: CurrencyCode): string {
  if (/^1\.0*$/.test(toDecimalPlaces(rate, trustedDecimals))) return '1'
  const integerDigits = amount.split('.')[0]?.length ?? 0
  const places = Math.max(minPlaces, Math.min(maxPlaces, integerDigits + scaleOf(currency)))
  return toDecimalPlaces(rate, places).replace(/(\.\d{4}\d*?)0+$/, '$1')
}

type ConvertedAmounts = Pick<
  Transaction,
  'source_amount' | 'source_currency' | 'target_amount' | 'target_currency' | 'stablecoin_amount' | 'rate'
>

interface Captions {
  readonly first: string
  readonly middle: string
  readonly end: string
}

/** Stages of a conversion and the rates between them, for display. A fee is charged on top and is in no stage. */
export function conversionFlow(amounts: ConvertedAmounts, captions: Captions): ConversionLegs {
  const { source_currency: source, target_currency: target, stablecoin_amount: stablecoin, rate } = amounts
  const from = { amount: amounts.source_amount, currency: source, caption: captions.first }
  const to = { amount: amounts.target_amount, currency: target, caption: captions.end }
  if (rate === null || source === target) return { from, to, rate: undefined }
  if (stablecoin === null || source === bridgeCurrency || target === bridgeCurrency) return { from, to, rate }
  const bridgeRate = divide(parseRatio(stablecoin), parseRatio(amounts.source_amount))
  const targetRate = divide(parseRatio(rate), bridgeRate)
  const rates = [
    computeRate(bridgeRate, amounts.source_amount, bridgeCurrency),
    computeRate(targetRate, stablecoin, target),
  ] as const
  return { from, via: { amount: stablecoin, currency: bridgeCurrency, caption: captions.middle, rates }, to, rate }
}

/** Total that the person paid, fee included; undefined if the fee was in another currency. */
export function computeTotal({ source_amount, source_currency, fee, fee_currency }: Transaction): string | undefined {
  if (fee_currency !== source_currency) return undefined
  return toDecimal(add(parseDecimal(source_currency, source_amount), parseDecimal(source_currency, fee)))
}
