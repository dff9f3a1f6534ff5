import type { Transaction } from '@tern/contract/transactions'
import { waitingNote } from '../../../app/undo/in-lists.tsx'
import { ActivityRow } from '../../../ui/money/ActivityRow.tsx'
import { activityOf } from '../../../ui/money/activity.ts'
import { ActivitySkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { groupByDay } from './day-groups.ts'

interface TransactionGroupsProps {
  transactions: readonly Transaction[] | undefined
  pageSize: number
  /** Days head the list only when it goes by time. */
  byDate: boolean
  onOpen: (transaction: Transaction) => void
}

/** The list on a narrow screen. */
export function TransactionGroups({ transactions, pageSize, byDate, onOpen }: TransactionGroupsProps) {
  if (!transactions) return <ActivitySkeleton rows={pageSize} />
  const rows = (shown: readonly Transaction[]) => (
    <ul>
      {shown.map((transaction) => (
        <ActivityRow
          key={transaction.id}
          onOpen={() => onOpen(transaction)}
          {...activityOf(transaction)}
          note={waitingNote(transaction)}
        />
      ))}
    </ul>
  )
  if (!byDate) return rows(transactions)
  return groupByDay(transactions).map((group) => (
    <section key={group.heading} aria-label={group.heading}>
      <h2 className="day-heading">{group.heading}</h2>
      {rows(group.transactions)}
    </section>
  ))
}
