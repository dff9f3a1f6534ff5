import { expect, it } from 'vitest'
import { formatDay } from './format-day.ts'

const november = new Date(2026, 10, 21)

it('names the same day in every time zone of the device', () => {
  expect(formatDay('2026-11-24', november, 'en-US')).toBe('Tue, Nov 24')
  expect(formatDay('2026-01-01', november, 'en-US')).toBe('Thu, Jan 1')
})

it('is written in the order of the locale, with the year if it is not the current one', () => {
  expect(formatDay('2027-01-04', november, 'en-GB')).toBe('Mon, 4 Jan 2027')
  expect(formatDay('2026-11-24', november, 'de-DE')).toBe('Di., 24. Nov.')
})
