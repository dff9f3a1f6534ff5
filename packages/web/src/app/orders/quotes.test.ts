import type { Quote } from '@tern/contract/exchange'
import { describe, expect, it } from 'vitest'
import { toDatedQuote } from './dated-quote.ts'
import { createUnusedQuotes } from './quotes.ts'

it('measures the validity of a quote by its duration, regardless of the device clock', () => {
  const createdAtMs = Date.parse('2026-11-21T10:00:00.000Z')
  const hex = createdAtMs.toString(16).padStart(12, '0')
  const quote = {
    quote_id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`,
    expires_at: '2026-11-21T10:05:00.000Z',
  } as Quote
  const deviceClockMs = Date.parse('2031-01-01T00:00:00.000Z')
  expect(toDatedQuote(quote, deviceClockMs).holdsUntilMs - deviceClockMs).toBe(300_000)
})

describe('prices that are no longer shown', () => {
  it('are released once each, the latest first, and never the one on the page', () => {
    const unusedQuotes = createUnusedQuotes()
    unusedQuotes.track('a', undefined)
    expect(unusedQuotes.release()).toBeUndefined()
    unusedQuotes.track('b', undefined)
    unusedQuotes.track(undefined, undefined)
    expect([unusedQuotes.release(), unusedQuotes.release(), unusedQuotes.release()]).toEqual(['b', 'a', undefined])
  })

  it('are kept when they are ordered, or shown again', () => {
    const unusedQuotes = createUnusedQuotes()
    unusedQuotes.track('a', undefined)
    unusedQuotes.track('a', 'a')
    unusedQuotes.track('b', 'a')
    unusedQuotes.track('c', undefined)
    unusedQuotes.track('b', undefined)
    expect([unusedQuotes.release(), unusedQuotes.release()]).toEqual(['c', undefined])
  })
})
