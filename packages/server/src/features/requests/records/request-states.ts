// What may happen to a payment request, and what follows. Nothing else decides about the states of a request.

import type { RequestState } from '@tern/contract/requests/requests'

/** How a request ends, as the database keeps it; `open` until then. */
export type RequestStatus = 'open' | 'paid' | 'expired' | 'cancelled' | 'declined'

/** What its state follows from. Amounts are minor units of its currency. */
export interface RequestFacts {
  readonly status: RequestStatus
  readonly amount_minor: bigint
  readonly paid_minor: bigint
  /** Of payments that are held or on their way. */
  readonly reserved_minor: bigint
  readonly expires_at: Date
  readonly seen_at: Date | null
}

export const requestEvents = [
  /** Money for all that is left, or a part of it, moves to the requester. */
  'pay',
  /** Such money is set aside until the transfer is decided. */
  'reserve',
  /** A transfer that was set aside has settled. */
  'settle',
  /** A transfer that was set aside was released: its amount is left to pay again. */
  'release',
  'cancel',
  'decline',
  'accept',
  'remind',
  'expire',
  /** Somebody wants a new link instead of an expired one. */
  'ask_again',
] as const
export type RequestEvent = (typeof requestEvents)[number]

const whileOpen: readonly RequestEvent[] = [
  'pay',
  'reserve',
  'settle',
  'release',
  'cancel',
  'decline',
  'accept',
  'remind',
  'expire',
]

const possible: Readonly<Record<RequestState, readonly RequestEvent[]>> = {
  open: whileOpen,
  seen: whileOpen,
  part_paid: whileOpen,
  // Money for all of it is on its way: nobody else pays, and nobody ends it before that is decided.
  processing: ['settle', 'release'],
  paid: [],
  expired: ['ask_again'],
  cancelled: [],
  declined: [],
}

/** Whether this may happen to a request in this state. */
export const isPossible = (state: RequestState, event: RequestEvent): boolean => possible[state].includes(event)

/** What is left to pay, in minor units: neither paid nor on its way. */
export const leftOf = ({ amount_minor: amount, paid_minor: paid, reserved_minor: reserved }: RequestFacts): bigint =>
  amount - paid - reserved

/** The state of a request at a time. It expires by the clock, unless money for it is on its way. */
export function stateAt(facts: RequestFacts, now: Date): RequestState {
  if (facts.status !== 'open') return facts.status
  if (leftOf(facts) === 0n) return 'processing'
  if (facts.reserved_minor === 0n && facts.expires_at <= now) return 'expired'
  if (facts.paid_minor > 0n) return 'part_paid'
  return facts.seen_at === null ? 'open' : 'seen'
}

type Change = Pick<RequestFacts, 'status' | 'paid_minor' | 'reserved_minor'>

/** The stored facts after a payment of `minor` was made, set aside, settled or released. */
export function afterPayment(
  { amount_minor: amount, paid_minor: paid, reserved_minor: reserved }: RequestFacts,
  event: 'pay' | 'reserve' | 'settle' | 'release',
  minor: bigint,
): Change {
  const isPaid = event === 'pay' || event === 'settle'
  const paidNow = isPaid ? paid + minor : paid
  const reservedNow = event === 'pay' ? reserved : event === 'reserve' ? reserved + minor : reserved - minor
  return { status: paidNow === amount ? 'paid' : 'open', paid_minor: paidNow, reserved_minor: reservedNow }
}
