import { useQuery } from '@tanstack/react-query'
import { transaction as words } from '#messages/transaction.ts'
import { wallets } from '#messages/wallets.ts'
import { transactionsQuery } from '../../app/session/live.ts'
import { paths } from '../../app/paths.ts'
import { toActivity } from '../../ui/money/activity.ts'
import { ActivityRow } from '../../ui/money/ActivityRow.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'

export function RecentTransactions({ userId }: { userId: number }) {
  const { data, isError, refetch } = useQuery(transactionsQuery(userId, { limit: '3' }))
  const isEmpty = data?.transactions.length === 0
  return (
    <section>
      <div className="section-head">
        <h2 className="display-s">{wallets.recent}</h2>
      </div>
      {isEmpty && <EmptyState title={wallets.noTransactions} />}
      {data && !isEmpty && (
        <ul>
          {data.transactions.map((transaction) => (
            <ActivityRow
              key={transaction.id}
              to={`${paths.transactions}?details=${transaction.id}`}
              {...toActivity(transaction)}
              kind={words.types[transaction.transaction_type] ?? words.otherType}
            />
          ))}
        </ul>
      )}
      {!data && isError && <ErrorState title={wallets.transactionsFailed} onRetry={() => void refetch()} />}
      {!data && !isError && <ActivitySkeleton rows={3} />}
      {!isEmpty && (
        <LinkButton look="ghost" className="mt-2 -ms-3" iconAfter="next" to={paths.transactions}>
          {wallets.viewAll}
        </LinkButton>
      )}
    </section>
  )
}
