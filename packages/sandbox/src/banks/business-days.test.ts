import { describe, expect, test } from 'vitest'
import { addBusinessDays } from './business-days.ts'

const addDays = (from: string, count: number, country: string): string =>
  addBusinessDays(new Date(from), count, country).toISOString()

describe('business days', () => {
  test.each([
    // Within a week, over a weekend, and from within a weekend.
    ['US', '2026-03-04T15:00:00Z', 2, '2026-03-06'],
    ['US', '2026-03-06T15:00:00Z', 1, '2026-03-09'],
    ['US', '2026-03-07T15:00:00Z', 1, '2026-03-09'],
    ['US', '2026-03-08T15:00:00Z', 2, '2026-03-10'],
    // Only the country's own holidays count.
    ['US', '2026-11-25T15:00:00Z', 1, '2026-11-27'],
    ['CA', '2026-11-25T15:00:00Z', 1, '2026-11-26'],
    ['CA', '2026-06-30T15:00:00Z', 1, '2026-07-02'],
    ['GB', '2026-12-24T10:00:00Z', 1, '2026-12-29'],
    ['DE', '2026-12-24T10:00:00Z', 1, '2026-12-28'],
    ['FR', '2026-07-13T10:00:00Z', 1, '2026-07-15'],
    ['AU', '2026-01-23T02:00:00Z', 1, '2026-01-27'],
    ['JP', '2026-05-01T02:00:00Z', 1, '2026-05-07'],
    ['SG', '2026-02-16T02:00:00Z', 1, '2026-02-19'],
    ['IN', '2026-10-01T10:00:00Z', 1, '2026-10-05'],
    ['BR', '2026-09-04T12:00:00Z', 1, '2026-09-08'],
    // Over Good Friday and Easter Monday.
    ['GB', '2026-04-02T10:00:00Z', 2, '2026-04-08'],
    // Over New Year's Day.
    ['DE', '2026-12-30T10:00:00Z', 2, '2027-01-04'],
  ])('in %s from %s, %i later: %s', (country, from, count, day) => {
    expect(addDays(from, count, country)).toBe(`${day}T12:00:00.000Z`)
  })

  test("start by the country's calendar, not London's", () => {
    // Thursday evening in New York, Friday morning in Sydney.
    expect(addDays('2026-03-13T01:00:00Z', 1, 'US')).toBe('2026-03-13T12:00:00.000Z')
    expect(addDays('2026-03-12T22:00:00Z', 1, 'AU')).toBe('2026-03-16T12:00:00.000Z')
  })

  test.each([
    ['US', '2026-03-06T20:00:00Z', '2026-03-09'],
    ['US', '2026-10-30T20:00:00Z', '2026-11-02'],
    ['GB', '2026-03-27T23:30:00Z', '2026-03-30'],
    ['GB', '2026-10-23T23:30:00Z', '2026-10-26'],
    ['AU', '2026-04-01T22:00:00Z', '2026-04-07'],
    ['AU', '2026-10-01T22:00:00Z', '2026-10-05'],
  ])('in %s from %s are counted across clock changes', (country, from, day) => {
    expect(addDays(from, 1, country).slice(0, 10)).toBe(day)
  })

  test('of an unknown country exclude weekends only', () => {
    expect(addDays('2026-12-24T10:00:00Z', 1, 'ZZ')).toBe('2026-12-25T12:00:00.000Z')
  })
})
