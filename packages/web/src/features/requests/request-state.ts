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

/** Group in which a request is listed. */
export const chooseGroup = ({ state }: PaymentRequest): 'waiting' | 'paid' | 'closed' =>
  state === 'paid' ? 'paid' : isClosed(state) ? 'closed' : 'waiting'

const displayName = (person: { name: string | null; username: string }): string => person.name ?? person.username

export function describeDetails(request: PaymentRequest): string {
  const { state, direction, payer, payments, decline_reason: reason, accepted_for: day } = request
  const lastPayment = payments[0]
  const otherPerson = direction === 'incoming' ? request.requester : (lastPayment?.payer ?? payer)
  const counterparty =
    (direction === 'outgoing' && lastPayment?.guest_name) || (otherPerson && displayName(otherPerson))
  if (state === 'declined') return [counterparty, reason && receive.because(reason)].filter(Boolean).join(': ')
  if (state === 'paid' || state === 'part_paid')
    return [counterparty, lastPayment && formatRelative(lastPayment.at)].filter(Boolean).join(', ')
  if (state === 'expired') return request.opened > 0 ? receive.opened(request.opened) : ''
  const eventAt = request.seen_at ?? request.created_at
  const parts = [counterparty, day ? receive.acceptedFor(formatDate(`${day}T12:00:00`)) : formatRelative(eventAt)]
  return parts.filter(Boolean).join(' · ')
}

/** Amount of a row, and the text below it. */
export function formatAmounts(request: PaymentRequest): { readonly amount: string; readonly detail: string } {
  const { state, amount, currency, payments } = request
  const totalText = formatExact(amount, currency)
  if (state === 'part_paid') {
    const remainingText = formatExact(request.remaining_amount, currency)
    return {
      amount: receive.left(remainingText),
      detail: receive.ofWhich(formatExact(request.paid_amount, currency), totalText),
    }
  }
  if (state === 'paid') {
    const onlyPayment = payments.length === 1 ? payments[0] : undefined
    const paidText = onlyPayment && formatExact(onlyPayment.paid_amount, onlyPayment.paid_currency)
    return { amount: totalText, detail: paidText ? receive.paidIn(paidText) : '' }
  }
  const day = formatDate(request.closed_at ?? request.expires_at)
  return { amount: totalText, detail: isClosed(state) ? day : receive.until(day) }
}
