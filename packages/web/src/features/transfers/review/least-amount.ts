import type { Quote } from '@tern/contract/exchange'
import { usualLeast } from '@tern/money/least-target'
import { compare, parseDecimal, toDecimal } from '@tern/money/money'
import { amountOf, plainAmount } from '../../../app/orders/amount.ts'
import type { FundingSource } from './payment-source.ts'

type Between = Pick<Quote, 'source_currency' | 'target_currency'>

/** True where the price shown is an estimate: a bank takes days, and what it pays into another currency is priced then. */
export const isPricedLater = (source: FundingSource['source'], quote: Between): boolean =>
  source === 'bank' && quote.source_currency !== quote.target_currency

/** The least that the recipient may get, as a decimal string; undefined where the price is final. */
export function leastOf({ source, least }: FundingSource, quote: Between & Pick<Quote, 'target_amount'>) {
  if (!isPricedLater(source, quote)) return undefined
  return least === undefined
    ? toDecimal(usualLeast(parseDecimal(quote.target_currency, quote.target_amount)))
    : plainAmount(least)
}

/** True when a least amount can be ordered: it is one, and no more than is estimated. */
export function isLeastPossible(
  least: string,
  { target_currency: currency, target_amount: estimate }: Pick<Quote, 'target_currency' | 'target_amount'>,
): boolean {
  const amount = amountOf(currency, least)
  return amount !== undefined && compare(amount, parseDecimal(currency, estimate)) <= 0
}
