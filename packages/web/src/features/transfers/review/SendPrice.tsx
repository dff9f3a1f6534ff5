import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { PriceSheet } from '../../../app/orders/PriceSheet.tsx'
import { averageBankCost } from './bank-cost.ts'

/** The price of a transfer, beside what an average bank would take for it. */
export function SendPrice({ live, heading }: { live: LiveQuote; heading: string }) {
  const quote = live.status === 'ready' ? live.priced.quote : undefined
  const bankCost = quote && averageBankCost(quote)
  return (
    <PriceSheet
      scaleBar
      heading={heading}
      live={live}
      empty={<EmptyState illustration="arcs" title={transfers.priceTitle} text={transfers.priceText} />}
    >
      {quote && bankCost && (
        <>
          <p>{prices.bankCost(formatExact(bankCost, quote.source_currency))}</p>
          <p className="tiny faint">{prices.bankSource}</p>
        </>
      )}
    </PriceSheet>
  )
}
