import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { transferStatus } from '@tern/contract/transfers'
import { buildQuery } from '../../../app/session/query.ts'

/** Reason why an externally paid send failed after its payment; the money is in the wallet. */
export function useFailureReason({ id, status, payment_source: source }: Transaction): string | undefined {
  const { data } = useQuery({
    ...buildQuery(['unmade'], transferStatus, { params: { id } }),
    enabled: status === 'FAILED' && source !== 'wallet',
    retry: false,
  })
  return data?.captured ? (data.reason ?? undefined) : undefined
}
