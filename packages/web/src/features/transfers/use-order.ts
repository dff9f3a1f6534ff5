import type { CallInput, Reply } from '@tern/contract/endpoint'
import { Refused } from '@tern/contract/client'
import { type Quote, quoteShape } from '@tern/contract/exchange'
import { sendMoney } from '@tern/contract/transfers'
import { useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { insist, isOutcomeUnknown, useIdempotencyKeys } from '../../orders.ts'
import { notConfirmed, withProof } from '../../proofs.ts'
import { callApi } from '../../session.ts'
import { dropPending, keepPending, type PendingTransfer } from './pending-transfer.ts'

type Order = CallInput<typeof sendMoney>['body']

export type OrderState =
  | { readonly status: 'idle' }
  /** The person was asked whether it is them and closed the question. */
  | { readonly status: 'unconfirmed' }
  | { readonly status: 'sending'; readonly isRetry: boolean }
  /** Nobody knows whether it was carried out: the only way on is the same order again. */
  | { readonly status: 'unknown' }
  | { readonly status: 'failed'; readonly message: string }

interface Handlers {
  onSent: (reply: Reply<typeof sendMoney>) => void
  /** The quote was too old; the server gave this one in its place. */
  onFreshQuote: (quote: Quote) => void
}

const orderOf = ({ formData, recipientInfo, priced: { quote } }: Omit<PendingTransfer, 'idempotencyKey'>): Order => ({
  recipient_id: recipientInfo.id,
  amount: quote.source_amount,
  source_currency: quote.source_currency,
  target_currency: quote.target_currency,
  payment_source: 'wallet',
  description: formData.description,
  quote_id: quote.quote_id,
})

function freshQuoteOf(error: unknown): Quote | undefined {
  if (!(error instanceof Refused) || error.code !== 'quote_expired') return undefined
  const read = quoteShape.safeParse(error.problem.quote)
  return read.success ? read.data : undefined
}

/**
 * Gives the transfer to the server: one Idempotency-Key for each intended transfer, kept over retries and reloads.
 * `restored` is an order of before a reload that was never answered.
 */
export function useOrder(restored: PendingTransfer | undefined, { onSent, onFreshQuote }: Handlers) {
  const keys = useIdempotencyKeys()
  const [state, setState] = useState<OrderState>(restored ? { status: 'unknown' } : { status: 'idle' })

  async function send(intended: Omit<PendingTransfer, 'idempotencyKey'>): Promise<void> {
    const body = orderOf(intended)
    const isRestored = restored && restored.priced.quote.quote_id === body.quote_id
    const idempotencyKey = isRestored ? restored.idempotencyKey : keys.of(JSON.stringify(body))
    const wasUnknown = state.status === 'unknown'
    // Asking for a proof means that nothing was carried out, unless that was in doubt before.
    const onAsk = () => void (wasUnknown || dropPending())
    const order = (proof: string | undefined) => {
      setState({ status: 'sending', isRetry: false })
      keepPending({ ...intended, idempotencyKey })
      return insist(
        () => callApi(sendMoney, { body, idempotencyKey, proof }),
        () => setState({ status: 'sending', isRetry: true }),
      )
    }
    try {
      const reply = await withProof(order, onAsk)
      if (reply === notConfirmed) return setState({ status: wasUnknown ? 'unknown' : 'unconfirmed' })
      dropPending()
      keys.forget()
      onSent(reply)
    } catch (error) {
      if (isOutcomeUnknown(error)) return setState({ status: 'unknown' })
      dropPending()
      const fresh = freshQuoteOf(error)
      if (fresh) {
        onFreshQuote(fresh)
        return setState({ status: 'idle' })
      }
      const message = error instanceof Refused ? transfers.failed(error.message) : transfers.networkError
      setState({ status: 'failed', message })
    }
  }

  return { state, send }
}
