import type { Quote } from '@tern/contract/exchange'
import { describe, expect, it } from 'vitest'
import { dated } from './dated-quote.ts'
import { createUnusedQuotes } from './quotes.ts'

it('measures the validity of a quote by its duration, regardless of the device clock', () => {
  const madeAtMs = Date.parse('2026-11-21T10:00:00.000Z')
  const hex = madeAtMs.toString(16).padStart(12, '0')
  const quote = {
    quote_id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`,
    expires_at: '2026-11-21T10:05:00.000Z',
  } as Quote
  const deviceClockMs = Date.parse('2031-01-01T00:00:00.000Z')
  expect(dated(quote, deviceClockMs).holdsUntilMs - deviceClockMs).toBe(300_000)
})

describe('prices that are no longer shown', () => {
  it('are released once each, the latest first, and never the one on the page', () => {
    const left = createUnusedQuotes()
    left.show('a', undefined)
    expect(left.giveBack()).toBeUndefined()
    left.show('b', undefined)
    left.show(undefined, undefined)
    expect([left.giveBack(), left.giveBack(), left.giveBack()]).toEqual(['b', 'a', undefined])
  })

  it('are kept when they are ordered, or shown again', () => {
    const left = createUnusedQuotes()
    left.show('a', undefined)
    left.show('a', 'a')
    left.show('b', 'a')
    left.show('c', undefined)
    left.show('b', undefined)
    expect([left.giveBack(), left.giveBack()]).toEqual(['c', undefined])
  })
})
