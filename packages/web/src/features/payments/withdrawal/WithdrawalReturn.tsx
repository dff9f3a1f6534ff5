import { payoutStatus } from '@tern/contract/banking'
import { transactionsOfUser } from '@tern/contract/transactions'
import { Link } from 'react-router'
import { withdrawals } from '#messages/withdrawals.ts'
import { paths } from '../../../app/paths.ts'
import type { ProviderReturn } from '../../../app/provider-page.ts'
import { useStatus } from '../../../app/use-status.ts'
import { callApi } from '../../../app/session/session.ts'
import { supportSentence } from '../../../app/support/support.ts'
import { SupportText } from '../../../app/support/SupportText.tsx'
import { formatDay } from '../../../ui/format/format-day.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'

/** Maximum age of the withdrawal that a return address without an id refers to. */
const recentMs = 24 * 3_600_000

/** Payout id of the latest withdrawal, if it was ordered recently; otherwise null. */
async function fetchNewestPayout(userId: number, signal: AbortSignal): Promise<string | null> {
  const query = { type: 'WITHDRAW', limit: '1' } as const
  const { transactions } = await callApi(transactionsOfUser, { params: { userId: String(userId) }, query }, signal)
  const [newest] = transactions
  const isRecent = newest !== undefined && Date.now() - Date.parse(newest.timestamp) < recentMs
  return isRecent && newest.outside?.kind === 'payout' ? newest.outside.id : null
}

function MissingWithdrawal() {
  return (
    <Note live>
      <b>{withdrawals.noneOnRecord}</b> {withdrawals.noneOnRecordText}{' '}
      <Link to={paths.transactions}>{withdrawals.seeTransactions}</Link>
    </Note>
  )
}

interface WithdrawalReturnProps {
  userId: number
  withdrawal: NonNullable<ProviderReturn['withdrawal']>
}

/** Status of a withdrawal as reported by the server; the address only identifies it. */
export function WithdrawalReturn({ userId, withdrawal: { id, hasFailed } }: WithdrawalReturnProps) {
  const { answer, found } = useStatus({
    key: ['payout', id ?? 'newest'],
    async fetchStatus(signal) {
      const payoutId = id ?? (await fetchNewestPayout(userId, signal))
      return { payout: payoutId === null ? null : await callApi(payoutStatus, { params: { id: payoutId } }, signal) }
    },
    isOpen: ({ payout }) => payout?.status === 'pending',
  })
  const payout = found?.payout
  const isRefused = payout ? payout.status === 'failed' || payout.status === 'returned' : payout === null && hasFailed
  return (
    <div className="mt-6 max-w-140">
      {!answer && <TextSkeleton lines={1} />}
      {answer === 'unreachable' && !payout && <Note live>{withdrawals.returnedUnknown}</Note>}
      {answer && answer !== 'unreachable' && !payout && !isRefused && <MissingWithdrawal />}
      {payout?.status === 'pending' && <Note live>{withdrawals.returnedPending(formatDay(payout.expected_on))}</Note>}
      {payout?.status === 'completed' && <Note live>{withdrawals.returnedCompleted}</Note>}
      {isRefused && (
        <Note tone="error">
          <b>
            <SupportText text={supportSentence(withdrawals.refused)} />
          </b>{' '}
          {payout ? payout.reason : withdrawals.nothingWithdrawn}
        </Note>
      )}
    </div>
  )
}
