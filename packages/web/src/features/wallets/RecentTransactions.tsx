import { useQuery } from '@tanstack/react-query'
import { transaction as words } from '#messages/transaction.ts'
import { wallets } from '#messages/wallets.ts'
import { transactionsQuery } from '../../app/session/live.ts'
import { paths } from '../../app/paths.ts'
import { toActivity } from '../../ui/money/activity.ts'
import { ActivityRow } from '../../ui/money/ActivityRow.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'

export function RecentTransactions({ userId }: { userId: number }) {
  const recent = useQuery(transactionsQuery(userId, { limit: '3' }))
  const isEmpty = recent.data?.transactions.length === 0
  return (
    <section>
      <div className="section-head">
        <h2 className="display-s">{wallets.recent}</h2>
      </div>
      <DataShell
        query={recent}
        skeleton={<ActivitySkeleton rows={3} />}
        failed={wallets.transactionsFailed}
        empty={() => isEmpty && <EmptyState title={wallets.noTransactions} />}
      >
        {({ transactions }) => (
          <ul>
            {transactions.map((transaction) => (
              <ActivityRow
                key={transaction.id}
                to={`${paths.transactions}?details=${transaction.id}`}
                {...toActivity(transaction)}
                kind={words.types[transaction.transaction_type] ?? words.otherType}
              />
            ))}
          </ul>
        )}
      </DataShell>
      {!isEmpty && (
        <LinkButton look="ghost" className="mt-2 -ms-3" iconAfter="next" to={paths.transactions}>
          {wallets.viewAll}
        </LinkButton>
      )}
    </section>
  )
}
