import { createQuote, type Quote } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { useState } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { useConversionOrder } from '../../app/exchange/conversion-order.ts'
import { type DatedQuote, toDatedQuote } from '../../app/orders/dated-quote.ts'
import { callApi } from '../../app/session/session.ts'
import { useIsCurrentPage } from '../../app/use-is-current-page.ts'
import { isSamePrice, buildRequest, type SwapValues } from './swap-form.ts'

interface Review {
  readonly priced: DatedQuote
  /** Current price, if the shown one has expired and the two differ. */
  readonly renewed?: DatedQuote
  /** The expired price was renewed with the same terms. */
  readonly isRenewed?: true
  /** The price expired and no other is available. */
  readonly failure?: string
}

type Stage =
  | { readonly name: 'form' }
  | ({ readonly name: 'review' } & Review)
  | { readonly name: 'receipt'; readonly transaction: Transaction; readonly quote: Quote }

const buildRenewal = (quote: Quote, side: SwapValues['side']) =>
  buildRequest({
    from: quote.source_currency,
    to: quote.target_currency,
    side,
    text: side === 'source' ? quote.source_amount : quote.target_amount,
  })

/**
 * Steps of an exchange after its quote: review, acceptance, receipt. `readSide` returns the typed side, which renewals
 * keep.
 */
export function useReview(userId: number, readSide: () => SwapValues['side']) {
  const isCurrentPage = useIsCurrentPage()
  const [current, setStage] = useState<Stage>({ name: 'form' })
  const order = useConversionOrder(userId, {
    failed: texts.failed,
    onDone: (transaction, quote) => setStage({ name: 'receipt', transaction, quote }),
    onFreshQuote: (renewed) => replace(renewed),
  })
  const { pending } = order
  // An unanswered order is shown as it was accepted, also after a reload.
  const stage: Stage = pending && current.name !== 'review' ? { name: 'review', priced: pending } : current
  const review = stage.name === 'review' ? stage : undefined

  /** Replaces an expired price under review; a changed one is shown next to the old one. */
  function replace(renewed: DatedQuote): void {
    setStage((last) => {
      const before = last.name === 'review' ? last.priced : order.restored
      if (!before) return last
      return isSamePrice(before.quote, renewed.quote)
        ? { name: 'review', priced: renewed, isRenewed: true }
        : { name: 'review', priced: before, renewed }
    })
  }

  async function renew(): Promise<void> {
    if (!review || pending) return
    const { priced } = review
    try {
      const requestedAtMs = Date.now()
      const renewed = toDatedQuote(
        await callApi(createQuote, { body: buildRenewal(priced.quote, readSide()) }),
        requestedAtMs,
      )
      if (isCurrentPage()) replace(renewed)
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
    goBack() {
      setStage({ name: 'form' })
      order.clear()
    },
    accept: () => review?.renewed && setStage({ name: 'review', priced: review.renewed }),
    renew: () => void renew(),
    confirm() {
      if (pending) order.send(pending)
      else if (review) order.send({ ...review.priced, userId })
    },
  }
}
