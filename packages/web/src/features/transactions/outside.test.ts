import type { Transaction } from '@tern/contract/transactions'
import { expect, it } from 'vitest'
import { likelyKind } from './outside.ts'

const orderedAt = new Date('2026-11-21T10:00:00.000Z')
const hex = orderedAt.getTime().toString(16).padStart(12, '0')
const paymentId = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
const later = '2026-11-24T09:00:00.000Z'

const kindOf = (type: string, source: string, timestamp = orderedAt.toISOString()) =>
  likelyKind({ transaction_type: type, payment_source: source, timestamp, payment_id: paymentId } as Transaction)

it('finds out what a transaction belongs to from what it is and when it was made', () => {
  expect(kindOf('SEND', 'bank')).toBe('payment')
  expect(kindOf('SEND', 'wallet_partial')).toBe('payment')
  expect(kindOf('DEPOSIT', 'card', later)).toBe('payment')
  expect(kindOf('WITHDRAW', 'card', later), 'a card payment that was taken back').toBe('payment')
  expect(kindOf('DEPOSIT', 'bank')).toBe('payment')
  expect(kindOf('WITHDRAW', 'bank')).toBe('payout')
  expect(kindOf('DEPOSIT', 'bank', later), 'a withdrawal that was returned').toBe('payout')
  expect(kindOf('WITHDRAW', 'bank', later), 'a debit that was returned').toBe('payment')
})
