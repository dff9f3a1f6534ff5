import { requestState } from '@tern/contract/requests/requests'
import { describe, expect, test } from 'vitest'
import {
  applyPaymentEvent,
  isPossible,
  requestEvents,
  type RequestFacts,
  determineRequestState,
} from './request-states.ts'

const openEvents = 'pay reserve settle release cancel decline accept remind expire'
/** Allowed events per state. All others are refused. */
const possibleEvents = {
  open: openEvents,
  seen: openEvents,
  part_paid: openEvents,
  processing: 'settle release',
  paid: '',
  expired: 'ask_again',
  cancelled: '',
  declined: '',
}

test.each(requestState.options)('%s: every event is allowed or refused, as in the table', (state) => {
  const allowedEvents = requestEvents.filter((event) => isPossible(state, event))
  expect(allowedEvents.toSorted()).toEqual(possibleEvents[state].split(' ').filter(Boolean).toSorted())
})

const now = new Date('2026-11-22T12:00:00Z')
const buildFacts = (changes: Partial<RequestFacts> = {}): RequestFacts => ({
  status: 'open',
  amount_minor: 100n,
  paid_minor: 0n,
  reserved_minor: 0n,
  expires_at: new Date(now.getTime() + 1),
  seen_at: null,
  ...changes,
})

describe('the state', () => {
  test.each<[string, Partial<RequestFacts>]>([
    ['open', {}],
    ['seen', { seen_at: now }],
    ['part_paid', { paid_minor: 99n, seen_at: now }],
    ['part_paid', { paid_minor: 50n, reserved_minor: 49n }],
    ['processing', { reserved_minor: 100n }],
    ['processing', { paid_minor: 50n, reserved_minor: 50n, expires_at: now }],
    ['expired', { expires_at: now }],
    ['expired', { expires_at: now, paid_minor: 50n }],
    // A pending payment keeps the request from expiring.
    ['open', { expires_at: now, reserved_minor: 50n }],
    ['paid', { status: 'paid', paid_minor: 100n, expires_at: now }],
    ['cancelled', { status: 'cancelled', paid_minor: 50n }],
    ['declined', { status: 'declined', seen_at: now }],
    ['expired', { status: 'expired' }],
  ])('is %s with %o', (state, changes) => {
    expect(determineRequestState(buildFacts(changes), now)).toBe(state)
  })
})

test.each([
  ['pay', {}, 100n, { status: 'paid', paid_minor: 100n, reserved_minor: 0n }],
  ['pay', {}, 40n, { status: 'open', paid_minor: 40n, reserved_minor: 0n }],
  ['reserve', { paid_minor: 40n }, 60n, { status: 'open', paid_minor: 40n, reserved_minor: 60n }],
  ['settle', { paid_minor: 40n, reserved_minor: 60n }, 60n, { status: 'paid', paid_minor: 100n, reserved_minor: 0n }],
  ['release', { paid_minor: 40n, reserved_minor: 60n }, 60n, { status: 'open', paid_minor: 40n, reserved_minor: 0n }],
] as const)('%s, with %o, of %s', (event, state, minor, nextState) => {
  expect(applyPaymentEvent(buildFacts(state), event, minor)).toEqual(nextState)
})
