import type { CallInput } from '@tern/contract/protocol/endpoint'
import type { Topic, UserEvent } from '@tern/contract/events'
import { transactionsOfUser } from '@tern/contract/transactions'
import { balanceHistory, walletOfUser, walletTotals } from '@tern/contract/wallets'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callApi, refetchUser, useUser } from './session.ts'

/** What a list of transactions is asked for: page, order and filter, all done by the server. */
export type TransactionQuery = NonNullable<CallInput<typeof transactionsOfUser>['query']>
export type HistoryDays = '30' | '90' | '365'

const keys = {
  wallet: (userId: number) => ['wallet', userId] as const,
  transactions: (userId: number) => ['transactions', userId] as const,
  history: (userId: number) => ['balance-history', userId] as const,
  totals: (userId: number) => ['totals', userId] as const,
  holdings: (userId: number) => ['holdings', userId] as const,
}

/** Queries about a topic begin with its name and the person: `['requests', userId, …]`. The event stream keeps them current. */
const topics: readonly Topic[] = [
  'alerts',
  'notifications',
  'orders',
  'protection',
  'requests',
  'schedules',
  'transfers',
]

/** The person's own wallet. Kept current by the event stream. */
export const walletQuery = (userId: number) =>
  queryOptions({
    queryKey: keys.wallet(userId),
    queryFn: ({ signal }) => callApi(walletOfUser, { params: { userId: String(userId) } }, signal),
  })

/** One page of the person's transactions; while another page is on its way, the last one stays. */
export const transactionsQuery = (userId: number, query: TransactionQuery) =>
  queryOptions({
    queryKey: [...keys.transactions(userId), query],
    queryFn: ({ signal }) => callApi(transactionsOfUser, { params: { userId: String(userId) }, query }, signal),
    placeholderData: keepPreviousData,
  })

/** How the base-currency balance went over the last days. */
export const historyQuery = (userId: number, walletId: string, days: HistoryDays) =>
  queryOptions({
    queryKey: [...keys.history(userId), walletId, days],
    queryFn: ({ signal }) => callApi(balanceHistory, { params: { id: walletId }, query: { days } }, signal),
    placeholderData: keepPreviousData,
  })

/** What came in and went out since this month began where the person is. */
export const totalsQuery = (userId: number, walletId: string) =>
  queryOptions({
    queryKey: [...keys.totals(userId), walletId],
    queryFn({ signal }) {
      const now = new Date()
      const since = new Date(now.getFullYear(), now.getMonth(), 1).toISOString()
      return callApi(walletTotals, { params: { id: walletId }, query: { since } }, signal)
    },
  })

/** Everything about the person's money is asked for again: after an action of their own, before its event has come. */
export async function refreshMoney(queryClient: QueryClient, userId: number): Promise<void> {
  await Promise.all(Object.values(keys).map((key) => queryClient.invalidateQueries({ queryKey: key(userId) })))
}

async function take(queryClient: QueryClient, userId: number, event: UserEvent, isFirst: boolean): Promise<void> {
  const { wallet, ...lists } = keys
  if (event.type === 'balance') {
    // An answer that was asked for before the event may be older than it.
    await queryClient.cancelQueries({ queryKey: wallet(userId) })
    queryClient.setQueryData(wallet(userId), event.wallet)
  }
  const invalidate = (queryKey: readonly unknown[]) => void queryClient.invalidateQueries({ queryKey })
  // The first event of a new stream says nothing of what happened between the page's first request and the stream's
  // beginning. After `refetch` the wallet comes as an event of its own.
  const isAll = isFirst || event.type === 'refetch'
  // Lists are filtered, sorted and cut by the server, so only it can say where a transaction belongs.
  if (isAll || event.type === 'transaction') for (const key of Object.values(lists)) invalidate(key(userId))
  const changed = event.type === 'changed' ? event.topics : isAll ? topics : []
  for (const topic of changed) invalidate([topic, userId])
  // What stops money stands above every page that is open. A page that is new has just asked for the person.
  if (event.type === 'refetch' || (event.type === 'changed' && event.topics.includes('account'))) void refetchUser()
}

/** Keeps the signed-in person's wallet, transactions and history current by one event stream, for all pages together. */
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
