import { createQuote, type Quote } from '@tern/contract/exchange'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { prices } from '#messages/prices.ts'
import { type DatedQuote, toDatedQuote } from '../../../app/orders/dated-quote.ts'
import { callApi } from '../../../app/session/session.ts'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { buildQuoteRequest, shortenName } from '../send-form.ts'
import type { ReviewStepProps } from './use-review.ts'

/** Price of the order, renewed on expiry. */
export function usePrice({ draft, recipient, priced }: ReviewStepProps, isOrdered: RefObject<boolean>) {
  const isCurrentPage = useIsCurrentPage()
  const [change, setChange] = useState<string>()
  const [hasEnded, setHasEnded] = useState(false)
  // A price that expired before it was shown is announced only if it changed.
  const [wasStale] = useState(() => priced.holdsUntilMs < Date.now())
  const replace = (renewed: DatedQuote) => {
    const isSame =
      renewed.quote.total === priced.quote.total && renewed.quote.target_amount === priced.quote.target_amount
    const text = describeChange(priced.quote, renewed.quote, shortenName(recipient))
    setChange(isSame && wasStale && change === undefined ? undefined : text)
    setHasEnded(false)
    draft.setPriced(renewed)
  }
  async function renew(): Promise<void> {
    const body = buildQuoteRequest({ ...draft.values, recipient })
    if (!body) return
    try {
      const requestedAtMs = Date.now()
      const renewed = toDatedQuote(await callApi(createQuote, { body }), requestedAtMs)
      // Keeps the price of an order that was sent meanwhile, and of a page that the user has left.
      if (isCurrentPage() && !isOrdered.current) replace(renewed)
    } catch (error) {
      reportError(error)
      setHasEnded(true)
    }
  }
  return { change, hasEnded, replace, renew: () => void renew() }
}

/** Describes the effect of a renewed price for the recipient `name`. */
export function describeChange(before: Quote, now: Quote, name: string): string {
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

const shownBelowMs = 30_000

/**
 * Whole seconds until `endMs` during the last thirty; undefined before. Calls `onEnd` once on expiry, also after the
 * device slept through it. Pauses while not `isRunning`.
 */
export function useCountdown(endMs: number, isRunning: boolean, onEnd: () => void): number | undefined {
  const [remainingMs, setRemainingMs] = useState<number>()
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (!isRunning) return
    const update = () => {
      const remaining = endMs - Date.now()
      setRemainingMs(remaining)
      if (remaining > 0) return
      clearInterval(timer)
      end.current()
    }
    const timer = setInterval(update, 500)
    update()
    return () => clearInterval(timer)
  }, [endMs, isRunning])
  if (!isRunning || remainingMs === undefined || remainingMs > shownBelowMs || remainingMs <= 0) return undefined
  return Math.ceil(remainingMs / 1000)
}
