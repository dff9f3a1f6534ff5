import { useQuery } from '@tanstack/react-query'
import type { Order } from '@tern/contract/orders/orders'
import { useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { Subject } from './order-form.ts'
import { type Alerts, orderQuery, type Orders } from './order-queries.ts'

export type AddressTarget = { readonly order: string } | { readonly alert: string }

const newSubject: Subject = { is: 'new' }

/**
 * Subject of the page, from the address: the order of `?order=…` is edited while it is open, and shown on the chart
 * once it has ended. Without `order`, an order that is filled while the page is open is shown.
 */
export function useSubject(userId: number, orders: Orders, alerts: Alerts) {
  const [address, setAddress] = useSearchParams()
  const orderId = address.get('order')
  const alertId = address.get('alert')
  const listedOrders = [...orders.open, ...orders.history]
  const isListed = orderId === null || listedOrders.some(({ id }) => id === orderId)
  const { data: fetchedOrder } = useQuery({ ...orderQuery(userId, orderId ?? ''), enabled: !isListed })
  const foundOrder = listedOrders.find(({ id }) => id === orderId) ?? (isListed ? undefined : fetchedOrder)
  const alert = alerts.open.find(({ id }) => id === alertId)
  const filledOrder = useFilledOrder(orders)
  const isEditable = foundOrder?.state === 'open'
  const subject: Subject = isEditable ? { is: 'order', order: foundOrder } : alert ? { is: 'alert', alert } : newSubject
  const select = (next: AddressTarget | undefined) =>
    setAddress(next ? { ...next } : {}, { replace: true, preventScrollReset: true })
  return {
    subject,
    selectedOrder: foundOrder && !isEditable ? foundOrder : orderId === null ? filledOrder : undefined,
    select,
  }
}

/** Latest order that was open on this page and has been filled since. */
function useFilledOrder({ open, history }: Orders): Order | undefined {
  const knownIds = useRef(new Set<string>())
  for (const { id } of open) knownIds.current.add(id)
  return history.find(({ id, state }) => state === 'filled' && knownIds.current.has(id))
}
