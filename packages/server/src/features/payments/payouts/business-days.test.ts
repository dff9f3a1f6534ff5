import { countries } from '@tern/contract/countries'
import { describe, expect, test } from 'vitest'
import { closingDays, isWeekend } from './bank-holidays.ts'
import { addBusinessDays, expectedArrival, isBusinessDay, orderDay } from './business-days.ts'

/** Weekdays on which banks are closed, as published per country and year. Holidays on weekends are left out. */
const publishedHolidays: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Federal Reserve Banks. 4 July 2026, 19 June and 25 December 2027 are Saturdays, which close no other day.
  US: {
    2026: '01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25',
    2027: '01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25',
  },
  // England and Wales.
  GB: {
    2026: '01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28',
    2027: '01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28',
  },
  CA: {
    2026: '01-01 04-03 05-18 07-01 09-07 09-30 10-12 11-11 12-25 12-28',
    2027: '01-01 03-26 05-24 07-01 09-06 09-30 10-11 11-11 12-27 12-28',
  },
  // New South Wales, with the bank holiday in August.
  AU: {
    2026: '01-01 01-26 04-03 04-06 04-27 06-08 08-03 10-05 12-25 12-28',
    2027: '01-01 01-26 03-26 03-29 04-26 06-14 08-02 10-04 12-27 12-28',
  },
  DE: {
    2026: '01-01 04-03 04-06 05-01 05-14 05-25 12-24 12-25 12-31',
    2027: '01-01 03-26 03-29 05-06 05-17 12-24 12-31',
  },
  // With Good Friday, on which euro payments are not processed.
  FR: {
    2026: '01-01 04-03 04-06 05-01 05-08 05-14 05-25 07-14 11-11 12-25',
    2027: '01-01 03-26 03-29 05-06 05-17 07-14 11-01 11-11',
  },
  JP: {
    2026: '01-01 01-02 01-12 02-11 02-23 03-20 04-29 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23 12-31',
    2027: '01-01 01-11 02-11 02-23 03-22 04-29 05-03 05-04 05-05 07-19 08-11 09-20 09-23 10-11 11-03 11-23 12-31',
  },
  SG: {
    2026: '01-01 02-17 02-18 04-03 05-01 05-27 06-01 08-10 11-09 12-25',
    2027: '01-01 02-08 03-10 03-26 05-17 05-20 08-09 10-28',
  },
  IN: {
    2026: '01-26 04-01 04-03 04-14 10-02 12-25',
    2027: '01-26 03-26 04-01 04-14',
  },
  BR: {
    2026: '01-01 02-16 02-17 04-03 04-21 05-01 06-04 09-07 10-12 11-02 11-20 12-25',
    2027: '01-01 02-08 02-09 03-26 04-21 05-27 09-07 10-12 11-02 11-15',
  },
}

const lists = Object.entries(publishedHolidays).flatMap(([country, years]) =>
  Object.entries(years).map(([year, days]) => ({
    country,
    year,
    days: days.split(' ').map((day) => `${year}-${day}`),
  })),
)

describe('bank holidays', () => {
  test('are known for all ten countries', () => {
    expect(lists).toHaveLength(2 * countries.length)
  })

  test.each(lists)('$country has its published holidays of $year', ({ country, year, days }) => {
    expect([...closingDays(country, year)].filter((day) => !isWeekend(day)).toSorted()).toEqual(days)
  })

  test.each([
    ['US', '2028-01-01 is a Saturday', '2027-12-31', true],
    ['US', 'Veterans Day of 2029 is a Sunday', '2029-11-12', false],
    ['GB', 'New Year of 2028 is a Saturday', '2028-01-03', false],
    ['CA', 'Remembrance Day of 2028 is a Saturday', '2028-11-13', false],
    ['CA', 'Christmas and Boxing Day of 2032 are a weekend: the first', '2032-12-27', false],
    ['CA', 'Christmas and Boxing Day of 2032 are a weekend: the second', '2032-12-28', false],
    ['JP', 'Culture Day of 2030 is a Sunday', '2030-11-04', false],
    ['SG', 'Labour Day of 2033 is a Sunday', '2033-05-02', false],
    ['DE', 'Unity Day of 2028 is a Tuesday', '2028-10-03', false],
    ['FR', '26 December of 2028 is a Tuesday, on which the euro rests', '2028-12-26', false],
    ['DE', 'a holiday of other countries', '2028-07-14', true],
  ])('%s, %s: %s is a business day: %s', (country, _case, day, isOpen) => {
    expect(isBusinessDay(country, day)).toBe(isOpen)
  })

  test('weekends close banks in every country, including those without known holidays', () => {
    for (const country of [...Object.keys(publishedHolidays), 'NL', 'XX']) {
      expect(isBusinessDay(country, '2026-11-21')).toBe(false)
      expect(isBusinessDay(country, '2026-11-22')).toBe(false)
      expect(isBusinessDay(country, '2026-11-24')).toBe(true)
    }
  })
})

describe('counting business days', () => {
  test.each([
    ['US', 'over a weekend', '2026-11-20', 1, '2026-11-23'],
    ['US', 'over Thanksgiving and a weekend', '2026-11-25', 2, '2026-11-30'],
    ['GB', 'over Christmas with a substitute day', '2026-12-24', 1, '2026-12-29'],
    ['DE', 'over the turn of the year', '2026-12-30', 1, '2027-01-04'],
    ['JP', 'over the bank closing of New Year', '2026-12-30', 1, '2027-01-04'],
    ['JP', 'over the Golden Week', '2026-04-30', 2, '2026-05-07'],
    ['JP', 'over the Silver Week', '2026-09-18', 1, '2026-09-24'],
    ['BR', 'over Carnival', '2026-02-13', 1, '2026-02-18'],
    ['AU', 'over Easter', '2026-04-02', 1, '2026-04-07'],
    ['SG', 'over Chinese New Year', '2026-02-16', 1, '2026-02-19'],
    ['GB', 'over a leap day', '2028-02-28', 2, '2028-03-01'],
    ['GB', 'over a February without one', '2027-02-26', 1, '2027-03-01'],
    ['CA', 'over a year, none is lost', '2026-01-01', 251, '2026-12-31'],
    ['GB', 'no day at all', '2026-11-21', 0, '2026-11-21'],
  ])('%s %s: %s and %i is %s', (country, _case, from, count, day) => {
    expect(addBusinessDays(country, from, count)).toBe(day)
  })
})

