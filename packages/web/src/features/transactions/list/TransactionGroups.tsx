import type { Transaction } from '@tern/contract/transactions'
import { waitingNote } from '../../../app/undo/LeaveCountdown.tsx'
import { ActivityRow } from '../../../ui/money/ActivityRow.tsx'
import { toActivity } from '../../../ui/money/activity.ts'
import { ActivitySkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { groupByCurrency, groupByDay } from './day-groups.ts'
import type { Column } from './list-state.ts'

interface TransactionGroupsProps {
  transactions: readonly Transaction[] | undefined
  pageSize: number
  /** Groups by day in date order; by currency in amount order, if there are several. */
  sort: Column
  onOpen: (transaction: Transaction) => void
}

export function TransactionGroups({ transactions, pageSize, sort, onOpen }: TransactionGroupsProps) {
  if (!transactions) return <ActivitySkeleton rows={pageSize} />
  const rows = (transactions: readonly Transaction[]) => (
    <ul>
      {transactions.map((transaction) => (
        <ActivityRow
          key={transaction.id}
          onOpen={() => onOpen(transaction)}
          {...toActivity(transaction)}
          note={waitingNote(transaction)}
        />
      ))}
    </ul>
  )
  if (sort !== 'date' && sort !== 'amount') return rows(transactions)
  const groups = sort === 'date' ? groupByDay(transactions) : groupByCurrency(transactions)
  if (sort === 'amount' && groups.length === 1) return rows(transactions)
  return groups.map((group) => (
    <section key={group.heading} aria-label={group.heading}>
      <h2 className="day-heading">{group.heading}</h2>
      {rows(group.transactions)}
    </section>
  ))
}
