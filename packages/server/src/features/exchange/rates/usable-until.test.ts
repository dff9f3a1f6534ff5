import Holidays from 'date-holidays'
import { expect, test } from 'vitest'
import { fixingDay, isClosingDay, usableUntil } from './usable-until.ts'

const fiat = { maxAgeSeconds: 26 * 3600, skipsClosingDays: true, maxJumpPartsPerMillion: 100_000n }
const computeUsableUntil = (asOf: string, policy = fiat) => usableUntil(new Date(asOf), policy).toISOString()

test('a fix of a business day can be used for 26 hours', () => {
  expect(computeUsableUntil('2026-11-24T15:00:00Z')).toBe('2026-11-25T17:00:00.000Z')
})

test('over a weekend the fix of Friday holds until two hours after that of Monday', () => {
  expect(computeUsableUntil('2026-11-20T15:00:00Z')).toBe('2026-11-23T17:00:00.000Z')
  // A fix dated on a Saturday.
  expect(computeUsableUntil('2026-11-21T12:00:00Z')).toBe('2026-11-23T14:00:00.000Z')
})

test('closing days of TARGET do not count: Easter, the first of May, Christmas', () => {
  // From Thursday before Good Friday to Tuesday after Easter Monday, 2027.
  expect(computeUsableUntil('2027-03-25T15:00:00Z')).toBe('2027-03-30T17:00:00.000Z')
  // Christmas Eve 2026 is a Thursday, so the next business day is Monday, 28 December.
  expect(computeUsableUntil('2026-12-24T15:00:00Z')).toBe('2026-12-28T17:00:00.000Z')
  expect(['2026-05-01', '2026-04-03', '2026-04-06'].map((day) => isClosingDay(new Date(`${day}T10:00:00Z`)))).toEqual([
    true,
    true,
    true,
  ])
  // The day is Frankfurt's, not UTC's. German public holidays are not closing days unless TARGET is closed.
  expect(isClosingDay(new Date('2026-12-31T23:30:00Z'))).toBe(true)
  expect(isClosingDay(new Date('2025-10-03T10:00:00Z'))).toBe(false)
})

test('TARGET closing days move with Easter in every year from 1990 to 2100', () => {
  const calendar = new Holidays()
  for (const rule of ['easter -2', 'easter 1']) calendar.setHoliday(rule, { name: rule, type: 'bank' })
  for (let year = 1990; year <= 2100; year += 1) {
    for (const { date } of calendar.getHolidays(year)) {
      expect(isClosingDay(new Date(`${date.slice(0, 10)}T10:00:00Z`)), date).toBe(true)
    }
    // Maundy Thursday is not a closing day.
    const [friday = ''] = calendar.getHolidays(year).map(({ date }) => date.slice(0, 10))
    const thursday = new Date(Date.parse(`${friday}T10:00:00Z`) - 86_400_000)
    expect(isClosingDay(thursday), friday).toBe(false)
  }
})

test('a currency that is always traded ages on every day', () => {
  const crypto = { ...fiat, maxAgeSeconds: 600, skipsClosingDays: false }
  expect(computeUsableUntil('2026-11-21T15:00:00Z', crypto)).toBe('2026-11-21T15:10:00.000Z')
})

test('the day of a fix is Frankfurt’s at every half hour of a year, also where clocks change', () => {
  const berlinFormat = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' })
  const first = Date.parse('2026-01-01T00:00:00Z')
  const halfHourTimes = Array.from({ length: 365 * 48 }, (_, index) => new Date(first + index * 1_800_000))
  const wrongTimes = [...halfHourTimes, ...halfHourTimes].filter((at) => fixingDay(at) !== berlinFormat.format(at))
  expect(wrongTimes).toEqual([])
})
