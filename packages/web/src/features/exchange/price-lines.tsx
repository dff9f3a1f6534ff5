import '../../css/price-lines.css'
import type { Quote } from '@tern/contract/exchange'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { prices } from '#messages/prices.ts'
import { describeQuoteSource } from '../../app/rates/rate-source.ts'
import { formatDecimalPercent } from '../../app/rates/rate-text.ts'
import type { Definition } from '../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatPercent } from '../../ui/money/percent.ts'
import { formatRate, formatRateLine } from '../../ui/money/rates.ts'

export const rateLine = (quote: Quote) => formatRateLine(quote.rate, quote.source_currency, quote.target_currency)

/** Rate, preceded by the rate of the quote `before`, struck out. */
export function rateEntry(quote: Quote, before?: Quote): Definition {
  return {
    term: texts.rate,
    value: (
      <>
        {before && <s className="font-normal me-1.5 text-ink-3">{formatRate(before.rate)}</s>}
        {rateLine(quote)}
      </>
    ),
  }
}

export function sourceEntry(quote: Quote): Definition {
  const { name, published } = describeQuoteSource(quote)
  return {
    term: texts.source,
    value: (
      <>
        {name}
        <small className="font-normal text-tiny block text-ink-3">{published}</small>
      </>
    ),
  }
}

export const feeEntry = (quote: Quote): Definition => ({
  term: prices.fee(formatPercent(quote.fee_basis_points)),
  value: formatExact(quote.fee, quote.fee_currency),
})

/** Fee, spread and rounding together, in percent of the amount. */
export const costEntry = (quote: Quote): Definition => ({
  term: texts.totalCost,
  value: formatDecimalPercent(quote.total_cost_percent),
})
