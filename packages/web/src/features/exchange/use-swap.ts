import type { Quote } from '@tern/contract/exchange'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { compare, parseDecimal } from '@tern/money/money'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { parseAmount } from '../../app/orders/amount.ts'
import type { ConversionOrder } from '../../app/exchange/conversion-order.ts'
import { type DatedQuote } from '../../app/orders/dated-quote.ts'
import { type LiveQuote, useLiveQuote } from '../../app/orders/quotes.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import {
  findAvailable,
  flip,
  computeMaximum,
  readPair,
  buildRequest,
  type SwapValues,
  setCurrency,
} from './swap-form.ts'
import { useReview } from './use-review.ts'

/** Initial form values: those of an unanswered order, otherwise the pair in the address. */
function initialValues(persisted: ConversionOrder | undefined, wallet: Wallet, address: URLSearchParams): SwapValues {
  if (!persisted) return { ...readPair(wallet, address), side: 'source', text: '' }
  const { source_currency: from, target_currency: to, source_amount: text } = persisted.quote
  return { from, to, side: 'source', text }
}

const retryMs = 60_000

/** A price with a visible countdown is kept until it expires. */
const computeKeepMs = (priced: DatedQuote | undefined): number =>
  priced ? Math.max(1000, priced.holdsUntilMs - Date.now()) : retryMs

export function useSwap(userId: number, wallet: Wallet) {
  const [address] = useSearchParams()
  const side = useRef<SwapValues['side']>('source')
  const { order, open, ...review } = useReview(userId, () => side.current)
  const [values, setValues] = useState(() => initialValues(order.restored, wallet, address))
  const [attempts, setAttempts] = useState(0)
  const [isErrorShown, setIsErrorShown] = useState(false)
  side.current = values.side

  const { from, to, text } = values
  const isForm = review.stage.name === 'form'
  const typed = parseAmount(values.side === 'source' ? from : to, text)
  const available = findAvailable(wallet, from)
  // A source amount above the balance is not priced.
  const exceedsAvailable = values.side === 'source' && typed && compare(typed, parseDecimal(from, available)) > 0
  const live = useLiveQuote(
    isForm && typed && !exceedsAvailable ? buildRequest(values) : undefined,
    undefined,
    computeKeepMs,
  )
  const quote = live.priced?.quote
  const renewal = useRenewal(quote)
  const lastQuote = useLastQuote(quote, values)
  const maximum = computeMaximum(wallet, from, quote)
  const requiredAmount = quote ? parseDecimal(from, quote.total) : values.side === 'source' ? typed : undefined
  const exceedsBalance = requiredAmount !== undefined && compare(requiredAmount, parseDecimal(from, available)) > 0

  const { isAwaited, openOncePriced, cancelRequest } = useAwaitedPrice(live, (priced) => exceedsBalance || open(priced))

  const change = (next: SwapValues) => {
    setValues(next)
    setIsErrorShown(false)
    cancelRequest()
    order.clear()
  }
  return {
    ...review,
    state: order.state,
    values,
    live,
    renewal,
    available,
    maximum,
    attempts,
    lastQuote,
    /** A valid amount was typed. */
    isTyped: typed !== undefined,
    /** The review opens once the price is loaded. */
    isAwaited,
    error: isErrorShown && !typed ? texts.enterAmount : live.refused?.amount,
    /** Message if the balance does not cover the total. */
    shortfallText: exceedsBalance ? texts.notEnough(formatExact(available, from)) : undefined,
    max: () => change({ ...values, side: 'source', text: maximum }),
    changeText: (part: SwapValues['side'], amount: string) => change({ ...values, side: part, text: amount }),
    choose: (part: 'from' | 'to', currency: CurrencyCode) => change(setCurrency(values, part, currency)),
    flip: () => change(flip(values)),
    toReview() {
      setAttempts(attempts + 1)
      setIsErrorShown(true)
      if (live.failure) live.failure.retry()
      else if (live.isLoading) openOncePriced()
      else if (live.priced && typed && !exceedsBalance) open(live.priced)
    },
    restart() {
      setValues({ ...values, text: '' })
      review.goBack()
    },
  }
}

export type Swap = ReturnType<typeof useSwap>

/** Defers a press on the button until the price is loaded; calls `onPrice` then, unless the amount changes first. */
function useAwaitedPrice({ isLoading, priced }: LiveQuote, onPrice: (priced: DatedQuote) => void) {
  const [isRequested, setIsRequested] = useState(false)
  useEffect(() => {
    if (!isRequested || isLoading) return
    setIsRequested(false)
    if (priced) onPrice(priced)
    // The handler changes with every render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isRequested, isLoading, priced])
  return {
    isAwaited: isRequested,
    openOncePriced: () => setIsRequested(true),
    cancelRequest: () => setIsRequested(false),
  }
}

function useLastQuote(quote: Quote | undefined, { from, to }: SwapValues): Quote | undefined {
  const lastQuote = useRef<Quote>(undefined)
  if (quote) lastQuote.current = quote
  const { source_currency: source, target_currency: target } = lastQuote.current ?? {}
  return source === from && target === to ? lastQuote.current : undefined
}

/** Price before renewal, if the rate has changed; dropped when the request changes. */
function useRenewal(quote: Quote | undefined): { before: Quote } | undefined {
  const lastQuote = useRef<{ quote: Quote; before?: Quote }>(undefined)
  if (quote && quote.quote_id !== lastQuote.current?.quote.quote_id) {
    const before = lastQuote.current?.quote
    const isSameRequest =
      before &&
      before.source_currency === quote.source_currency &&
      before.target_currency === quote.target_currency &&
      (before.source_amount === quote.source_amount || before.target_amount === quote.target_amount)
    lastQuote.current = { quote, ...(isSameRequest && before.rate !== quote.rate ? { before } : {}) }
  }
  const { before } = lastQuote.current ?? {}
  return quote && before ? { before } : undefined
}
