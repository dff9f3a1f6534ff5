import type { Transaction } from '@tern/contract/transactions'
import { expect, it } from 'vitest'
import { likelyKind } from './outside.ts'

const ofPayment = '01a1ff05-1dd1-76e6-93ae-e495fbf5c2ed'
const ofWithdrawal = 'f66b7475-ad5d-5be6-ac9b-8c345e1d72c4'

const kindOf = (type: string, source: string, id: string) =>
  likelyKind({ transaction_type: type, payment_source: source, payment_id: id } as Transaction)

it('asks about the payment or the withdrawal that a transaction belongs to, also when it undoes it', () => {
  expect(kindOf('SEND', 'bank', ofPayment)).toBe('payment')
  expect(kindOf('SEND', 'wallet_partial', ofPayment)).toBe('payment')
  expect(kindOf('DEPOSIT', 'bank', ofPayment)).toBe('payment')
  expect(kindOf('WITHDRAW', 'card', ofPayment), 'a card payment that was taken back').toBe('payment')
  expect(kindOf('WITHDRAW', 'bank', ofPayment), 'a debit that was returned').toBe('payment')
  expect(kindOf('WITHDRAW', 'bank', ofWithdrawal)).toBe('payout')
  expect(kindOf('DEPOSIT', 'bank', ofWithdrawal), 'a withdrawal that was returned').toBe('payout')
})
