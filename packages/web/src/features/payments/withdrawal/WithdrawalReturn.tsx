import { payoutStatus } from '@tern/contract/banking'
import { withdrawals } from '#messages/withdrawals.ts'
import { useStatus } from '../../../app/use-status.ts'
import { callApi } from '../../../app/session/session.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'

/** How a withdrawal stands, as the server says: the address only names it. */
export function WithdrawalReturn({ id }: { id: string | undefined }) {
  const { answer, found: payout } = useStatus({
    key: ['payout', id],
    enabled: id !== undefined,
    ask: (signal) => callApi(payoutStatus, { params: { id: id ?? '' } }, signal),
    isOpen: ({ status }) => status === 'pending',
  })
  return (
    <div className="mt-6 max-w-140">
      {!answer && id !== undefined && <TextSkeleton lines={1} />}
      {!payout && (answer || id === undefined) && <Note live>{withdrawals.returnedUnknown}</Note>}
      {payout?.status === 'pending' && <Note live>{withdrawals.returnedPending(formatDay(payout.expected_on))}</Note>}
      {payout?.status === 'completed' && <Note live>{withdrawals.returnedCompleted}</Note>}
      {(payout?.status === 'failed' || payout?.status === 'returned') && (
        <Note tone="error">
          <b>{withdrawals.refused}</b> {payout.reason}
        </Note>
      )}
    </div>
  )
}
