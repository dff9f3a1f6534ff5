import '../../css/order-table.css'
import '../../css/table.css'
import { useQuery } from '@tanstack/react-query'
import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import { useState } from 'react'
import { orders as texts } from '#messages/exchange/orders.ts'
import { paths } from '../../app/paths.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { OrderIcon } from './OrderIcon.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatRate } from '../../ui/money/rates.ts'
import { type EndedItem, endOfPage, mergeEnded } from './ended-items.ts'
import { type Alerts, type Orders, ordersQuery } from './order-queries.ts'
import { alertCondition, amountText, describeCondition } from './order-text.ts'
import type { AddressTarget } from './use-subject.ts'

interface HistoryProps {
  userId: number
  orders: Orders
  alerts: Alerts
  selectedOrder: Order | undefined
  onChoose: (chosen: AddressTarget) => void
}

/** Ended orders and triggered alerts, newest first. */
export function OrderHistory({ userId, orders, alerts, selectedOrder, onChoose }: HistoryProps) {
  const endedItems = mergeEnded(orders, alerts, undefined)
  return (
    <section className="mt-16 max-md:mt-12 [&>.note]:mb-4" aria-labelledby="order-history">
      <h2 className="display-s mb-4" id="order-history">
        {texts.history}
      </h2>
      {endedItems.length === 0 ? (
        <p className="small muted">{texts.historyEmpty}</p>
      ) : (
        <>
          <EndedTable items={endedItems} selectedOrder={selectedOrder} onChoose={onChoose} />
          {orders.next_cursor && (
            <OlderOrders
              userId={userId}
              alerts={alerts}
              cursor={orders.next_cursor}
              endedBefore={endOfPage(orders)}
              selectedOrder={selectedOrder}
              onChoose={onChoose}
            />
          )}
        </>
      )}
    </section>
  )
}

interface TableProps extends Pick<HistoryProps, 'selectedOrder' | 'onChoose'> {
  items: readonly EndedItem[]
}

function EndedTable({ items, selectedOrder, onChoose }: TableProps) {
  const { columns } = texts
  return (
    <table className="table order-table">
      <thead>
        <tr>
          <th scope="col">{columns.order}</th>
          <th scope="col">{columns.outcome}</th>
          <th scope="col" className="table-end">
            {columns.got}
          </th>
          <th scope="col">{columns.ended}</th>
          <th scope="col">
            <span className="visually-hidden">{columns.more}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) =>
          'order' in item ? (
            <OrderRow
              key={item.order.id}
              order={item.order}
              isShown={item.order.id === selectedOrder?.id}
              onChoose={onChoose}
            />
          ) : (
            <AlertRow key={item.alert.id} alert={item.alert} />
          ),
        )}
      </tbody>
    </table>
  )
}

interface OlderProps extends Omit<HistoryProps, 'orders'> {
  cursor: string
  endedBefore: string | undefined
}

/** Older pages, each loaded on request. */
function OlderOrders({ userId, alerts, cursor, endedBefore, selectedOrder, onChoose }: OlderProps) {
  const [isRequested, setIsRequested] = useState(false)
  const { data, isError, refetch } = useQuery({ ...ordersQuery(userId, cursor), enabled: isRequested })
  if (isRequested && isError && !data) return <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
  if (!data) {
    return (
      <Button className="mt-4" processing={isRequested} onClick={() => setIsRequested(true)}>
        {texts.more}
      </Button>
    )
  }
  return (
    <>
      <EndedTable items={mergeEnded(data, alerts, endedBefore)} selectedOrder={selectedOrder} onChoose={onChoose} />
      {data.next_cursor && (
        <OlderOrders
          userId={userId}
          alerts={alerts}
          cursor={data.next_cursor}
          endedBefore={endOfPage(data)}
          selectedOrder={selectedOrder}
          onChoose={onChoose}
        />
      )}
    </>
  )
}

interface OrderRowProps extends Pick<HistoryProps, 'onChoose'> {
  order: Order
  isShown: boolean
}

function OrderRow({ order, isShown, onChoose }: OrderRowProps) {
  const { kind, filled, target_currency: target, ended_at: at, transaction_id: transaction } = order
  const name = describeCondition(order)
  return (
    <tr className={isShown ? 'order-chosen' : undefined}>
      <th scope="row" className="order-first">
        {name}
        <span className="text-fine font-normal block text-ink-2 text-pretty">
          {texts[kind === 'limit' ? 'limitOf' : 'stopOf'](amountText(order))}
        </span>
      </th>
      <td>
        <Outcome order={order} />
      </td>
      <td className="table-end" data-label={texts.columns.got}>
        {filled ? formatExact(filled.target_amount, target) : texts.nothing}
      </td>
      <td>{at && formatDateTime(at)}</td>
      <td className="order-acts">
        {filled && (
          <Button look="ghost" aria-label={texts.showNamed(name)} onClick={() => onChoose({ order: order.id })}>
            {texts.show}
          </Button>
        )}
        <LinkButton
          look="ghost"
          aria-label={texts.detailsNamed(name)}
          to={`${paths.transactions}?details=${transaction}`}
        >
          {texts.details}
        </LinkButton>
      </td>
    </tr>
  )
}

function Outcome({ order: { state, filled } }: { order: Order }) {
  if (filled) {
    const outcomeText = texts.outcome[filled.is_better ? 'better' : 'filled'](formatRate(filled.rate))
    return (
      <span className="chip chip-completed">
        <Icon name="check" />
        {outcomeText}
      </span>
    )
  }
  const isExpired = state === 'expired'
  return (
    <span className="chip">
      <Icon name={isExpired ? 'clock' : 'cross'} />
      {texts.outcome[isExpired ? 'expired' : state === 'rejected' ? 'rejected' : 'cancelled']}
    </span>
  )
}

function AlertRow({ alert }: { alert: RateAlert }) {
  return (
    <tr>
      <th scope="row" className="order-first">
        {alertCondition(alert)}
        <span className="text-fine font-normal block text-ink-2 text-pretty">{texts.alertOf}</span>
      </th>
      <td>
        <span className="chip">
          <OrderIcon name="bell" />
          {texts.outcome.told(formatRate(alert.told?.rate ?? alert.rate))}
        </span>
      </td>
      <td className="table-end" data-label={texts.columns.got}>
        {texts.nothing}
      </td>
      <td>{alert.told && formatDateTime(alert.told.at)}</td>
      <td />
    </tr>
  )
}
