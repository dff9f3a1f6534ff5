import type { Transaction } from '@tern/contract/transactions'
import { shell } from '#messages/shell.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { daysAgo, formatMonth } from '../../../ui/format/format.ts'

export interface Group {
  readonly heading: string
  readonly transactions: Transaction[]
}

/** Transactions in order of time under "Today", "Yesterday", "Earlier in November", "October", … as they follow. */
export function groupByDay(transactions: readonly Transaction[], now: Date = new Date()): Group[] {
  const groups: Group[] = []
  const thisMonth = formatMonth(now, now)
  for (const transaction of transactions) {
    const days = daysAgo(transaction.timestamp, now)
    const month = formatMonth(transaction.timestamp, now)
    const earlier = month === thisMonth ? texts.earlierIn(month) : month
    const heading = days === 0 ? shell.today : days === 1 ? shell.yesterday : earlier
    const last = groups.at(-1)
    if (last?.heading === heading) last.transactions.push(transaction)
    else groups.push({ heading, transactions: [transaction] })
  }
  return groups
}
