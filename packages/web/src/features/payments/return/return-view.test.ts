import { expect, it } from 'vitest'
import { returnViewOf } from './return-view.ts'

it('says that a payment was canceled only when the server says that it was not made', () => {
  expect(returnViewOf('failed', true)).toBe('canceled')
  expect(returnViewOf('failed', false)).toBe('failed')
  for (const state of ['pending', 'still pending', 'unreachable'] as const) {
    expect(returnViewOf(state, true), state).toBe('awaited')
    expect(returnViewOf(state, false), state).toBe('awaited')
  }
})

it('takes the word of the server before that of the address', () => {
  for (const state of ['completed', 'reversed', 'unknown'] as const) {
    expect(returnViewOf(state, true)).toBe(state)
    expect(returnViewOf(state, false)).toBe(state)
  }
})
