// State machine of payment requests. Queries that list or expire requests repeat its expiry rule in SQL.

import type { RequestState } from '@tern/contract/requests/requests'

/** Stored outcome; `open` until there is one. */
export type RequestStatus = 'open' | 'paid' | 'expired' | 'cancelled' | 'declined'

/** Facts that determine the state. Amounts are in minor units of the request's currency. */
export interface RequestFacts {
  readonly status: RequestStatus
  readonly amount_minor: bigint
  readonly paid_minor: bigint
  /** Amount of held and pending payments. */
  readonly reserved_minor: bigint
  readonly expires_at: Date
  readonly seen_at: Date | null
}

export const requestEvents = [
  /** A payment of the remaining amount, or a part of it, is made. */
  'pay',
  /** A payment has begun, and its amount is reserved until it ends. */
  'reserve',
  /** A reserved payment has settled. */
  'settle',
  /** A reserved payment has failed or was cancelled: its amount can be paid again. */
  'release',
  'cancel',
  'decline',
  'accept',
  'remind',
  'expire',
  /** A payer requests a new link instead of an expired one. */
  'ask_again',
] as const
export type RequestEvent = (typeof requestEvents)[number]

const openEvents: readonly RequestEvent[] = [
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

const possibleEvents: Readonly<Record<RequestState, readonly RequestEvent[]>> = {
  open: openEvents,
  seen: openEvents,
  part_paid: openEvents,
  // Pending payments cover the remaining amount, so nothing else is possible until they end.
  processing: ['settle', 'release'],
  paid: [],
  expired: ['ask_again'],
  cancelled: [],
  declined: [],
}

export const isPossible = (state: RequestState, event: RequestEvent): boolean => possibleEvents[state].includes(event)

/** Amount left to pay, in minor units: neither paid nor reserved. */
export const computeRemaining = ({
  amount_minor: amount,
  paid_minor: paidMinor,
  reserved_minor: reserved,
}: RequestFacts): bigint => amount - paidMinor - reserved

/** State at a time. A request without pending payments expires by the clock, before that is stored. */
export function determineRequestState(facts: RequestFacts, now: Date): RequestState {
  if (facts.status !== 'open') return facts.status
  if (computeRemaining(facts) === 0n) return 'processing'
  if (facts.reserved_minor === 0n && facts.expires_at <= now) return 'expired'
  if (facts.paid_minor > 0n) return 'part_paid'
  return facts.seen_at === null ? 'open' : 'seen'
}

type RequestChange = Pick<RequestFacts, 'status' | 'paid_minor' | 'reserved_minor'>

/** Stored facts after a payment of `minor` was made, reserved, settled or released. */
export function applyPaymentEvent(
  { amount_minor: amount, paid_minor: paidBefore, reserved_minor: reserved }: RequestFacts,
  event: 'pay' | 'reserve' | 'settle' | 'release',
  minor: bigint,
): RequestChange {
  const isPaid = event === 'pay' || event === 'settle'
  const paidMinor = isPaid ? paidBefore + minor : paidBefore
  const reservedMinor = event === 'pay' ? reserved : event === 'reserve' ? reserved + minor : reserved - minor
  return { status: paidMinor === amount ? 'paid' : 'open', paid_minor: paidMinor, reserved_minor: reservedMinor }
}
