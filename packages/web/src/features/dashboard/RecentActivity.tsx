import type { UseQueryResult } from '@tanstack/react-query'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { transactionsOfUser } from '@tern/contract/transactions'
import { dashboard } from '#messages/home/dashboard.ts'
import { waitingNote } from '../../app/undo/in-lists.tsx'
import { paths } from '../../app/paths.ts'
import { ActivityRow } from '../../ui/money/ActivityRow.tsx'
import { toActivity } from '../../ui/money/activity.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'

export const newest = { limit: '5' }

export type Recent = Reply<typeof transactionsOfUser>

/** The five newest transactions, linked to their details. */
export function RecentActivity({ recent }: { recent: Pick<UseQueryResult<Recent>, 'data' | 'isError' | 'refetch'> }) {
  const transactions = recent.data?.transactions
  return (
    <section className="home-activity" aria-labelledby="recent-activity">
      <div className="section-head">
        <h2 className="display-s" id="recent-activity">
          {dashboard.recentActivity}
        </h2>
      </div>
      {transactions ? (
        transactions.length > 0 ? (
          <ul>
            {transactions.map((transaction) => (
              <ActivityRow
                key={transaction.id}
                to={`${paths.transactions}?details=${transaction.id}`}
                {...toActivity(transaction)}
                note={waitingNote(transaction)}
              />
            ))}
          </ul>
        ) : (
          <div className="border-t py-5">
            <p>{dashboard.noTransactions}</p>
            <p className="small muted mt-1">{dashboard.noTransactionsText}</p>
          </div>
        )
      ) : recent.isError ? (
        <ErrorState title={dashboard.dataFailed} onRetry={() => void recent.refetch()} />
      ) : (
        <ActivitySkeleton rows={5} />
      )}
      {transactions?.length !== 0 && (
        <LinkButton look="ghost" className="mt-2 -ms-3" iconAfter="next" to={paths.transactions}>
          {dashboard.viewAll}
        </LinkButton>
      )}
    </section>
  )
}
