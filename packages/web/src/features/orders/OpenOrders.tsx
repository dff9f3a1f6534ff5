import '../../css/order-table.css'
import '../../css/table.css'
import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import { orders as texts } from '#messages/exchange/orders.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatDate, formatDateTime } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import type { Subject } from './order-form.ts'
import type { Alerts, Orders } from './order-queries.ts'
import { alertCondition, amountText, describeCondition, formatDistance, formatOwnRate, holdText } from './order-text.ts'
import { useOrderCancellation } from './use-canceled-orders.ts'
import type { AddressTarget } from './use-subject.ts'

interface OpenProps {
  userId: number
  orders: Orders
  alerts: Alerts
  subject: Subject
  onChoose: (chosen: AddressTarget | undefined) => void
}

export function OpenOrders({ userId, orders: { open, most_open: maxOpen }, alerts, subject, onChoose }: OpenProps) {
  const chosenId = subject.is === 'order' ? subject.order.id : subject.is === 'alert' ? subject.alert.id : undefined
  const endings = useOrderCancellation(userId, () => onChoose(undefined))
  const isEmpty = open.length === 0 && alerts.open.length === 0
  const pausedPairs = [...new Set(open.filter((order) => order.rate_now === null).map(pairText))]
  return (
    <section className="mt-16 max-md:mt-12 [&>.note]:mb-4" aria-labelledby="open-orders">
      <div className="flex gap-4 items-center justify-between mb-4">
        <h2 className="display-s" id="open-orders">
          {texts.open}
        </h2>
        <Button icon="plus" onClick={() => onChoose(undefined)}>
          {texts.newOrder}
        </Button>
      </div>
      {pausedPairs.length > 0 && (
        <Note tone="warning" live>
          <b>{texts.pausedTitle}</b> {texts.pausedText} {texts.pausedOf(pausedPairs.join(', '))}
        </Note>
      )}
      {endings.error && <Note tone="error">{endings.error}</Note>}
      {open.length === maxOpen && <p className="small muted">{texts.most(maxOpen)}</p>}
      {isEmpty ? (
        <EmptyState title={texts.emptyTitle} text={texts.emptyText} illustration="arcs" />
      ) : (
        <table className="table order-table">
          <thead>
            <tr>
              <th scope="col">{texts.columns.when}</th>
              <th scope="col">{texts.columns.distance}</th>
              <th scope="col" className="table-end">
                {texts.columns.onHold}
              </th>
              <th scope="col">{texts.columns.expires}</th>
              <th scope="col">
                <span className="visually-hidden">{texts.columns.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {open.map((order) => (
              <OrderRow key={order.id} order={order} isChosen={order.id === chosenId} {...{ endings, onChoose }} />
            ))}
            {alerts.open.map((alert) => (
              <AlertRow key={alert.id} alert={alert} isChosen={alert.id === chosenId} {...{ endings, onChoose }} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const pairText = ({ source_currency: source, target_currency: target }: Order) => texts.pairOf(source, target)

interface RowProps extends Pick<OpenProps, 'onChoose'> {
  isChosen: boolean
  endings: ReturnType<typeof useOrderCancellation>
}

function OrderRow({ order, isChosen, endings, onChoose }: RowProps & { order: Order }) {
  const { id, kind, state, distance_percent: distance, waiting } = order
  const name = describeCondition(order)
  return (
    <tr className={isChosen ? 'order-chosen' : undefined}>
      <th scope="row" className="order-first">
        {name}
        <span className="text-fine font-normal block text-ink-2 text-pretty">
          {kind === 'limit' ? limitText(order) : stopText(order)}
        </span>
        {state === 'in_review' && <HoldNote>{texts.inReview}</HoldNote>}
        {waiting && <HoldNote>{texts.waiting(formatDateTime(waiting.since), waiting.reason_text)}</HoldNote>}
      </th>
      <td>{distance === null ? <span className="text-wait">{texts.paused}</span> : formatDistance(distance)}</td>
      <td className="table-end" data-label={texts.columns.onHold}>
        {holdText(order)}
      </td>
      <td data-label={texts.columns.expires}>{formatDate(order.expires_at)}</td>
      <td className="order-acts">
        {state === 'open' && (
          <Button look="ghost" aria-label={texts.editNamed(name)} onClick={() => onChoose({ order: id })}>
            {texts.edit}
          </Button>
        )}
        <Button
          look="ghost"
          aria-label={texts.cancelNamed(name)}
          disabled={endings.isBusy}
          onClick={() => endings.cancel(order)}
        >
          {texts.cancel}
        </Button>
      </td>
    </tr>
  )
}

function HoldNote({ children }: { children: string }) {
  return (
    <span className="text-fine font-normal text-pretty flex gap-1.5 text-wait [&_.icon]:size-3.5 [&_.icon]:mt-0.5">
      <Icon name="pause" />
      {children}
    </span>
  )
}

const limitText = (order: Order): string =>
  texts.limitFor(amountText(order), formatExact(order.minimum_target_amount, order.target_currency))

const stopText = (order: Order): string =>
  texts.stopNot[order.rate_side](amountText(order), formatOwnRate(order.worst_rate))

function AlertRow({ alert, isChosen, endings, onChoose }: RowProps & { alert: RateAlert }) {
  const { id, distance_percent: distance } = alert
  const name = alertCondition(alert)
  return (
    <tr className={isChosen ? 'order-chosen' : undefined}>
      <th scope="row" className="order-first">
        {name}
        <span className="text-fine font-normal block text-ink-2 text-pretty">{texts.alertHow}</span>
      </th>
      <td>{distance === null ? <span className="text-wait">{texts.paused}</span> : formatDistance(distance)}</td>
      <td className="table-end" data-label={texts.columns.onHold}>
        {texts.nothing}
      </td>
      <td data-label={texts.columns.expires}>{texts.never}</td>
      <td className="order-acts">
        <Button look="ghost" aria-label={texts.editNamed(name)} onClick={() => onChoose({ alert: id })}>
          {texts.edit}
        </Button>
        <Button
          look="ghost"
          aria-label={texts.removeNamed(name)}
          disabled={endings.isBusy}
          onClick={() => endings.remove(alert)}
        >
          {texts.remove}
        </Button>
      </td>
    </tr>
  )
}
