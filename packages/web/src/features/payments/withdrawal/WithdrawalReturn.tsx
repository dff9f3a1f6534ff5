import { payoutStatus } from '@tern/contract/banking'
import { withdrawals } from '#messages/withdrawals.ts'
import { useStatus } from '../../../app/orders/status.ts'
import type { ProviderReturn } from '../../../app/provider-page.ts'
import { callApi } from '../../../app/session/session.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'

interface WithdrawalReturnProps {
  withdrawal: NonNullable<ProviderReturn['withdrawal']>
}

/** How a withdrawal stands, as the server says: the address only names it. */
export default function WithdrawalReturn({ withdrawal: { id } }: WithdrawalReturnProps) {
  const { status: payout } = useStatus({
    key: ['payout', id],
    ask: (signal) => (id ? callApi(payoutStatus, { params: { id } }, signal).catch(() => null) : Promise.resolve(null)),
    isOpen: (found) => found?.status === 'pending',
  })
  return (
    <div className="mt-6 max-w-140">
      {payout === undefined && <TextSkeleton lines={1} />}
      {payout === null && <Note live>{withdrawals.returnedUnknown}</Note>}
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
