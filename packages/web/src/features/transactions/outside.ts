import { queryOptions } from '@tanstack/react-query'
import { payoutStatus } from '@tern/contract/banking'
import { Refused } from '@tern/contract/client'
import type { Reply } from '@tern/contract/endpoint'
import { paymentStatus } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { callApi } from '../../session.ts'

/** What stands behind a transaction outside: money that came by card or bank, or went to a bank. */
export type Outside =
  | ({ readonly kind: 'payment' } & Reply<typeof paymentStatus>)
  | ({ readonly kind: 'payout' } & Reply<typeof payoutStatus>)

type Kind = Outside['kind']

const samePlaceMs = 60_000

/** When an id was made, in milliseconds since 1970: a UUIDv7 begins with it. */
const madeAtMs = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

/**
 * What a transaction most likely belongs to. Only banks are on both sides: a movement of the moment in which its payment
 * or withdrawal was ordered is that itself, and a later one undoes one of the other kind.
 */
export function likelyKind({ transaction_type: type, payment_source: source, ...rest }: Transaction): Kind {
  if (type === 'SEND' || source !== 'bank' || rest.payment_id === null) return 'payment'
  const isOrdered = Math.abs(new Date(rest.timestamp).getTime() - madeAtMs(rest.payment_id)) < samePlaceMs // not money: time
  return (type === 'WITHDRAW') === isOrdered ? 'payout' : 'payment'
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
