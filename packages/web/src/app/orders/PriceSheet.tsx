import type { Quote } from '@tern/contract/exchange'
import type { ReactNode } from 'react'
import { prices } from '#messages/prices.ts'
import type { LiveQuote } from './quotes.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { maxBigPlaces, exactPlaces, formatBig, formatExact } from '../../ui/money/exact-amount.ts'
import { formatTime } from '../../ui/format/format.ts'
import { Figure } from '../../ui/money/Figure.tsx'
import { formatRateLine } from '../../ui/money/rates.ts'
import { formatPercent } from '../../ui/money/percent.ts'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'

interface PriceSheetProps {
  /** 'Lucas gets' or 'You get'. */
  heading: string
  live: LiveQuote
  /** Content shown while there is nothing to price. */
  empty: ReactNode
  scaleBar?: boolean | undefined
  /** The page shows the price elsewhere, with its own retry button. */
  isQuiet?: boolean | undefined
  /** Name of the sum; 'Total to pay' by default. */
  totalTerm?: string | undefined
  children?: ReactNode
}

/** Full price of a movement: the arriving amount in large type, then amount, rate, fee, total and delivery. */
export function PriceSheet({ heading, live, empty, scaleBar, isQuiet, totalTerm, children }: PriceSheetProps) {
  const { isLoading, failure } = live
  const quote = live.priced?.quote
  // An amount with too many digits for large type is shown in full in the list below.
  const bigAmount = quote ? formatBig(quote.target_amount, quote.target_currency) : ''
  return (
    <Sheet scaleBar={scaleBar}>
      {!isQuiet && (
        <p className="visually-hidden" role="status">
          {isLoading && prices.loading}
          {quote && prices.summary(heading, formatTarget(quote), formatExact(quote.total, quote.fee_currency))}
        </p>
      )}
      {!quote && !isLoading && !failure && empty}
      {failure && (
        <ErrorState title={prices.failedTitle} text={failure.text} onRetry={isQuiet ? undefined : failure.retry} />
      )}
      {isLoading && <PriceSkeleton heading={heading} />}
      {quote && (
        <Figure
          caption={heading}
          amount={bigAmount}
          className={bigAmount.length > 13 && 'text-[28px]'}
          entries={priceEntries(quote, undefined, totalTerm)}
        >
          <div className="small muted mt-4 grid gap-2">
            <p>
              {quote.conversion_path === 'none' ? prices.inOneCurrency : prices.rateFrom(formatTime(quote.rate_as_of))}
            </p>
            {children}
          </div>
        </Figure>
      )}
    </Sheet>
  )
}

const formatTarget = (quote: Quote) => formatExact(quote.target_amount, quote.target_currency)

/** Lines of a price for preview and review. `delivery` replaces the quote's own estimate; `totalTerm` names the sum. */
export const priceEntries = (quote: Quote, delivery?: string, totalTerm: string = prices.total) => [
  exactPlaces(quote.target_amount, quote.target_currency) > maxBigPlaces && {
    term: prices.exactly,
    value: formatExact(quote.target_amount, quote.target_currency),
  },
  { term: prices.amount, value: formatExact(quote.source_amount, quote.source_currency) },
  quote.conversion_path !== 'none' && {
    term: prices.midMarketRate,
    value: formatRateLine(quote.mid_market_rate, quote.source_currency, quote.target_currency),
  },
  { term: prices.fee(formatPercent(quote.fee_basis_points)), value: formatExact(quote.fee, quote.fee_currency) },
  { term: totalTerm, value: formatExact(quote.total, quote.fee_currency), sum: true },
  // A conversion within one wallet has no delivery.
  quote.recipient_id !== null && { term: prices.delivery, value: delivery ?? prices.within[quote.delivery_estimate] },
]

function PriceSkeleton({ heading }: { heading: string }) {
  return (
    <div className="p-6" aria-hidden="true">
      <p className="small muted">{heading}</p>
      <SkeletonLine className="mt-2 h-7 w-3/5" />
      <div className="mt-6 grid gap-7">
        {['w-3/5', 'w-4/5', 'w-2/5', 'w-3/5'].map((width, index) => (
          <SkeletonLine key={index} className={width} />
        ))}
      </div>
    </div>
  )
}
