import { currencyRate } from '@tern/contract/exchange'
import { order, orders } from '@tern/contract/orders/orders'
import { rateAlerts } from '@tern/contract/orders/rate-alerts'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { Refused } from '@tern/contract/protocol/client'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CurrencyCode } from '@tern/money/currency'
import { refreshMoney } from '../../app/session/live.ts'
import { buildQuery } from '../../app/session/query.ts'
import { callApi } from '../../app/session/session.ts'

export type Orders = Reply<typeof orders>
export type Alerts = Reply<typeof rateAlerts>

/** Rates change without an event in the user's stream. */
const refreshMs = 20_000

/** The user's orders: all open ones, and a page of ended ones. The event stream keeps them current. */
export const ordersQuery = (userId: number, cursor?: string) => ({
  ...buildQuery(['orders', userId], orders, { query: cursor ? { cursor } : {} }),
  ...(cursor ? {} : { refetchInterval: refreshMs }),
})

export const orderQuery = (userId: number, id: string) => ({
  ...buildQuery(['orders', userId], order, { params: { id } }),
  retry: false,
})

export const alertsQuery = (userId: number) => ({
  ...buildQuery(['alerts', userId], rateAlerts, {}),
  refetchInterval: refreshMs,
})

/** Current rate of one unit of a currency in another; null if no usable rate exists. */
export const rateNowQuery = (from: CurrencyCode, to: CurrencyCode) =>
  queryOptions({
    queryKey: ['rates', from, to, 'now'],
    async queryFn({ signal }) {
      try {
        const { rate, mid_market_rate: mid } = await callApi(currencyRate, { params: { from, to } }, signal)
        return { rate, mid }
      } catch (error) {
        if (error instanceof Refused && error.code === 'rates_unavailable') return null
        throw error
      }
    },
    refetchInterval: refreshMs,
    placeholderData: (last, query) =>
      query?.queryKey[1] === from && query.queryKey[2] === to ? keepPreviousData(last) : undefined,
  })

/** Refetches after an action of the user, before its event arrives. */
export async function refreshOrders(queryClient: QueryClient, userId: number): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['orders', userId] }),
    queryClient.invalidateQueries({ queryKey: ['alerts', userId] }),
    refreshMoney(queryClient, userId),
  ])
}
