import type { Quote } from '@tern/contract/exchange'
import { prices } from '#messages/prices.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'

/** Says in words what a renewed price changed for `name`. */
export function priceChange(before: Quote, now: Quote, name: string): string {
  const sentences: string[] = []
  if (before.target_amount !== now.target_amount) {
    const write = (quote: Quote) => formatExact(quote.target_amount, quote.target_currency)
    sentences.push(prices.changed(name, write(now), write(before)))
  }
  if (before.total !== now.total) {
    const write = (quote: Quote) => formatExact(quote.total, quote.fee_currency)
    sentences.push(prices.changedTotal(write(now), write(before)))
  }
  return sentences.join(' ') || prices.unchanged
}
