import { queryOptions } from '@tanstack/react-query'
import { payoutStatus } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { paymentStatus } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { callApi } from '../../../app/session/session.ts'

/** External payment or withdrawal behind a transaction: by card or bank, or to a bank. */
export type ExternalOrder =
  | ({ readonly kind: 'payment' } & Reply<typeof paymentStatus>)
  | ({ readonly kind: 'payout' } & Reply<typeof payoutStatus>)

async function fetchExternalOrder(
  { kind, id }: NonNullable<Transaction['outside']>,
  signal: AbortSignal,
): Promise<ExternalOrder> {
  return kind === 'payout'
    ? { kind, ...(await callApi(payoutStatus, { params: { id } }, signal)) }
    : { kind, ...(await callApi(paymentStatus, { params: { id } }, signal)) }
}

/** Status of the external payment or withdrawal behind a transaction. */
export const externalOrderQuery = ({ id, outside, status, transaction_type: type }: Transaction) =>
  queryOptions({
    queryKey: ['outside', outside?.id ?? null, id, status],
    queryFn: ({ signal }) => (outside ? fetchExternalOrder(outside, signal) : null),
    enabled: outside !== null && type !== 'RECEIVE',
    retry: false,
  })
