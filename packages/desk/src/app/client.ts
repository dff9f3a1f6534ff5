import { createClient } from '@tern/contract/protocol/client'
import type { DeskAct, DeskQueue } from '@tern/contract/desk/roles'

/** API client of the desk. Scripts cannot read the session, which is an HTTP-only cookie. */
export const { call } = createClient({ baseUrl: '/desk/api' })

export const queryKeys = {
  me: ['me'],
  counts: ['counts'],
  queue: (queue: DeskQueue) => ['queue', queue],
  entry: (queue: DeskQueue, id: string) => ['queue', queue, id],
  treasury: ['treasury'],
  operators: ['operators'],
  log: ['log'],
  ownCall: ['own-call'],
  callAlerts: ['call-alerts'],
} as const

/** Pages by permission, in the order of the navigation. `letter` opens the page after G. */
export const places: readonly { act: DeskAct; path: string; letter: string; group: 'decide' | 'mend' | 'watch' }[] = [
  { act: 'verifications', path: '/queues/verifications', letter: 'v', group: 'decide' },
  { act: 'holds', path: '/queues/holds', letter: 'h', group: 'decide' },
  { act: 'cases', path: '/queues/cases', letter: 'c', group: 'decide' },
  { act: 'objections', path: '/queues/objections', letter: 'b', group: 'decide' },
  { act: 'exceptions', path: '/queues/exceptions', letter: 'r', group: 'mend' },
  { act: 'payouts', path: '/queues/payouts', letter: 'p', group: 'mend' },
  { act: 'disputes', path: '/queues/disputes', letter: 'd', group: 'decide' },
  { act: 'treasury', path: '/treasury', letter: 't', group: 'watch' },
  { act: 'people', path: '/people', letter: 'o', group: 'watch' },
  { act: 'operators', path: '/operators', letter: 'u', group: 'watch' },
  { act: 'log', path: '/log', letter: 'a', group: 'watch' },
]
