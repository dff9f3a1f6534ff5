import type { Transaction } from '@tern/contract/transactions'
import { shell } from '#messages/shell.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { daysAgo, formatMonth } from '../../../ui/format/format.ts'

export interface Group {
  readonly heading: string
  readonly transactions: Transaction[]
}

/** Groups consecutive transactions with the same heading. */
function groupByHeading(
  transactions: readonly Transaction[],
  formatHeading: (transaction: Transaction) => string,
): Group[] {
  const groups: Group[] = []
  for (const transaction of transactions) {
    const heading = formatHeading(transaction)
    const lastGroup = groups.at(-1)
    if (lastGroup?.heading === heading) lastGroup.transactions.push(transaction)
    else groups.push({ heading, transactions: [transaction] })
  }
  return groups
}

/** Groups transactions in time order under "Today", "Yesterday", "Earlier in November", "October", etc. */
export function groupByDay(transactions: readonly Transaction[], now: Date = new Date()): Group[] {
  const thisMonth = formatMonth(now, now)
  return groupByHeading(transactions, ({ timestamp }) => {
    const days = daysAgo(timestamp, now)
    const month = formatMonth(timestamp, now)
    const heading = month === thisMonth ? texts.earlierIn(month) : month
    return days === 0 ? shell.today : days === 1 ? shell.yesterday : heading
  })
}

/** Groups transactions in amount order by currency. */
export const groupByCurrency = (transactions: readonly Transaction[]): Group[] =>
  groupByHeading(transactions, ({ currency }) => currency)