describe('an order', () => {
  test.each([
    ['GB', 'before four o’clock', '2026-11-23T15:59:59Z', '2026-11-23'],
    ['GB', 'from four o’clock on', '2026-11-23T16:00:00Z', '2026-11-24'],
    ['GB', 'on a Friday evening', '2026-11-20T22:00:00Z', '2026-11-23'],
    ['GB', 'on the morning of a holiday', '2026-12-28T09:00:00Z', '2026-12-29'],
    ['GB', 'on a leap day', '2028-02-29T10:00:00Z', '2028-02-29'],
    // Clock changes move the cut-off in UTC, not in local time.
    ['GB', 'in summer time, an hour earlier', '2026-07-13T15:00:00Z', '2026-07-14'],
    ['GB', 'the day after clocks went forward', '2026-03-30T14:59:00Z', '2026-03-30'],
    ['GB', 'the last day before they went back', '2026-10-23T14:59:00Z', '2026-10-23'],
    ['GB', 'the Monday after they went back', '2026-10-26T15:59:00Z', '2026-10-26'],
    ['US', 'on the Sunday of the missing hour', '2026-03-08T07:30:00Z', '2026-03-09'],
    ['US', 'the Monday after it', '2026-03-09T19:59:00Z', '2026-03-09'],
    ['US', 'the Monday after it, too late', '2026-03-09T20:00:00Z', '2026-03-10'],
    ['US', 'on the Sunday of the doubled hour', '2026-11-01T05:30:00Z', '2026-11-02'],
    ['US', 'the Monday after it', '2026-11-02T20:59:00Z', '2026-11-02'],
    ['CA', 'the Monday after clocks went forward', '2027-03-15T19:59:00Z', '2027-03-15'],
    ['DE', 'the Monday after clocks went forward', '2027-03-30T13:59:00Z', '2027-03-30'],
    ['DE', 'the Monday after they went back', '2026-10-26T14:59:00Z', '2026-10-26'],
    ['FR', 'the Monday after they went back, too late', '2026-10-26T15:00:00Z', '2026-10-27'],
    ['AU', 'the Tuesday after clocks went forward and Labour Day', '2026-10-06T04:59:00Z', '2026-10-06'],
    ['AU', 'the Tuesday after they went back and Easter', '2026-04-07T05:59:00Z', '2026-04-07'],
    ['AU', 'on its Saturday, while it is Friday in Greenwich', '2026-11-20T14:00:00Z', '2026-11-23'],
    ['JP', 'on its Saturday, while it is Friday in Greenwich', '2026-11-27T15:00:00Z', '2026-11-30'],
    ['JP', 'on its Monday morning, while it is Sunday in Greenwich', '2026-11-29T23:00:00Z', '2026-11-30'],
    ['US', 'on its Friday morning, while it is past midnight in Japan', '2026-11-20T15:30:00Z', '2026-11-20'],
    ['US', 'on its Friday evening, while it is Saturday in Greenwich', '2026-11-21T02:00:00Z', '2026-11-23'],
    ['BR', 'at noon', '2026-11-18T15:00:00Z', '2026-11-18'],
    ['BR', 'on New Year’s Eve, while it is New Year in Greenwich', '2027-01-01T01:00:00Z', '2027-01-04'],
    ['IN', 'at half past three', '2026-11-23T10:00:00Z', '2026-11-23'],
    ['IN', 'at four', '2026-11-23T10:30:00Z', '2026-11-24'],
    ['SG', 'at four', '2026-11-23T08:00:00Z', '2026-11-24'],
  ])('in %s, %s (%s), is processed on %s', (country, _case, at, day) => {
    expect(orderDay(country, new Date(at))).toBe(day)
  })

  test.each([
    ['GB', '2026-11-23T10:00:00Z', '2026-11-24', '2026-11-26'],
    ['GB', '2026-11-20T10:00:00Z', '2026-11-23', '2026-11-25'],
    ['GB', '2026-11-20T18:00:00Z', '2026-11-24', '2026-11-26'],
    ['US', '2026-11-24T22:00:00Z', '2026-11-27', '2026-12-01'],
    ['DE', '2026-12-22T10:00:00Z', '2026-12-23', '2026-12-29'],
    ['JP', '2026-12-28T01:00:00Z', '2026-12-29', '2027-01-04'],
  ])('in %s at %s arrives on %s at the earliest, and is expected on %s', (country, at, earliestOn, expectedOn) => {
    expect(expectedArrival(country, new Date(at))).toEqual({ earliestOn, expectedOn })
  })

  test('a later order never arrives earlier, through two years of each country', () => {
    for (const country of Object.keys(publishedHolidays)) {
      let last = ''
      for (let hour = 0; hour < 2 * 365 * 24; hour += 5) {
        const { earliestOn, expectedOn } = expectedArrival(country, new Date(Date.UTC(2026, 0, 1, hour)))
        expect(earliestOn >= last, `${country} ${hour}`).toBe(true)
        expect(expectedOn > earliestOn).toBe(true)
        last = earliestOn
      }
    }
  })
})
