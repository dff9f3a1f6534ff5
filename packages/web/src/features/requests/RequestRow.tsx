import { cancelRequest, type PaymentRequest, remindPayer } from '@tern/contract/requests/requests'
import { Suspense, useState } from 'react'
import { copying } from '#messages/copying.ts'
import { receive } from '#messages/transfers/requests.ts'
import { paths } from '../../app/paths.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { useCopy } from '../../ui/feedback/use-copy.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatDate } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import type { MenuItem } from '../../ui/layout/Menu.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Amount } from '../../ui/money/Amount.tsx'
import { RequestBadge } from './RequestBadge.tsx'
import { formatAmounts, describeDetails, chooseGroup } from './request-state.ts'

const row =
  'person-row grid min-h-18 items-center py-3 relative grid-cols-[minmax(0,1fr)_auto_auto] gap-x-3 ' +
  '[&_.button-square]:-ms-1 [&_.button-square]:-me-3 [&_.button-square]:text-ink-2'
const closedClass = '[&_b]:font-book [&_b]:text-ink-2 [&>.tabular]:font-book [&>.tabular]:text-ink-2'
/** Progress line of the paid share of a request. */
const line =
  'absolute inset-x-0 top-auto -bottom-0.25 h-0.5 w-full appearance-none border-0 bg-transparent ' +
  '[&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-sea [&::-moz-progress-bar]:bg-sea'

const ConfirmDialog = lazyComponent(() => import('../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')
const Menu = lazyComponent(() => import('../../ui/layout/Menu.tsx'), 'Menu')

interface RowProps {
  userId: number
  request: PaymentRequest
  /** Opens the request for sharing. */
  onShow: (request: PaymentRequest) => void
}

export function RequestRow({ userId, request, onShow }: RowProps) {
  const [isConfirming, setIsConfirming] = useState(false)
  const { state, direction, description } = request
  const group = chooseGroup(request)
  const details = describeDetails(request)
  const { amount, detail } = formatAmounts(request)
  const actions = useRowActions({ userId, request, onShow }, () => setIsConfirming(true))
  return (
    <li className={classNames(row, group === 'closed' && closedClass)}>
      <span className="min-w-0 wrap-anywhere">
        <b className="font-medium">{description}</b>
        <span className="request-details">
          <RequestBadge state={state} />
          {details && <span dir="auto"> · {details}</span>}
        </span>
      </span>
      <span className="tabular text-end whitespace-nowrap">
        {group === 'paid' && direction === 'outgoing' ? (
          <Amount amount={request.amount} currency={request.currency} direction="in" />
        ) : (
          <b className="font-medium">{amount}</b>
        )}
        <span className="request-details">{detail}</span>
      </span>
      {direction === 'incoming' ? (
        <LinkButton look="secondary" to={`${paths.pay}?data=${request.data}`}>
          {receive.pay}
        </LinkButton>
      ) : (
        <Suspense fallback={<span className="size-11" />}>
          <Menu
            className="button button-square"
            label={receive.actionsOf(description)}
            trigger={<ExtraIcon name="more" />}
            items={actions.items}
          />
        </Suspense>
      )}
      {state === 'part_paid' && (
        <progress className={line} max={describeParts(request).whole} value={describeParts(request).paid} aria-hidden />
      )}
      {isConfirming && (
        <Suspense>
          <ConfirmDialog
            title={receive.cancelTitle}
            text={receive.cancelText}
            action={receive.cancelRequest}
            cancel={receive.keep}
            onConfirm={() => {
              setIsConfirming(false)
              actions.cancel()
            }}
            onClose={() => setIsConfirming(false)}
          />
        </Suspense>
      )}
    </li>
  )
}

/** Paid and total amount in the currency's smallest unit, for the progress line. */
function describeParts({ paid_amount: paid, amount }: PaymentRequest) {
  const digits = (text: string) => Number(text.replace('.', '')) // not money: a share of a line's length
  return { paid: digits(paid), whole: digits(amount) }
}

function useRowActions({ userId, request, onShow }: RowProps, onCancel: () => void) {
  const copy = useCopy()
  const toast = useToast()
  const params = { id: request.id }
  const { send } = useApiMutation({
    failed: receive.actionFailed,
    onFailed: (message) => toast(message, 'warning'),
    refetches: [['requests', userId]],
  })
  const from = request.remind_from
  const isReminderTooEarly = from !== null && new Date(from) > new Date()
  const remind: MenuItem | false = from !== null && {
    label: isReminderTooEarly ? receive.remindFrom(formatDate(from)) : receive.remind,
    icon: <Icon name="clock" />,
    disabled: isReminderTooEarly,
    onChoose: () => send(remindPayer, { params }, () => toast(receive.reminded)),
  }
  const isWaiting = chooseGroup(request) === 'waiting' && request.state !== 'processing'
  const items: MenuItem[] = [
    { label: receive.copyLink, icon: <Icon name="copy" />, onChoose: () => copy(request.url, copying.done) },
    ...(isWaiting ? [{ label: receive.showCode, icon: <Icon name="search" />, onChoose: () => onShow(request) }] : []),
    ...(remind && isWaiting ? [remind] : []),
    ...(isWaiting
      ? [{ label: receive.cancelRequest, icon: <Icon name="cross" />, onChoose: onCancel, isLast: true }]
      : []),
  ]
  return { items, cancel: () => send(cancelRequest, { params }, () => toast(receive.canceled)) }
}
