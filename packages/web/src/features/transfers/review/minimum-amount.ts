import type { Quote } from '@tern/contract/exchange'
import { defaultMinimum } from '@tern/money/minimum-target'
import { compare, parseDecimal, toDecimal } from '@tern/money/money'
import { parseAmount, plainAmount } from '../../../app/orders/amount.ts'
import type { FundingSource } from './payment-source.ts'

type QuoteCurrencies = Pick<Quote, 'source_currency' | 'target_currency'>

/**
 * Checks whether the shown price is an estimate: a bank payment takes days, and its conversion is priced on arrival.
 */
export const isPricedOnArrival = (source: FundingSource['source'], quote: QuoteCurrencies): boolean =>
  source === 'bank' && quote.source_currency !== quote.target_currency

/** Minimum received, as a decimal string; undefined if the price is final. */
export function computeMinimum(
  { source, least }: FundingSource,
  quote: QuoteCurrencies & Pick<Quote, 'target_amount'>,
) {
  if (!isPricedOnArrival(source, quote)) return undefined
  return least === undefined
    ? toDecimal(defaultMinimum(parseDecimal(quote.target_currency, quote.target_amount)))
    : plainAmount(least)
}

/** Checks that a minimum is a valid amount and not above the estimate. */
export function isMinimumPossible(
  least: string,
  { target_currency: currency, target_amount: estimate }: Pick<Quote, 'target_currency' | 'target_amount'>,
): boolean {
  const amount = parseAmount(currency, least)
  return amount !== undefined && compare(amount, parseDecimal(currency, estimate)) <= 0
}
