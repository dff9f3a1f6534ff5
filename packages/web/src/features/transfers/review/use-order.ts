import { Refused } from '@tern/contract/protocol/client'
import type { Quote } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { type RefObject, useRef, useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { retrySameKey, isOutcomeUnknown, isRefusedForGood, useIdempotencyKeys } from '../../../app/orders/orders.ts'
import { notConfirmed, withStepUp } from '../../../app/step-up/step-up.ts'
import { goToProvider, isWebAddress } from '../../../app/instruments/provider-page.ts'
import { callApi } from '../../../app/session/session.ts'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import {
  failureOf,
  freshQuoteOf,
  type Intended,
  isQuoteSpent,
  type OutsideOrder,
  outsideOrder,
  type WalletOrder,
  walletOrder,
} from './order-bodies.ts'
import { dropPending, keepPending, type PendingTransfer, type SavedTransfer } from '../receipt/pending-transfer.ts'
import { completeTransfer, type TransferStatus } from '../receipt/transfer-status.ts'

export type OrderState =
  | { readonly status: 'idle' }
  /** The person was asked whether it is them and closed the question. */
  | { readonly status: 'unconfirmed' }
  | { readonly status: 'sending'; readonly isRetry: boolean }
  /** Nobody knows whether it was carried out: the only way on is the same order again. */
  | { readonly status: 'unknown' }
  | { readonly status: 'failed'; readonly message: string }

interface Handlers {
  onSent: (transaction: Transaction) => void
  /** Money from outside was ordered, and is not all there yet. */
  onAwaited: (saved: SavedTransfer & { paymentId: string }, transferStatus: TransferStatus) => void
  /** The quote was too old; the server gave this one in its place. */
  onFreshQuote: (quote: Quote) => void
  /** The price cannot be ordered at again. */
  onQuoteSpent: () => void
}

// The provider may have taken an order on that it did not answer.
const isUnanswered = (error: unknown, isOutside: boolean): boolean =>
  isOutcomeUnknown(error) || (isOutside && error instanceof Refused && error.code === 'provider_unavailable')

/** The one order that may be under way, with its key, here and in the browser's storage. */
function usePersistedOrder(restored: PendingTransfer | undefined) {
  const keys = useIdempotencyKeys()
  const unanswered = useRef<PendingTransfer>(restored)
  return {
    /** What is ordered: as long as an order has no answer, that very one. */
    of: (wanted: Intended, body: (intended: Intended) => object): PendingTransfer =>
      unanswered.current ?? { ...wanted, idempotencyKey: keys.of(JSON.stringify(body(wanted))) },
    leave: (order: PendingTransfer) => void (unanswered.current = order),
    answered() {
      unanswered.current = undefined
      keys.forget()
    },
    /** It was not carried out. Its key goes only when it was refused for good; otherwise the same transfer keeps it. */
    failed(error: unknown) {
      unanswered.current = undefined
      keys.failed(error)
    },
  }
}

const bodyOf = (intended: Intended): WalletOrder | OutsideOrder =>
  intended.paymentSource === 'wallet' ? walletOrder(intended) : outsideOrder(intended, intended.paymentSource)

interface Given<T> {
  order: PendingTransfer
  call: (confirmation: string | undefined) => Promise<T>
  /** Becomes true when an attempt had no answer. */
  mayBeDone: RefObject<boolean>
  setState: (state: OrderState) => void
}

/** Gives one order until it is answered. It is kept before it leaves; asking for a proof means that this attempt did nothing. */
const giveUntilAnswered = <T>({ order, call, mayBeDone, setState }: Given<T>) =>
  withStepUp(
    (confirmation) => {
      setState({ status: 'sending', isRetry: false })
      keepPending(order)
      const onRetry = () => {
        mayBeDone.current = true
        setState({ status: 'sending', isRetry: true })
      }
      return retrySameKey(() => call(confirmation), onRetry, mayBeDone.current)
    },
    () => void (mayBeDone.current || dropPending()),
  )

/**
 * Gives the transfer to the server: one Idempotency-Key for each intended transfer, kept over retries and reloads until it is answered.
 * `restored` is an order of before a reload that was never answered.
 */
export function useOrder(restored: PendingTransfer | undefined, handlers: Handlers) {
  const kept = usePersistedOrder(restored)
  const isHere = useIsCurrentPage()
  const [state, setState] = useState<OrderState>(restored ? { status: 'unknown' } : { status: 'idle' })
  // True while an attempt of the present order had no answer.
  const mayBeDone = useRef(false)

  const give = <T>(order: PendingTransfer, call: (confirmation: string | undefined) => Promise<T>) =>
    giveUntilAnswered({ order, call, mayBeDone, setState })
  function unconfirmed(order: PendingTransfer): void {
    if (mayBeDone.current) kept.leave(order)
    setState({ status: mayBeDone.current ? 'unknown' : 'unconfirmed' })
  }
  function answered(): void {
    mayBeDone.current = false
    kept.answered()
  }

  async function fromWallet(order: PendingTransfer, body: WalletOrder): Promise<void> {
    const { idempotencyKey } = order
    const reply = await give(order, (confirmation) => callApi(sendMoney, { body, idempotencyKey, confirmation }))
    if (reply === notConfirmed) return unconfirmed(order)
    answered()
    dropPending()
    handlers.onSent(reply.transaction)
  }

  async function fromOutside(order: PendingTransfer, body: OutsideOrder): Promise<void> {
    const { idempotencyKey } = order
    const reply = await give(order, (confirmation) => callApi(directPayment, { body, idempotencyKey, confirmation }))
    if (reply === notConfirmed) return unconfirmed(order)
    answered()
    if (reply.status === 'failed' || (reply.redirectUrl !== null && !isWebAddress(reply.redirectUrl))) {
      dropPending()
      handlers.onQuoteSpent()
      return setState({ status: 'failed', message: reply.message || transfers.paymentFailed })
    }
    const begun = { ...order, paymentId: reply.payment_id }
    keepPending(begun)
    // Whoever has gone to another page meanwhile stays there, and finds it begun when they come back.
    if (reply.redirectUrl !== null) return isHere() ? goToProvider(reply.redirectUrl) : undefined
    handlers.onAwaited(begun, await completeTransfer(begun, order.recipientInfo, reply.payment_id))
  }

  function fail(error: unknown, order: PendingTransfer): void {
    const isOutside = order.paymentSource !== 'wallet'
    if (isUnanswered(error, isOutside) || (mayBeDone.current && !isRefusedForGood(error))) {
      kept.leave(order)
      return setState({ status: 'unknown' })
    }
    kept.failed(error)
    dropPending()
    const fresh = freshQuoteOf(error)
    if (fresh) {
      handlers.onFreshQuote(fresh)
      return setState({ status: 'idle' })
    }
    if (isQuoteSpent(error)) handlers.onQuoteSpent()
    setState({ status: 'failed', message: failureOf(error, isOutside) })
  }

  async function send(wanted: Intended): Promise<void> {
    const order = kept.of(wanted, bodyOf)
    mayBeDone.current = state.status === 'unknown'
    const body = bodyOf(order)
    try {
      await ('recipientId' in body ? fromOutside(order, body) : fromWallet(order, body))
    } catch (error) {
      fail(error, order)
    }
  }

  return { state, send }
}
