import { expect, it, vi } from 'vitest'
import { type Payment, viewOf } from './payment-status.ts'

vi.mock('../../../app/session/session.ts', () => ({}))

const said = (status: Payment['status']) => ({ status }) as Payment

it('calls a payment canceled only if the server reports that it was not made', () => {
  expect(viewOf(said('failed'), true)).toBe('canceled')
  expect(viewOf(said('failed'), false)).toBe('failed')
  for (const answer of [said('pending'), 'unreachable'] as const) {
    expect(viewOf(answer, true)).toBe('awaited')
    expect(viewOf(answer, false)).toBe('awaited')
  }
})

it('trusts the server over the address', () => {
  for (const isCanceled of [true, false]) {
    expect(viewOf(said('completed'), isCanceled)).toBe('completed')
    expect(viewOf(said('reversed'), isCanceled)).toBe('reversed')
    expect(viewOf('unknown', isCanceled)).toBe('unknown')
  }
})
