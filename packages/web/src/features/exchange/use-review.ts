import { createQuote, type Quote } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { useState } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { useConversionOrder } from '../../app/exchange/conversion-order.ts'
import { type DatedQuote, dated } from '../../app/orders/dated-quote.ts'
import { callApi } from '../../app/session/session.ts'
import { useIsCurrentPage } from '../../app/use-is-current-page.ts'
import { isSamePrice, buildRequest, type SwapValues } from './swap-form.ts'

interface Review {
  readonly priced: DatedQuote
  /** Current price, after the shown one expired; it differs from it. */
  readonly fresh?: DatedQuote
  /** The expired price was renewed with the same terms. */
  readonly isRenewed?: true
  /** The price expired and no other is available. */
  readonly failure?: string
}

type Stage =
  | { readonly name: 'form' }
  | ({ readonly name: 'review' } & Review)
  | { readonly name: 'receipt'; readonly transaction: Transaction; readonly quote: Quote }

const requestOfQuote = (quote: Quote, side: SwapValues['side']) =>
  buildRequest({
    from: quote.source_currency,
    to: quote.target_currency,
    side,
    text: side === 'source' ? quote.source_amount : quote.target_amount,
  })

/** Steps from a quote over its acceptance to the receipt. `sideOf` returns the typed side, which renewals keep. */
export function useReview(userId: number, readSide: () => SwapValues['side']) {
  const isCurrentPage = useIsCurrentPage()
  const [current, setStage] = useState<Stage>({ name: 'form' })
  const order = useConversionOrder(userId, {
    failed: texts.failed,
    onDone: (transaction, quote) => setStage({ name: 'receipt', transaction, quote }),
    onFreshQuote: (fresh) => replace(fresh),
  })
  const { pending } = order
  // An order pending from before a reload, or under way, is shown as it was accepted.
  const stage: Stage = pending && current.name !== 'review' ? { name: 'review', priced: pending } : current
  const review = stage.name === 'review' ? stage : undefined

  /** Replaces an expired price under review; a changed one is shown next to the old one. */
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
      const fresh = dated(await callApi(createQuote, { body: requestOfQuote(priced.quote, readSide()) }), askedAtMs)
      if (isCurrentPage()) replace(fresh)
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
