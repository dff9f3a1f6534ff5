import type { CallInput } from '@tern/contract/protocol/endpoint'
import type { Topic, UserEvent } from '@tern/contract/events'
import { transactionsOfUser } from '@tern/contract/transactions'
import { balanceHistory, type Wallet, walletOfUser, walletTotals } from '@tern/contract/wallets'
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { buildQuery } from './query.ts'
import { refetchUser, useUser } from './session.ts'

/** Page, order and filter of a list of transactions, all applied by the server. */
export type TransactionQuery = NonNullable<CallInput<typeof transactionsOfUser>['query']>
export type HistoryDays = '30' | '90' | '365'

/** Topics of the queries that change with each transaction. */
const lists = ['transactions', 'balance-history', 'totals', 'holdings']

/**
 * Topics of `changed` events that have queries, all but `account`. The keys of these start with topic and user:
 * `['requests', userId, …]`.
 */
const topics: readonly Topic[] = [
  'alerts',
  'calls',
  'notifications',
  'orders',
  'protection',
  'requests',
  'schedules',
  'transfers',
]

/** The person's own wallet, kept current by the event stream. */
export const walletQuery = (userId: number | undefined) =>
  buildQuery(['wallet', userId], walletOfUser, { params: { userId: String(userId) } })

/** One page of the person's transactions; the previous page stays while another loads. */
export const transactionsQuery = (userId: number | undefined, query: TransactionQuery) => ({
  ...buildQuery(['transactions', userId], transactionsOfUser, { params: { userId: String(userId) }, query }),
  placeholderData: keepPreviousData,
})

/** Base-currency balance over the last `days` days. */
export const historyQuery = (wallet: Wallet | undefined, days: HistoryDays) => ({
  ...buildQuery(['balance-history', wallet?.user_id], balanceHistory, {
    params: { id: wallet?.id ?? '' },
    query: { days },
  }),
  placeholderData: keepPreviousData,
})

/** Money in and out since the beginning of this month, in local time. */
export function totalsQuery(wallet: Wallet | undefined) {
  const now = new Date()
  const monthStart = new Date(now.getFullYear(), now.getMonth(), 1).toISOString()
  return buildQuery(['totals', wallet?.user_id], walletTotals, {
    params: { id: wallet?.id ?? '' },
    query: { since: monthStart },
  })
}

/** Keys of the person's wallet and of the queries that change with each transaction. */
export const moneyKeys = (userId: number | undefined) => ['wallet', ...lists].map((topic) => [topic, userId])

/** Refetches the `moneyKeys` after an action of the person, before its event arrives. */
export async function refreshMoney(queryClient: QueryClient, userId: number): Promise<void> {
  await Promise.all(moneyKeys(userId).map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}

async function handleEvent(
  queryClient: QueryClient,
  userId: number,
  event: UserEvent,
  isFirst: boolean,
): Promise<void> {
  if (event.type === 'balance') {
    const { queryKey } = walletQuery(userId)
    // A reply requested before the event may be older than it.
    await queryClient.cancelQueries({ queryKey })
    queryClient.setQueryData(queryKey, event.wallet)
  }
  const invalidate = (topic: string) => void queryClient.invalidateQueries({ queryKey: [topic, userId] })
  // Events of a new stream do not cover changes between the page's first request and the start of the stream. After
  // `refetch` the wallet arrives as a separate event.
  const isFullRefresh = isFirst || event.type === 'refetch'
  // The server filters, sorts and pages lists, so only it knows the position of a transaction.
  if (isFullRefresh || event.type === 'transaction') for (const topic of lists) invalidate(topic)
  const changed = event.type === 'changed' ? event.topics : isFullRefresh ? topics : []
  for (const topic of changed) invalidate(topic)
  // Blocks on money are shown above every open page. A new stream alone reloads no user: the page has just loaded it.
  if (event.type === 'refetch' || (event.type === 'changed' && event.topics.includes('account'))) void refetchUser()
}

/** Keeps the signed-in person's wallet, transactions and `topics` current with one event stream for all pages. */
export function useLiveData(queryClient: QueryClient): void {
  const userId = useUser()?.id
  useEffect(() => {
    if (userId === undefined) return
    const end = new AbortController()
    const onEvent = (event: UserEvent, isFirst: boolean) => void handleEvent(queryClient, userId, event, isFirst)
    void import('./event-stream.ts').then(({ followEvents }) => followEvents(onEvent, end.signal))
    return () => end.abort()
  }, [queryClient, userId])
}
