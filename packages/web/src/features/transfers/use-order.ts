import type { CallInput } from '@tern/contract/endpoint'
import { Refused } from '@tern/contract/client'
import { type Quote, quoteShape } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { parseDecimal } from '@tern/money/money'
import { useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { insist, isOutcomeUnknown, useIdempotencyKeys } from '../../orders.ts'
import { notConfirmed, withProof } from '../../proofs.ts'
import { goToProvider, isWebAddress } from '../../provider-page.ts'
import { callApi } from '../../session.ts'
import { dropPending, keepPending, type PendingTransfer, type SavedTransfer } from './pending-transfer.ts'
import { completeTransfer, type Standing } from './transfer-standing.ts'

type WalletOrder = CallInput<typeof sendMoney>['body']
type OutsideOrder = CallInput<typeof directPayment>['body']
export type Intended = Omit<PendingTransfer, 'idempotencyKey'>

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
  onAwaited: (saved: SavedTransfer & { paymentId: string }, standing: Standing) => void
  /** The quote was too old; the server gave this one in its place. */
  onFreshQuote: (quote: Quote) => void
  /** The price cannot be ordered at again. */
  onQuoteSpent: () => void
}

const walletOrder = ({ formData, recipientInfo, priced: { quote } }: Intended): WalletOrder => ({
  recipient_id: recipientInfo.id,
  amount: quote.source_amount,
  source_currency: quote.source_currency,
  target_currency: quote.target_currency,
  payment_source: 'wallet',
  description: formData.description,
  quote_id: quote.quote_id,
})

function outsideOrder(intended: Intended, paymentSource: OutsideOrder['paymentSource']): OutsideOrder {
  const { userId, formData, recipientInfo, priced, cardId, bankAccountId, keepsCard } = intended
  const { quote_id, source_amount, source_currency } = priced.quote
  return {
    amount: Number(parseDecimal(source_currency, source_amount).minor), // not money: the call's whole minor units
    currency: source_currency.toLowerCase(),
    userId,
    recipientId: String(recipientInfo.id),
    paymentSource,
    description: formData.description,
    quote_id,
    ...(cardId ? { paymentMethodId: cardId } : {}),
    ...(bankAccountId ? { bankAccountId } : {}),
    ...(keepsCard && !cardId && paymentSource !== 'bank' ? { saveCard: true } : {}),
  }
}

function freshQuoteOf(error: unknown): Quote | undefined {
  if (!(error instanceof Refused) || error.code !== 'quote_expired') return undefined
  const read = quoteShape.safeParse(error.problem.quote)
  return read.success ? read.data : undefined
}

function failureOf(error: unknown, isOutside: boolean): string {
  if (!isOutside) return error instanceof Refused ? transfers.failed(error.message) : transfers.networkError
  if (!(error instanceof Refused)) return transfers.paymentFailed
  return error.errors[0]?.message || error.message || transfers.paymentFailed
}

/**
 * Gives the transfer to the server: one Idempotency-Key for each intended transfer, kept over retries and reloads.
 * `restored` is an order of before a reload that was never answered.
 */
export function useOrder(
  restored: PendingTransfer | undefined,
  { onSent, onAwaited, onFreshQuote, onQuoteSpent }: Handlers,
) {
  const keys = useIdempotencyKeys()
  const [state, setState] = useState<OrderState>(restored ? { status: 'unknown' } : { status: 'idle' })

  async function send(intended: Intended): Promise<void> {
    const { paymentSource: source, priced } = intended
    const isOutside = source !== 'wallet'
    const wasUnknown = state.status === 'unknown'
    const body = isOutside ? outsideOrder(intended, source) : walletOrder(intended)
    const isRestored = restored && restored.priced.quote.quote_id === priced.quote.quote_id
    const idempotencyKey = isRestored ? restored.idempotencyKey : keys.of(JSON.stringify(body))
    /** One order, given until it is answered. Kept before it leaves; asking for a proof means that nothing was carried out. */
    const give = <T>(call: (proof: string | undefined) => Promise<T>) =>
      withProof(
        (proof) => {
          setState({ status: 'sending', isRetry: false })
          keepPending({ ...intended, idempotencyKey })
          return insist(
            () => call(proof),
            () => setState({ status: 'sending', isRetry: true }),
          )
        },
        () => void (wasUnknown || dropPending()),
      )

    async function fromWallet(order: WalletOrder): Promise<void> {
      const reply = await give((proof) => callApi(sendMoney, { body: order, idempotencyKey, proof }))
      if (reply === notConfirmed) return setState({ status: wasUnknown ? 'unknown' : 'unconfirmed' })
      dropPending()
      keys.forget()
      onSent(reply.transaction)
    }

    async function fromOutside(order: OutsideOrder): Promise<void> {
      const reply = await give((proof) => callApi(directPayment, { body: order, idempotencyKey, proof }))
      if (reply === notConfirmed) return setState({ status: wasUnknown ? 'unknown' : 'unconfirmed' })
      keys.forget()
      if (reply.status === 'failed' || (reply.redirectUrl !== null && !isWebAddress(reply.redirectUrl))) {
        dropPending()
        onQuoteSpent()
        return setState({ status: 'failed', message: reply.message || transfers.paymentFailed })
      }
      const begun = { ...intended, idempotencyKey, paymentId: reply.payment_id }
      keepPending(begun)
      if (reply.redirectUrl !== null) return goToProvider(reply.redirectUrl)
      onAwaited(begun, await completeTransfer(begun, intended.recipientInfo, reply.payment_id))
    }

    try {
      await ('recipientId' in body ? fromOutside(body) : fromWallet(body))
    } catch (error) {
      if (isOutcomeUnknown(error)) return setState({ status: 'unknown' })
      dropPending()
      const fresh = freshQuoteOf(error)
      if (fresh) {
        onFreshQuote(fresh)
        return setState({ status: 'idle' })
      }
      if (error instanceof Refused && error.code === 'quote_used') onQuoteSpent()
      setState({ status: 'failed', message: failureOf(error, isOutside) })
    }
  }

  return { state, send }
}
