import type { Transaction } from '@tern/contract/transactions'
import { expect, test } from 'vitest'
import { readMoneyDirection, shortCounterparty, writeTitle, unambiguousName } from './activity.ts'

const from = (name: string | null) =>
  ({
    transaction_type: 'RECEIVE',
    source_currency: 'USD',
    target_currency: 'EUR',
    description: 'Books',
    counterparty: { id: 1, username: 'sam.taylor', name },
  }) as unknown as Transaction

test('a stranger, shown by initials, is distinguished by the username', () => {
  expect(writeTitle(from('S. T.'))).toBe('S. T. (sam.taylor)')
  expect(unambiguousName(from('S. T.'))).toBe('S. T. (sam.taylor)')
  expect(shortCounterparty(from('S. T.'))).toBe('sam.taylor')
  expect(shortCounterparty(from('司.'))).toBe('sam.taylor')
})

test('a known user is shown by name, a user without one by username', () => {
  expect(unambiguousName(from('Sam T. Taylor'))).toBe('Sam T. Taylor')
  expect(shortCounterparty(from('Sam T. Taylor'))).toBe('Sam')
  expect([writeTitle(from(null)), shortCounterparty(from(null))]).toEqual(['sam.taylor', 'sam.taylor'])
})

test.each([
  ['SEND', 'PENDING', 'review', undefined],
  ['SEND', 'PENDING', 'compliance', undefined],
  ['WITHDRAW', 'PENDING', 'street_mode', undefined],
  ['SEND', 'PENDING', 'undo', 'out'],
  ['SEND', 'PENDING', null, 'out'],
  ['RECEIVE', 'COMPLETED', null, 'in'],
  ['SEND', 'FAILED', null, undefined],
] as const)('%s, %s, held for %s: the sign of what moves', (type, status, reason, direction) => {
  const transaction = { transaction_type: type, status, hold_reason: reason } as Transaction
  expect(readMoneyDirection(transaction)).toBe(direction)
})
