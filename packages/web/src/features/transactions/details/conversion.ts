import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { currencyOf } from '@tern/money/currency'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { divide, parseRatio, type Ratio, ratio, toDecimalPlaces } from '@tern/money/ratio'
import type { Leg } from '../../../ui/money/ConversionFlow.tsx'

const rateDecimals = 8
/** Amounts are whole minor units, so a rate worked out from them is exact only so far: what is 1 within this reads 1. */
const trustedDecimals = 5

export interface Conversion {
  readonly legs: readonly [Leg, Leg] | readonly [Leg, Leg, Leg]
  /** One for each arc, as decimals. */
  readonly rates: readonly string[]
}

const isAboutOne = (rate: Ratio): boolean => /^1\.0*$/.test(toDecimalPlaces(rate, trustedDecimals))

/** The way the money went from one currency to the other, or undefined when it stayed in one. */
export function conversionOf(transaction: Transaction): Conversion | undefined {
  const { source_currency: source, target_currency: target, rate, stablecoin_amount: stablecoin } = transaction
  if (source === target || rate === null) return undefined
  const received = transaction.transaction_type === 'RECEIVE'
  const first = {
    amount: transaction.source_amount,
    currency: source,
    caption: received ? texts.sent : texts.leavesYou,
  }
  const last = {
    amount: transaction.target_amount,
    currency: target,
    caption: received ? texts.reachesYou : texts.arrives,
  }
  if (stablecoin === null || source === 'USDT' || target === 'USDT') return { legs: [first, last], rates: [rate] }
  const sourceMinor = parseDecimal(source, transaction.source_amount).minor
  const stablecoinMinor = parseDecimal('USDT', stablecoin).minor
  const toStablecoin = ratio(
    stablecoinMinor * 10n ** BigInt(currencyOf(source).scale),
    sourceMinor * 10n ** BigInt(currencyOf('USDT').scale),
  )
  const rates = [toStablecoin, divide(parseRatio(rate), toStablecoin)]
  return {
    legs: [first, { amount: stablecoin, currency: 'USDT', caption: texts.crosses }, last],
    rates: rates.map((each) => (isAboutOne(each) ? '1' : toDecimalPlaces(each, rateDecimals))),
  }
}

/** What the person paid in all, the fee included; undefined when there was no fee on top. */
export function totalOf({ source_amount, source_currency, fee, fee_currency }: Transaction): string | undefined {
  if (fee_currency !== source_currency) return undefined
  return toDecimal(add(parseDecimal(source_currency, source_amount), parseDecimal(source_currency, fee)))
}
