import { transferKind, transferState } from '@tern/contract/transfers'
import { describe, expect, test } from 'vitest'
import { transferEvents, findTransition, type TransferKind } from './transitions.ts'

/** Allowed pairs of state and event of transfers within wallets, with the next state and the effects. */
const walletTransitions = {
  'created settle': 'settled post',
  'created hold': 'held reserve',
  'created refuse': 'failed',
  'held settle': 'settled post_reserved',
  'held cancel': 'released release',
  'held reject': 'released release',
  'held expire': 'released release',
}
const possibleTransitions: Record<TransferKind, Readonly<Record<string, string>>> = {
  wallet_send: walletTransitions,
  exchange: walletTransitions,
  funded_send: {
    ...walletTransitions,
    'created settle': 'awaiting_funding request_funds',
    'created hold': 'awaiting_funding request_funds',
    'awaiting_funding settle': 'settled post',
    'awaiting_funding hold': 'held credit_sender reserve',
    'awaiting_funding fail': 'failed release',
    'awaiting_funding keep': 'failed release credit_sender',
    'failed keep': 'failed credit_sender',
  },
  payout: {
    'created settle': 'processing reserve order_payout',
    'created hold': 'held reserve',
    'created refuse': 'failed',
    'held settle': 'processing order_payout',
    'held cancel': 'released fail_payout release',
    'held reject': 'released fail_payout release',
    'held expire': 'released fail_payout release',
    'processing hold': 'held',
    'processing complete': 'settled post_reserved',
    'processing fail': 'failed release',
    'settled return': 'failed credit_sender',
  },
  deposit: {
    'created hold': 'held reserve',
    'held settle': 'settled credit_deposit',
    'held send_back': 'processing order_return',
    'held fail': 'failed credit_deposit',
    'processing complete': 'released',
  },
}

describe.each(transferKind.options)('%s', (kind) => {
  test.each(transferState.options)('%s: every event leads to the state in the table, or is refused', (state) => {
    for (const event of transferEvents) {
      const transition = findTransition(kind, state, event)
      const actual = transition && [transition.next, ...transition.effects].join(' ')
      expect(actual, `${state} ${event}`).toBe(possibleTransitions[kind][`${state} ${event}`])
    }
  })

  test('final states stay, unless money comes late or comes back', () => {
    for (const state of ['settled', 'failed', 'released'] as const) {
      const events = transferEvents.filter((event) => findTransition(kind, state, event))
      expect(events.filter((event) => event !== 'keep' && event !== 'return')).toEqual([])
    }
  })
})
