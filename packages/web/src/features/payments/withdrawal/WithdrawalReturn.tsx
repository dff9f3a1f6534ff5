import { useQuery } from '@tanstack/react-query'
import { payoutStatus } from '@tern/contract/banking'
import { withdrawals } from '#messages/withdrawals.ts'
import { callApi } from '../../../app/session/session.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import type { ProviderReturn } from '../../../app/provider-page.ts'

/** How a withdrawal stands, as the server says: the address only names it. */
export function WithdrawalReturn({ withdrawal: { id } }: { withdrawal: NonNullable<ProviderReturn['withdrawal']> }) {
  const { data, isLoading } = useQuery({
    queryKey: ['payout', id],
    queryFn: ({ signal }) => callApi(payoutStatus, { params: { id: id ?? '' } }, signal),
    enabled: id !== undefined,
    retry: false,
  })
  return (
    <div className="mt-6 max-w-140">
      {isLoading && <TextSkeleton lines={1} />}
      {data?.status === 'pending' && <Note live>{withdrawals.returnedPending(formatDay(data.expected_on))}</Note>}
      {data?.status === 'completed' && <Note live>{withdrawals.returnedCompleted}</Note>}
      {(data?.status === 'failed' || data?.status === 'returned') && (
        <Note tone="error">
          <b>{withdrawals.refused}</b> {data.reason}
        </Note>
      )}
      {!data && !isLoading && <Note live>{withdrawals.returnedUnknown}</Note>}
    </div>
  )
}
