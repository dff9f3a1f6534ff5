import { queryOptions } from '@tanstack/react-query'
import { payoutStatus } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { paymentStatus } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { callApi } from '../../../app/session/session.ts'

/** What stands behind a transaction outside: money that came by card or bank, or went to a bank. */
export type Outside =
  | ({ readonly kind: 'payment' } & Reply<typeof paymentStatus>)
  | ({ readonly kind: 'payout' } & Reply<typeof payoutStatus>)

type Kind = Outside['kind']

/**
 * What a transaction most likely belongs to. Only banks are on both sides; there the id tells: that of a payment is made
 * of its moment (UUID version 7), that of a withdrawal of the order's key (version 5).
 */
export function likelyKind({ transaction_type: type, payment_source: source, payment_id: id }: Transaction): Kind {
  return type !== 'SEND' && source === 'bank' && id?.charAt(14) === '5' ? 'payout' : 'payment'
}

async function ask(kind: Kind, id: string, signal: AbortSignal): Promise<Outside> {
  return kind === 'payout'
    ? { kind, ...(await callApi(payoutStatus, { params: { id } }, signal)) }
    : { kind, ...(await callApi(paymentStatus, { params: { id } }, signal)) }
}

/** How the payment or withdrawal behind a transaction stands. */
export const outsideQuery = (transaction: Transaction) => {
  const { payment_id: id, status } = transaction
  return queryOptions({
    queryKey: ['outside', id, transaction.id, status],
    queryFn: async ({ signal }): Promise<Outside | null> => {
      if (id === null) return null
      const likely = likelyKind(transaction)
      try {
        return await ask(likely, id, signal)
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== 'not_found') throw error
        return ask(likely === 'payout' ? 'payment' : 'payout', id, signal)
      }
    },
    enabled: id !== null && transaction.transaction_type !== 'RECEIVE',
    retry: false,
  })
}
