import type { Recurrence } from '@tern/contract/schedules/schedules'
import { describe, expect, test } from 'vitest'
import { toLocalDate, localMoment } from './local-time.ts'
import { computeAnchor, datesBetween, computeNextDate } from './recurrence.ts'

const datesOverYears: readonly (readonly [Recurrence, anchor: string, from: string, to: string, dates: string])[] = [
  ['once', '2026-12-01', '2026-11-23', '2030-01-01', '2026-12-01'],
  ['once', '2026-12-01', '2026-12-02', '2030-01-01', ''],
  ['weekly', '2026-11-27', '2026-11-23', '2026-12-18', '2026-11-27 2026-12-04 2026-12-11 2026-12-18'],
  ['weekly', '2028-02-23', '2028-02-24', '2028-03-08', '2028-03-01 2028-03-08'],
  ['biweekly', '2026-11-27', '2026-11-28', '2027-01-08', '2026-12-11 2026-12-25 2027-01-08'],
  [
    'monthly',
    '2027-01-31',
    '2027-01-01',
    '2027-06-30',
    '2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31 2027-06-30',
  ],
  ['monthly', '2028-01-31', '2028-02-01', '2028-03-31', '2028-02-29 2028-03-31'],
  [
    'monthly',
    '2028-02-29',
    '2028-02-29',
    '2029-04-01',
    '2028-02-29 2028-03-29 2028-04-29 2028-05-29 2028-06-29 2028-07-29 2028-08-29 2028-09-29 2028-10-29 2028-11-29 2028-12-29 2029-01-29 2029-02-28 2029-03-29',
  ],
  ['monthly', '2026-12-30', '2026-12-31', '2027-03-30', '2027-01-30 2027-02-28 2027-03-30'],
  ['monthly', '2026-12-15', '2026-12-15', '2027-02-14', '2026-12-15 2027-01-15'],
  ['month_end', '2026-11-30', '2026-11-30', '2027-02-28', '2026-11-30 2026-12-31 2027-01-31 2027-02-28'],
  ['month_end', '2028-01-31', '2028-02-28', '2028-02-29', '2028-02-29'],
  // 2100 is not a leap year, 2000 was.
  ['month_end', '2099-12-31', '2100-02-01', '2100-03-01', '2100-02-28'],
  ['month_end', '1999-12-31', '2000-02-01', '2000-03-01', '2000-02-29'],
]

describe('the dates of a schedule', () => {
  test.each(datesOverYears)('%s from %s, between %s and %s', (recurrence, anchorOn, from, to, dates) => {
    expect(datesBetween({ recurrence, anchorOn }, from, to).join(' ')).toBe(dates)
  })

  test('are increasing, and never before the first', () => {
    for (const recurrence of ['weekly', 'biweekly', 'monthly', 'month_end'] as const) {
      const dates = { recurrence, anchorOn: computeAnchor(recurrence, '2027-08-31') }
      expect(computeNextDate(dates, '1990-01-01')).toBe('2027-08-31')
      let last = '2027-08-31'
      for (let count = 0; count < 500; count += 1) {
        const next = computeNextDate(dates, last)!
        expect(next > last).toBe(true)
        last = next
      }
    }
  })

  test('at month ends start with the end of the first month', () => {
    expect(computeAnchor('month_end', '2028-02-03')).toBe('2028-02-29')
    expect(computeAnchor('monthly', '2028-02-03')).toBe('2028-02-03')
  })
})

describe('local time', () => {
  test.each([
    ['Europe/Paris', '2027-03-27', '2027-03-27T08:00:00.000Z'],
    // Clocks go forward at 02:00 on this date.
    ['Europe/Paris', '2027-03-28', '2027-03-28T07:00:00.000Z'],
    ['Europe/Paris', '2027-10-30', '2027-10-30T07:00:00.000Z'],
    ['Europe/Paris', '2027-10-31', '2027-10-31T08:00:00.000Z'],
    ['America/New_York', '2027-03-13', '2027-03-13T14:00:00.000Z'],
    ['America/New_York', '2027-03-14', '2027-03-14T13:00:00.000Z'],
    ['America/New_York', '2027-11-07', '2027-11-07T14:00:00.000Z'],
    ['Asia/Kolkata', '2027-06-01', '2027-06-01T03:30:00.000Z'],
    ['Pacific/Auckland', '2027-01-01', '2026-12-31T20:00:00.000Z'],
    ['Pacific/Kiritimati', '2027-01-01', '2026-12-31T19:00:00.000Z'],
    ['UTC', '2028-02-29', '2028-02-29T09:00:00.000Z'],
    // In Cairo and Santiago, clocks skip the first hour of the second date.
    ['Africa/Cairo', '2027-04-29', '2027-04-29T07:00:00.000Z'],
    ['Africa/Cairo', '2027-04-30', '2027-04-30T06:00:00.000Z'],
    ['America/Santiago', '2027-09-04', '2027-09-04T13:00:00.000Z'],
    ['America/Santiago', '2027-09-05', '2027-09-05T12:00:00.000Z'],
    ['America/Asuncion', '2027-07-01', '2027-07-01T12:00:00.000Z'],
    ['America/Coyhaique', '2027-07-01', '2027-07-01T12:00:00.000Z'],
    ['Asia/Almaty', '2027-01-15', '2027-01-15T04:00:00.000Z'],
    ['Antarctica/Troll', '2027-03-27', '2027-03-27T09:00:00.000Z'],
    ['Antarctica/Troll', '2027-03-28', '2027-03-28T07:00:00.000Z'],
    ['Australia/Lord_Howe', '2027-10-02', '2027-10-01T22:30:00.000Z'],
    ['Australia/Lord_Howe', '2027-10-03', '2027-10-02T22:00:00.000Z'],
    ['Pacific/Apia', '2027-01-01', '2026-12-31T20:00:00.000Z'],
    ['Pacific/Pago_Pago', '2027-01-01', '2027-01-01T20:00:00.000Z'],
    ['Asia/Calcutta', '2027-06-01', '2027-06-01T03:30:00.000Z'],
    ['Europe/Kiev', '2027-06-01', '2027-06-01T06:00:00.000Z'],
    ['europe/kyiv', '2027-06-01', '2027-06-01T06:00:00.000Z'],
    ['Etc/GMT+3', '2027-06-01', '2027-06-01T12:00:00.000Z'],
  ])('nine o’clock in %s on %s', (zone, date, moment) => {
    expect(localMoment(date, 9, zone).toISOString()).toBe(moment)
    expect(toLocalDate(localMoment(date, 9, zone), zone)).toBe(date)
    expect(toLocalDate(localMoment(date, 0, zone), zone), 'midnight').toBe(date)
  })

  test('nine o’clock is on its own date in every time zone, on each day of a year', () => {
    const days = Array.from({ length: 365 }, (_, day) =>
      new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10),
    )
    const failures: string[] = []
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
      for (const day of days)
        if (clock.format(localMoment(day, 9, zone)) !== `${day} 09:00:00`) failures.push(`${zone} ${day}`)
    }
    expect(failures).toEqual([])
  })

  test('starts a day without midnight one hour later', () => {
    expect(localMoment('2026-09-06', 0, 'America/Santiago').toISOString()).toBe('2026-09-06T04:00:00.000Z')
  })
})
