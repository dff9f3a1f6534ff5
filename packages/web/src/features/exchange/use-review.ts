import { createQuote, type Quote } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { useState } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { useConversionOrder } from '../../app/exchange/conversion-order.ts'
import { type DatedQuote, dated } from '../../app/orders/dated-quote.ts'
import { callApi } from '../../app/session/session.ts'
import { useIsCurrentPage } from '../../app/use-is-current-page.ts'
import { isSamePrice, requestOf, type SwapValues } from './swap-form.ts'

/** A price that the person looks at to accept it. */
interface Review {
  readonly priced: DatedQuote
  /** It has expired: the present one, which differs from it. */
  readonly fresh?: DatedQuote
  /** The present one is the same as the one before, which had expired. */
  readonly isRenewed?: true
  /** It has expired, and there is no other. */
  readonly failure?: string
}

type Stage =
  | { readonly name: 'form' }
  | ({ readonly name: 'review' } & Review)
  | { readonly name: 'receipt'; readonly transaction: Transaction; readonly quote: Quote }

const requestOfQuote = (quote: Quote, side: SwapValues['side']) =>
  requestOf({
    from: quote.source_currency,
    to: quote.target_currency,
    side,
    text: side === 'source' ? quote.source_amount : quote.target_amount,
  })

/** From a price over its acceptance to the receipt. `sideOf` says which side of it was typed, and keeps when it is renewed. */
export function useReview(userId: number, sideOf: () => SwapValues['side']) {
  const isHere = useIsCurrentPage()
  const [current, setStage] = useState<Stage>({ name: 'form' })
  const order = useConversionOrder(userId, {
    failed: texts.failed,
    onDone: (transaction, quote) => setStage({ name: 'receipt', transaction, quote }),
    onFreshQuote: (fresh) => replace(fresh),
  })
  const { pending } = order
  // An order of before a reload, or one under way, is shown as it was accepted.
  const stage: Stage = pending && current.name !== 'review' ? { name: 'review', priced: pending } : current
  const review = stage.name === 'review' ? stage : undefined

  /** The price under review is over: the present one takes its place, in sight of the person where it is another. */
  function replace(fresh: DatedQuote): void {
    setStage((last) => {
      const before = last.name === 'review' ? last.priced : order.left
      if (!before) return last
      return isSamePrice(before.quote, fresh.quote)
        ? { name: 'review', priced: fresh, isRenewed: true }
        : { name: 'review', priced: before, fresh }
    })
  }

  async function renew(): Promise<void> {
    if (!review || pending) return
    const { priced } = review
    try {
      const askedAtMs = Date.now()
      const fresh = dated(await callApi(createQuote, { body: requestOfQuote(priced.quote, sideOf()) }), askedAtMs)
      if (isHere()) replace(fresh)
    } catch (error) {
      if (!(error instanceof Refused)) reportError(error)
      const failure = error instanceof Error ? error.message : ''
      setStage((last) => (last.name === 'review' ? { name: 'review', priced, failure } : last))
    }
  }

  return {
    order,
    stage,
    open: (priced: DatedQuote) => setStage({ name: 'review', priced }),
    back() {
      setStage({ name: 'form' })
      order.clear()
    },
    accept: () => review?.fresh && setStage({ name: 'review', priced: review.fresh }),
    renew: () => void renew(),
    confirm() {
      if (pending) order.send(pending)
      else if (review) order.send({ ...review.priced, userId })
    },
  }
}
