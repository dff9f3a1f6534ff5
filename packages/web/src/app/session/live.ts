import type { CallInput } from '@tern/contract/protocol/endpoint'
import type { Topic, UserEvent } from '@tern/contract/events'
import { transactionsOfUser } from '@tern/contract/transactions'
import { balanceHistory, walletOfUser, walletTotals } from '@tern/contract/wallets'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callApi, refetchUser, useUser } from './session.ts'

/** Page, order and filter of a list of transactions, all applied by the server. */
export type TransactionQuery = NonNullable<CallInput<typeof transactionsOfUser>['query']>
export type HistoryDays = '30' | '90' | '365'

const keys = {
  wallet: (userId: number) => ['wallet', userId] as const,
  transactions: (userId: number) => ['transactions', userId] as const,
  history: (userId: number) => ['balance-history', userId] as const,
  totals: (userId: number) => ['totals', userId] as const,
  holdings: (userId: number) => ['holdings', userId] as const,
}

/** Query keys start with the topic and the person: `['requests', userId, …]`. The event stream keeps them current. */
const topics: readonly Topic[] = [
  'alerts',
  'notifications',
  'orders',
  'protection',
  'requests',
  'schedules',
  'transfers',
]

/** The person's own wallet, kept current by the event stream. */
export const walletQuery = (userId: number) =>
  queryOptions({
    queryKey: keys.wallet(userId),
    queryFn: ({ signal }) => callApi(walletOfUser, { params: { userId: String(userId) } }, signal),
  })

/** One page of the person's transactions; the previous page stays while another loads. */
export const transactionsQuery = (userId: number, query: TransactionQuery) =>
  queryOptions({
    queryKey: [...keys.transactions(userId), query],
    queryFn: ({ signal }) => callApi(transactionsOfUser, { params: { userId: String(userId) }, query }, signal),
    placeholderData: keepPreviousData,
  })

/** Base-currency balance over the last `days` days. */
export const historyQuery = (userId: number, walletId: string, days: HistoryDays) =>
  queryOptions({
    queryKey: [...keys.history(userId), walletId, days],
    queryFn: ({ signal }) => callApi(balanceHistory, { params: { id: walletId }, query: { days } }, signal),
    placeholderData: keepPreviousData,
  })

/** Money in and out since the beginning of this month, in local time. */
export const totalsQuery = (userId: number, walletId: string) =>
  queryOptions({
    queryKey: [...keys.totals(userId), walletId],
    queryFn({ signal }) {
      const now = new Date()
      const since = new Date(now.getFullYear(), now.getMonth(), 1).toISOString()
      return callApi(walletTotals, { params: { id: walletId }, query: { since } }, signal)
    },
  })

/** Refetches everything about the person's money after an action of their own, before its event arrives. */
export async function refreshMoney(queryClient: QueryClient, userId: number): Promise<void> {
  await Promise.all(Object.values(keys).map((key) => queryClient.invalidateQueries({ queryKey: key(userId) })))
}

async function take(queryClient: QueryClient, userId: number, event: UserEvent, isFirst: boolean): Promise<void> {
  const { wallet, ...lists } = keys
  if (event.type === 'balance') {
    // A reply requested before the event may be older than it.
    await queryClient.cancelQueries({ queryKey: wallet(userId) })
    queryClient.setQueryData(wallet(userId), event.wallet)
  }
  const invalidate = (queryKey: readonly unknown[]) => void queryClient.invalidateQueries({ queryKey })
  // The first event of a new stream says nothing about changes between the page's first request and the stream's
  // beginning. After `refetch` the wallet arrives as an event of its own.
  const isAll = isFirst || event.type === 'refetch'
  // Lists are filtered, sorted and paged by the server, so only it can place a transaction.
  if (isAll || event.type === 'transaction') for (const key of Object.values(lists)) invalidate(key(userId))
  const changed = event.type === 'changed' ? event.topics : isAll ? topics : []
  for (const topic of changed) invalidate([topic, userId])
  // Blocks on money are shown above every open page. A page that is new has just loaded the person.
  if (event.type === 'refetch' || (event.type === 'changed' && event.topics.includes('account'))) void refetchUser()
}

/** Keeps the signed-in person's wallet, transactions and history current with one event stream for all pages. */
export function useLiveData(queryClient: QueryClient): void {
  const userId = useUser()?.id
  useEffect(() => {
    if (userId === undefined) return
    const end = new AbortController()
    const onEvent = (event: UserEvent, isFirst: boolean) => void take(queryClient, userId, event, isFirst)
    void import('./event-stream.ts').then(({ followEvents }) => followEvents(onEvent, end.signal))
    return () => end.abort()
  }, [queryClient, userId])
}
