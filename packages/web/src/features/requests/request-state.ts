import type { PaymentRequest, RequestState } from '@tern/contract/requests/requests'
import { receive } from '#messages/transfers/requests.ts'
import { formatDate, formatRelative } from '../../ui/format/format.ts'
import type { IconName } from '../../ui/icon/icons.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

/** Icon of a state, shown with its name. `ring` and `half` are drawn in CSS. */
export const stateIcons: Readonly<Record<RequestState, IconName | 'eye' | 'hidden' | 'ring' | 'half'>> = {
  open: 'ring',
  seen: 'eye',
  part_paid: 'half',
  processing: 'clock',
  paid: 'check',
  expired: 'clock',
  cancelled: 'hidden',
  declined: 'cross',
}

const isClosed = (state: RequestState): boolean => state === 'expired' || state === 'cancelled' || state === 'declined'

/** Heading under which a request is listed. */
export const chooseGroup = ({ state }: PaymentRequest): 'waiting' | 'paid' | 'closed' =>
  state === 'paid' ? 'paid' : isClosed(state) ? 'closed' : 'waiting'

const displayName = (person: { name: string | null; username: string }): string => person.name ?? person.username

export function describeDetails(request: PaymentRequest): string {
  const { state, direction, payer, payments, decline_reason: reason, accepted_for: day } = request
  const last = payments[0]
  const other = direction === 'incoming' ? request.requester : (last?.payer ?? payer)
  const who = (direction === 'outgoing' && last?.guest_name) || (other && displayName(other))
  if (state === 'declined') return [who, reason && receive.because(reason)].filter(Boolean).join(': ')
  if (state === 'paid' || state === 'part_paid')
    return [who, last && formatRelative(last.at)].filter(Boolean).join(', ')
  if (state === 'expired') return request.opened > 0 ? receive.opened(request.opened) : ''
  const since = request.seen_at ?? request.created_at
  const parts = [who, day ? receive.acceptedFor(formatDate(`${day}T12:00:00`)) : formatRelative(since)]
  return parts.filter(Boolean).join(' · ')
}

/** Amount of a row, and the text below it. */
export function formatAmounts(request: PaymentRequest): { readonly amount: string; readonly more: string } {
  const { state, amount, currency, payments } = request
  const whole = formatExact(amount, currency)
  if (state === 'part_paid') {
    const left = formatExact(request.remaining_amount, currency)
    return {
      amount: receive.left(left),
      more: receive.ofWhich(formatExact(request.paid_amount, currency), whole),
    }
  }
  if (state === 'paid') {
    const only = payments.length === 1 ? payments[0] : undefined
    const paid = only && formatExact(only.paid_amount, only.paid_currency)
    return { amount: whole, more: paid ? receive.paidIn(paid) : '' }
  }
  const day = formatDate(request.closed_at ?? request.expires_at)
  return { amount: whole, more: isClosed(state) ? day : receive.until(day) }
}
