import { expect, test } from 'vitest'
import { findDayStart, resolvePeriod, toDay, toDays } from './period.ts'

const now = new Date('2026-11-30T12:00:00Z')

test.each([
  ['2026-02', '2026-02-01', '2026-02-28'],
  ['2028-02', '2028-02-01', '2028-02-29'],
  ['2026-12', '2026-12-01', '2026-12-31'],
  ['2026-Q1', '2026-01-01', '2026-03-31'],
  ['2026-Q4', '2026-10-01', '2026-12-31'],
  ['2026', '2026-01-01', '2026-12-31'],
])('the period %s is from %s to %s', (period, from, to) => {
  expect(toDays(period)).toEqual([from, to])
})

test.each([
  ['UTC', '2026-10-25', '2026-10-25T00:00:00.000Z'],
  ['Europe/Paris', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ['Europe/Paris', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
  ['Pacific/Niue', '2026-01-01', '2026-01-01T11:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
  // Midnight does not exist on this day.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  // The day does not exist.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
])('in %s the day %s starts at %s', (zone, day, start) => {
  const at = findDayStart(day, zone)
  expect(at.toISOString()).toBe(start)
  expect(toDay(at, zone) >= day).toBe(true)
  expect(toDay(new Date(at.getTime() - 1), zone) < day).toBe(true)
})

test('consecutive periods meet, in any time zone', () => {
  for (const time_zone of ['UTC', 'America/Sao_Paulo', 'Asia/Tokyo', 'Australia/Lord_Howe']) {
    for (const [before, after] of [
      ['2025-12', '2026-01'],
      ['2026-Q1', '2026-Q2'],
      ['2024', '2025'],
    ]) {
      expect(resolvePeriod({ period: before, time_zone }, now).endsAt).toEqual(
        resolvePeriod({ period: after, time_zone }, now).startsAt,
      )
    }
  }
})

test('a period is final ten minutes after its end, in its time zone', () => {
  const period = (at: string, time_zone: string) => resolvePeriod({ period: '2026-10', time_zone }, new Date(at))
  expect(period('2026-11-01T00:09:59Z', 'UTC')).toMatchObject({
    isFinal: false,
    asOf: new Date('2026-11-01T00:09:59Z'),
  })
  expect(period('2026-11-01T00:10:00Z', 'UTC')).toMatchObject({ isFinal: true, asOf: new Date('2026-11-01T00:00:00Z') })
  expect(period('2026-11-01T04:09:59Z', 'America/New_York').isFinal).toBe(false)
  expect(period('2026-11-01T04:10:00Z', 'America/New_York').isFinal).toBe(true)
})

test('a period of ten years is the longest', () => {
  expect(() => resolvePeriod({ from: '2016-11-30', to: '2026-11-30' }, now)).not.toThrow()
  expect(() => resolvePeriod({ from: '2016-11-30', to: '2026-12-01' }, now)).toThrow('invalid_request')
  expect(() => resolvePeriod({ from: '2016-02-29', to: '2026-02-28' }, now)).not.toThrow()
})
