import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import type { Alerts, Orders } from './order-queries.ts'

export type EndedItem = { at: string } & ({ order: Order } | { alert: RateAlert })

export const endOfPage = ({ history }: Orders): string | undefined => history.at(-1)?.ended_at ?? undefined

/**
 * Orders of a page, and the alerts triggered in its period, newest first. `endedBefore` is the end of the newer page;
 * the last page has all older alerts.
 */
export function mergeEnded(page: Orders, { told: alerts }: Alerts, endedBefore: string | undefined): EndedItem[] {
  const oldestAt = page.next_cursor === null ? '' : (endOfPage(page) ?? '')
  const toTime = (alert: RateAlert) => alert.told?.at ?? alert.created_at
  return [
    ...page.history.map((order) => ({ at: order.ended_at ?? order.created_at, order })),
    ...alerts
      .filter((alert) => toTime(alert) >= oldestAt && (endedBefore === undefined || toTime(alert) < endedBefore))
      .map((alert) => ({ at: toTime(alert), alert })),
  ].toSorted((a, b) => (a.at < b.at ? 1 : -1))
}
