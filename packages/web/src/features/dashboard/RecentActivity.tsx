import type { Reply } from '@tern/contract/protocol/endpoint'
import type { transactionsOfUser } from '@tern/contract/transactions'
import { dashboard } from '#messages/home/dashboard.ts'
import { waitingNote } from '../../app/undo/LeaveCountdown.tsx'
import { paths } from '../../app/paths.ts'
import { ActivityRow } from '../../ui/money/ActivityRow.tsx'
import { toActivity } from '../../ui/money/activity.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { DataShell, type LoadState } from '../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'

export const newest = { limit: '5' }

export type Recent = Reply<typeof transactionsOfUser>

/** The five newest transactions, linked to their details. */
export function RecentActivity({ recent }: { recent: LoadState<Recent> }) {
  return (
    <section className="home-activity" aria-labelledby="recent-activity">
      <div className="section-head">
        <h2 className="display-s" id="recent-activity">
          {dashboard.recentActivity}
        </h2>
      </div>
      <DataShell
        query={recent}
        skeleton={<ActivitySkeleton rows={5} />}
        failed={dashboard.dataFailed}
        empty={({ transactions }) =>
          transactions.length === 0 && (
            <div className="border-t py-5">
              <p>{dashboard.noTransactions}</p>
              <p className="small muted mt-1">{dashboard.noTransactionsText}</p>
            </div>
          )
        }
      >
        {({ transactions }) => (
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
        )}
      </DataShell>
      {recent.data?.transactions.length !== 0 && (
        <LinkButton look="ghost" className="mt-2 -ms-3" iconAfter="next" to={paths.transactions}>
          {dashboard.viewAll}
        </LinkButton>
      )}
    </section>
  )
}
