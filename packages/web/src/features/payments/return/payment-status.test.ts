import { expect, it, vi } from 'vitest'
import { type Payment, viewOf } from './payment-status.ts'

vi.mock('../../../app/session/session.ts', () => ({}))

const said = (status: Payment['status']) => ({ status }) as Payment

it('calls a payment canceled only when the server says that it was not made', () => {
  expect(viewOf(said('failed'), true)).toBe('canceled')
  expect(viewOf(said('failed'), false)).toBe('failed')
  for (const answer of [said('pending'), 'unreachable'] as const) {
    expect(viewOf(answer, true)).toBe('awaited')
    expect(viewOf(answer, false)).toBe('awaited')
  }
})

it('believes the server before the address', () => {
  for (const isCanceled of [true, false]) {
    expect(viewOf(said('completed'), isCanceled)).toBe('completed')
    expect(viewOf(said('reversed'), isCanceled)).toBe('reversed')
    expect(viewOf('unknown', isCanceled)).toBe('unknown')
  }
})
