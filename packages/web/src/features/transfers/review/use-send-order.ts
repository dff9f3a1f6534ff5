import type { Quote } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { transfers } from '#messages/transfers.ts'
import { isWebAddress } from '../../../app/provider-page.ts'
import { useMoneyOrder } from '../../../app/orders/money-order.ts'
import { isProviderDown } from '../../../app/orders/orders.ts'
import { callApi } from '../../../app/session/session.ts'
import {
  type Intended,
  keepPending,
  type PendingTransfer,
  pendingStore,
  type SavedTransfer,
} from '../pending-transfer.ts'
import { failureOf, freshQuoteOf, isQuoteSpent, outsideOrder, walletOrder } from './order-bodies.ts'

interface Handlers {
  onSent: (transaction: Transaction) => void
  /** Money from outside was ordered, and is not all there yet. */
  onAwaited: (saved: SavedTransfer) => void
  /** The quote was too old; the server gave this one in its place. */
  onFreshQuote: (quote: Quote) => void
  /** The price cannot be ordered at again. */
  onQuoteSpent: () => void
}

/** Orders transfers, from the wallet or from outside. `left` is an order of before a reload that has no answer. */
export function useSendOrder(userId: number, left: PendingTransfer | undefined, handlers: Handlers) {
  return useMoneyOrder<Intended, Reply<typeof sendMoney> | Reply<typeof directPayment>>(
    {
      store: pendingStore(userId),
      bodyOf: (order) =>
        order.paymentSource === 'wallet' ? walletOrder(order) : outsideOrder(order, order.paymentSource),
      call: (order, keys) =>
        order.paymentSource === 'wallet'
          ? callApi(sendMoney, { body: walletOrder(order), ...keys })
          : callApi(directPayment, { body: outsideOrder(order, order.paymentSource), ...keys }),
      isOutcomeUnknown: (error, order) => order.paymentSource !== 'wallet' && isProviderDown(error),
      onReply(reply, order, { idempotencyKey }) {
        if ('transaction' in reply) return handlers.onSent(reply.transaction)
        const { status, message, redirectUrl, payment_id: paymentId } = reply
        if (status === 'failed' || (redirectUrl !== null && !isWebAddress(redirectUrl))) {
          handlers.onQuoteSpent()
          return { detail: message || transfers.paymentFailed }
        }
        const begun = { ...order, idempotencyKey, paymentId }
        keepPending(begun)
        // Whoever went to another page meanwhile finds it begun when they come back.
        return redirectUrl === null ? handlers.onAwaited(begun) : { leaveFor: redirectUrl }
      },
      onFailure(error, order) {
        const fresh = freshQuoteOf(error)
        if (fresh) {
          handlers.onFreshQuote(fresh)
          return undefined
        }
        if (error instanceof Refused && isQuoteSpent(error)) handlers.onQuoteSpent()
        return { detail: failureOf(error, order.paymentSource !== 'wallet') }
      },
    },
    () => left && { order: left, idempotencyKey: left.idempotencyKey },
  )
}
