import type { Quote } from '@tern/contract/exchange'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import type { BarLines } from '../../app/OrderForm.tsx'
import { formatBig, formatExact } from '../../ui/money/exact-amount.ts'
import type { Swap } from './use-swap.ts'

type SwapState = Pick<Swap, 'live' | 'isTyped' | 'shortfallText' | 'available'> & {
  values: Pick<Swap['values'], 'from' | 'to'>
  /** Last price of this pair, shown dimmed while the next one loads. */
  lastQuote: Quote | undefined
}

const describeGain = (quote: Quote) => texts.bar.youGet(formatBig(quote.target_amount, quote.target_currency))
const describeTotal = (quote: Quote) => texts.bar.totalToPay(formatExact(quote.total, quote.fee_currency))

/** Action bar of an exchange: both amounts, or the missing input. */
export function swapBar({ live, isTyped, shortfallText, available, values, lastQuote }: SwapState): BarLines {
  const { from } = values
  const detail = texts.available(formatExact(available, from))
  if (shortfallText !== undefined) return { title: texts.bar.notEnough(from), detail }
  if (!isTyped) return { title: texts.bar.enterAmount, detail }
  if (live.failure) return { title: texts.noPrice, detail: texts.bar.nothingTaken }
  if (live.priced) return { title: describeGain(live.priced.quote), detail: describeTotal(live.priced.quote) }
  return {
    title: lastQuote ? describeGain(lastQuote) : texts.bar.pricing,
    detail: lastQuote && texts.bar.updating,
    isBusy: true,
  }
}

/** The same lines for the review, with the total first. */
export const reviewBar = (quote: Quote): BarLines => ({ title: describeTotal(quote), detail: describeGain(quote) })
