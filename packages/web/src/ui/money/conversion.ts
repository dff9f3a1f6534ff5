import type { Transaction } from '@tern/contract/transactions'
import { bridgeCurrency } from '@tern/money/currency'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { divide, parseRatio, type Ratio, toDecimalPlaces } from '@tern/money/ratio'
import type { Leg } from './ConversionFlow.tsx'

const rateDecimals = 12
/** Amounts are whole minor units, so a rate worked out from them is exact only so far: what is 1 within this reads 1. */
const trustedDecimals = 5

const write = (rate: Ratio): string =>
  /^1\.0*$/.test(toDecimalPlaces(rate, trustedDecimals)) ? '1' : toDecimalPlaces(rate, rateDecimals)

type Way = Pick<
  Transaction,
  'source_amount' | 'source_currency' | 'target_amount' | 'target_currency' | 'stablecoin_amount' | 'rate'
>

/** What is said of each stop of the money. */
interface Captions {
  readonly first: string
  readonly between: string
  readonly last: string
  /** What the person pays in all, a decimal string: it takes the place of the amount that is exchanged. */
  readonly paid?: string | undefined
}

/** The stops of the money with what happens there, and the rate of each arc between them, for showing. */
export function conversionFlow(way: Way, captions: Captions) {
  const { source_currency: source, target_currency: target, stablecoin_amount: stablecoin, rate } = way
  const first: Leg = { amount: captions.paid ?? way.source_amount, currency: source, caption: captions.first }
  const last: Leg = { amount: way.target_amount, currency: target, caption: captions.last }
  const whole = rate === null || source === target ? '1' : rate
  if (stablecoin === null || source === bridgeCurrency || target === bridgeCurrency) {
    return { legs: [first, last] as const, rates: [whole] }
  }
  const middle: Leg = { amount: stablecoin, currency: bridgeCurrency, caption: captions.between }
  const intoBridge = divide(parseRatio(stablecoin), parseRatio(way.source_amount))
  const rates = [write(intoBridge), write(divide(parseRatio(whole), intoBridge))]
  return { legs: [first, middle, last] as const, rates }
}

/** What the person paid in all, the fee included; undefined when there was no fee on top. */
export function totalOf({ source_amount, source_currency, fee, fee_currency }: Transaction): string | undefined {
  if (fee_currency !== source_currency) return undefined
  return toDecimal(add(parseDecimal(source_currency, source_amount), parseDecimal(source_currency, fee)))
}
