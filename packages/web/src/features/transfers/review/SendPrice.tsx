import type { Quote } from '@tern/contract/exchange'
import { isFiatCode } from '@tern/money/currency'
import { averageBankBasisPoints, computeFee } from '@tern/money/fee'
import { parseDecimal, toDecimal } from '@tern/money/money'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { PriceSheet } from '../../../app/orders/PriceSheet.tsx'

/** Price of a transfer, beside that of an average bank. */
export function SendPrice({ live, heading }: { live: LiveQuote; heading: string }) {
  const quote = live.priced?.quote
  const bankCost = quote && averageBankCost(quote)
  return (
    <PriceSheet
      scaleBar
      isQuiet
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

/**
 * Price of an average bank for the same transfer, as a decimal string in the source currency rounded half up. Undefined
 * within one currency and for cryptocurrency, which the average does not cover.
 */
export function averageBankCost(quote: Pick<Quote, 'source_amount' | 'source_currency' | 'target_currency'>) {
  const { source_currency: source, target_currency: target } = quote
  if (source === target || !isFiatCode(source) || !isFiatCode(target)) return undefined
  return toDecimal(computeFee(parseDecimal(source, quote.source_amount), averageBankBasisPoints))
}
