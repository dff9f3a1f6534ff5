import { type Quote, quoteShape } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { parseDecimal } from '@tern/money/money'
import { useRef } from 'react'
import { transfers } from '#messages/transfers.ts'
import { isWebAddress } from '../../../app/provider-page.ts'
import { useMoneyOrder } from '../../../app/orders/money-order.ts'
import { type DatedQuote, toDatedQuote } from '../../../app/orders/dated-quote.ts'
import { isProviderDown } from '../../../app/orders/orders.ts'
import { callApi } from '../../../app/session/session.ts'
import {
  type UnsentOrder,
  storePending,
  type PendingTransfer,
  pendingStore,
  type SavedTransfer,
  toEditDraft,
} from '../pending-transfer.ts'
import { type FundingSource, needsCard } from './payment-source.ts'

/**
 * Undo window of a send at this quote, in seconds. Zero for bank payments, which can be canceled until the bank has
 * paid, days later.
 */
export const chooseUndoSeconds = ({ undo_seconds = 0 }: Quote, source: FundingSource['source']): number =>
  source === 'bank' ? 0 : undo_seconds

/** Request body of a transfer paid from the wallet. */
export const walletOrder = ({
  formData,
  recipientInfo,
  priced: { quote },
}: UnsentOrder): CallInput<typeof sendMoney>['body'] => ({
  recipient_id: recipientInfo.id,
  amount: quote.source_amount,
  source_currency: quote.source_currency,
  target_currency: quote.target_currency,
  payment_source: 'wallet',
  description: formData.description,
  quote_id: quote.quote_id,
  undo_seconds: chooseUndoSeconds(quote, 'wallet'),
})

/** Request body of a transfer paid by card, bank account, or wallet and card. */
export function buildExternalOrder(
  unsentOrder: UnsentOrder,
  paymentSource: CallInput<typeof directPayment>['body']['paymentSource'],
) {
  const { userId, formData, recipientInfo, priced, bankAccountId, keepsCard, least } = unsentOrder
  const { quote_id, source_amount, source_currency } = priced.quote
  const undo_seconds = chooseUndoSeconds(priced.quote, paymentSource)
  const cardId = needsCard(paymentSource) ? unsentOrder.cardId : undefined
  return {
    amount: Number(parseDecimal(source_currency, source_amount).minor), // not money: the call's whole minor units
    currency: source_currency.toLowerCase(),
    userId,
    recipientId: String(recipientInfo.id),
    paymentSource,
    description: formData.description,
    quote_id,
    undo_seconds,
    ...(cardId ? { paymentMethodId: cardId } : {}),
    ...(bankAccountId && paymentSource === 'bank' ? { bankAccountId } : {}),
    ...(least !== undefined && paymentSource === 'bank' ? { minimum_target_amount: least } : {}),
    ...(keepsCard && !cardId && needsCard(paymentSource) ? { saveCard: true } : {}),
  }
}

/** Quote that the server issued in place of an expired one. */
function readFreshQuote(error: unknown): Quote | undefined {
  if (!(error instanceof Refused) || error.code !== 'quote_expired') return undefined
  const parsed = quoteShape.safeParse(error.problem.quote)
  return parsed.success ? parsed.data : undefined
}

const spendingCodes: ReadonlySet<string> = new Set(['quote_used', 'payment_refused'])

/** Checks for a refusal after which the price cannot be ordered again. */
export const isQuoteSpent = (error: unknown): boolean => error instanceof Refused && spendingCodes.has(error.code)

const userErrors: ReadonlySet<string> = new Set(['unauthenticated', 'not_your_account'])

export function describeFailure(error: unknown, isOutside: boolean): string {
  if (error instanceof Refused && userErrors.has(error.code)) return transfers.userError
  if (!isOutside) return error instanceof Refused ? transfers.failed(error.message) : transfers.networkError
  if (!(error instanceof Refused)) return transfers.paymentFailed
  return error.errors[0]?.message || error.message || transfers.paymentFailed
}

interface Handlers {
  /** `tookMs`: time from order to answer; `saved`: the form, for changes after an undo. */
  onSent: (transaction: Transaction, tookMs: number, saved: SavedTransfer) => void
  /** An external payment was started and is not complete. */
  onAwaitPayment: (saved: SavedTransfer) => void
  /** The quote had expired; the server issued this one instead. */
  onFreshQuote: (quote: DatedQuote) => void
  /** The price cannot be ordered again. */
  onQuoteSpent: () => void
}

/** Sends transfers, paid from the wallet or externally. `persisted` is an unanswered order from before a reload. */
export function useSendOrder(userId: number, persisted: PendingTransfer | undefined, handlers: Handlers) {
  const startedAt = useRef(0)
  const elapsedMs = () => performance.now() - startedAt.current
  return useMoneyOrder<UnsentOrder, Reply<typeof sendMoney> | Reply<typeof directPayment>>(
    {
      store: pendingStore(userId),
      buildBody: (order) =>
        order.paymentSource === 'wallet' ? walletOrder(order) : buildExternalOrder(order, order.paymentSource),
      call: (order, keys) => {
        startedAt.current = performance.now()
        return order.paymentSource === 'wallet'
          ? callApi(sendMoney, { body: walletOrder(order), ...keys })
          : callApi(directPayment, { body: buildExternalOrder(order, order.paymentSource), ...keys })
      },
      isOutcomeUnknown: (error, order) => order.paymentSource !== 'wallet' && isProviderDown(error),
      onReply(reply, order, { idempotencyKey }) {
        if ('transaction' in reply) return handlers.onSent(reply.transaction, elapsedMs(), toEditDraft(order))
        const { status, message, redirectUrl, payment_id: paymentId } = reply
        if (status === 'failed' || (redirectUrl !== null && !isWebAddress(redirectUrl))) {
          handlers.onQuoteSpent()
          return { detail: message || transfers.paymentFailed }
        }
        const startedOrder = { ...order, idempotencyKey, paymentId }
        storePending(startedOrder)
        // If the user has navigated away, the transfer is shown as started when they return.
        return redirectUrl === null ? handlers.onAwaitPayment(startedOrder) : { redirectTo: redirectUrl }
      },
      onFailure(error, order) {
        const renewed = readFreshQuote(error)
        if (renewed) {
          handlers.onFreshQuote(toDatedQuote(renewed, Date.now() - elapsedMs()))
          return undefined
        }
        if (isQuoteSpent(error)) handlers.onQuoteSpent()
        return { detail: describeFailure(error, order.paymentSource !== 'wallet') }
      },
    },
    () => persisted && { order: persisted, idempotencyKey: persisted.idempotencyKey },
  )
}
