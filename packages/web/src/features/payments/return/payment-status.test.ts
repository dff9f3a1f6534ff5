import { expect, it, vi } from 'vitest'
import { type Payment, choosePaymentView } from './payment-status.ts'

vi.mock('../../../app/session/session.ts', () => ({}))

const buildPayment = (status: Payment['status']) => ({ status }) as Payment

it('calls a payment canceled only if the server reports that it was not made', () => {
  expect(choosePaymentView(buildPayment('failed'), true)).toBe('canceled')
  expect(choosePaymentView(buildPayment('failed'), false)).toBe('failed')
  for (const answer of [buildPayment('pending'), 'unreachable'] as const) {
    expect(choosePaymentView(answer, true)).toBe('awaited')
    expect(choosePaymentView(answer, false)).toBe('awaited')
  }
})

it('trusts the server over the address', () => {
  for (const isCanceled of [true, false]) {
    expect(choosePaymentView(buildPayment('completed'), isCanceled)).toBe('completed')
    expect(choosePaymentView(buildPayment('reversed'), isCanceled)).toBe('reversed')
    expect(choosePaymentView('unknown', isCanceled)).toBe('unknown')
  }
})
