import type { Quote } from '@tern/contract/exchange'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { costEntry, feeEntry, rateEntry, sourceEntry } from './price-lines.tsx'

interface SwapPriceProps {
  quote: Quote
  /** Price before renewal, if the rate has changed. */
  before: Quote | undefined
}

export function SwapPrice({ quote, before }: SwapPriceProps) {
  return (
    <DefinitionList
      small
      entries={[
        rateEntry(quote, before),
        sourceEntry(quote),
        feeEntry(quote),
        costEntry(quote),
        { term: texts.youPayInAll, value: formatExact(quote.total, quote.fee_currency), sum: true },
      ]}
    />
  )
}
