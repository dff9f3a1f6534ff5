import { useEffect, useState } from 'react'
import { prices } from '#messages/prices.ts'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'

/** On a phone: what the person gets and the total, in view above the keyboard while the price sheet is below it. */
export function PriceBar({ live, name }: { live: LiveQuote; name: string | undefined }) {
  const covered = useCovered()
  const quote = live.priced?.quote
  if (!quote || name === undefined) return null
  return (
    // The price sheet says it too.
    <p className="price-bar small tabular" aria-hidden="true" style={{ bottom: covered }}>
      <span className="muted min-w-0 truncate">{prices.gets(name)}</span>
      <b>{formatExactWithSign(quote.target_amount, quote.target_currency)}</b>
      <span className="muted ms-auto">
        {prices.total} {formatExactWithSign(quote.total, quote.fee_currency)}
      </span>
    </p>
  )
}

/** How much of the window the keyboard covers, in pixels, where the browser leaves the page as high as it was. */
function useCovered(): number {
  const [covered, setCovered] = useState(0)
  useEffect(() => {
    const { visualViewport } = window
    if (!visualViewport) return
    const look = () => setCovered(Math.max(0, innerHeight - visualViewport.height - visualViewport.offsetTop))
    visualViewport.addEventListener('resize', look)
    visualViewport.addEventListener('scroll', look)
    return () => {
      visualViewport.removeEventListener('resize', look)
      visualViewport.removeEventListener('scroll', look)
    }
  }, [])
  return covered
}
