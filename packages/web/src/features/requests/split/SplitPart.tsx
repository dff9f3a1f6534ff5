import type { PaymentRequest } from '@tern/contract/requests/requests'
import { receive } from '#messages/transfers/requests.ts'
import { split } from '#messages/transfers/split.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatDate, formatRelative } from '../../../ui/format/format.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { unambiguousName } from '../../../ui/money/activity.ts'
import { Amount } from '../../../ui/money/Amount.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { RequestBadge } from '../RequestBadge.tsx'
import { canRemind } from './use-split-actions.tsx'

const row =
  'person-row grid min-h-18 items-center gap-x-4 py-3 grid-cols-[40px_minmax(0,1fr)_auto_auto] max-md:grid-cols-[40px_minmax(0,1fr)_auto] max-md:gap-x-3'
const remind = 'px-3 max-md:col-start-2 max-md:col-end-4 max-md:row-start-2 max-md:mt-2 max-md:justify-self-start'

/** One participant's part: state, amount, and a reminder while it is open. */
export function SplitPart({ request, onRemind }: { request: PaymentRequest; onRemind: () => void }) {
  const { payer, state, payments } = request
  const name = payer?.name ?? payer?.username ?? ''
  // Strangers have only initials, which are ambiguous.
  const payerName = unambiguousName({ counterparty: payer }) ?? ''
  const details = describeDetails(request)
  const [lastPayment] = payments
  const isPaid = state === 'paid'
  return (
    <li className={row}>
      <Avatar name={name} />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="block font-medium leading-5.5">{payerName}</bdi>
        <span className="request-details">
          <RequestBadge state={state} />
          {details && <span dir="auto"> · {details}</span>}
        </span>
      </span>
      {canRemind(request) && (
        <Button className={remind} aria-label={split.remindName(payerName)} onClick={onRemind}>
          {split.remind}
        </Button>
      )}
      <span className="tabular text-end whitespace-nowrap md:col-start-4 max-md:col-start-3 max-md:row-start-1">
        {isPaid ? (
          <Amount amount={request.amount} currency={request.currency} direction="in" />
        ) : (
          <b className="font-medium">{formatExact(request.amount, request.currency)}</b>
        )}
        {isPaid && lastPayment && lastPayment.paid_currency !== request.currency && (
          <span className="request-details">
            {receive.paidIn(formatExact(lastPayment.paid_amount, lastPayment.paid_currency))}
          </span>
        )}
      </span>
    </li>
  )
}

function describeDetails(request: PaymentRequest): string {
  const { state, payments, accepted_for: day, reminded_at: remindedAt, remind_from: from, seen_at: seenAt } = request
  if (state === 'paid') return payments[0] ? formatRelative(payments[0].at) : ''
  if (state === 'declined') return request.decline_reason ? receive.because(request.decline_reason) : ''
  if (state === 'expired' || state === 'cancelled') return formatDate(request.closed_at ?? request.expires_at)
  if (state === 'processing') return ''
  if (day) return receive.acceptedFor(formatDate(`${day}T12:00:00`))
  if (remindedAt !== null && from !== null && !canRemind(request)) {
    return split.remindedAgain(formatDate(from))
  }
  return formatRelative(seenAt ?? request.created_at)
}
