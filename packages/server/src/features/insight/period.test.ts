import { expect, test } from 'vitest'
import { findMonth, findPeriod } from './period.ts'

const limits = (period: string, zone?: string) => {
  const { from, to, timeZone } = findPeriod(period, zone)
  return [from.toISOString(), to.toISOString(), timeZone]
}

test('months, quarters and years end where the next ones begin', () => {
  expect(limits('2026-12')).toEqual(['2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', 'UTC'])
  expect(limits('2026-Q4')).toEqual(['2026-10-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', 'UTC'])
  expect(limits('2026')).toEqual(['2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', 'UTC'])
})

test('a period begins at local midnight, in summer and in winter', () => {
  expect(limits('2026-Q3', 'Europe/Berlin').slice(0, 2)).toEqual([
    '2026-06-30T22:00:00.000Z',
    '2026-09-30T22:00:00.000Z',
  ])
  expect(limits('2026-11', 'Asia/Kolkata').slice(0, 2)).toEqual([
    '2026-10-31T18:30:00.000Z',
    '2026-11-30T18:30:00.000Z',
  ])
})

test('where clocks show midnight twice, a month begins at the first one', () => {
  // Clocks in Havana went back from 1:00 to 0:00 on November 1, 2026.
  expect(limits('2026-11', 'America/Havana')[0]).toBe('2026-11-01T04:00:00.000Z')
  expect(limits('2026-10', 'America/Havana')[1]).toBe('2026-11-01T04:00:00.000Z')
})

test('where clocks skip midnight, a month begins after the gap', () => {
  // Clocks in Beirut went forward from 0:00 to 1:00 on April 1, 1984; in Asunción from 0:00 to 1:00 on October 1, 2017.
  expect(limits('2017-10', 'America/Asuncion')[0]).toBe('2017-10-01T04:00:00.000Z')
})

test('an unknown time zone counts as UTC', () => {
  expect(limits('2026-11', 'Mars/Olympus')[2]).toBe('UTC')
  expect(findMonth(new Date('2026-11-30T23:30:00Z'), 'Europe/Berlin')).toBe('2026-12')
})
