import { expect, it, vi } from 'vitest'
import { type Payment, choosePaymentView } from './payment-status.ts'

vi.mock('../../../app/session/session.ts', () => ({}))

const said = (status: Payment['status']) => ({ status }) as Payment

it('calls a payment canceled only if the server reports that it was not made', () => {
  expect(choosePaymentView(said('failed'), true)).toBe('canceled')
  expect(choosePaymentView(said('failed'), false)).toBe('failed')
  for (const answer of [said('pending'), 'unreachable'] as const) {
    expect(choosePaymentView(answer, true)).toBe('awaited')
    expect(choosePaymentView(answer, false)).toBe('awaited')
  }
})

it('trusts the server over the address', () => {
  for (const isCanceled of [true, false]) {
    expect(choosePaymentView(said('completed'), isCanceled)).toBe('completed')
    expect(choosePaymentView(said('reversed'), isCanceled)).toBe('reversed')
    expect(choosePaymentView('unknown', isCanceled)).toBe('unknown')
  }
})
