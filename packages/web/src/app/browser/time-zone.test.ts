import { afterEach, expect, test, vi } from 'vitest'
import { knowsTimeZone, ownTimeZone, getTomorrow } from './time-zone.ts'

const report = (timeZone: unknown) =>
  vi
    .spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions')
    .mockReturnValue({ timeZone } as Intl.ResolvedDateTimeFormatOptions)

afterEach(() => vi.restoreAllMocks())

test.each(['Etc/Unknown', undefined, null, 5, '', '+05:30', 'GMT+3', 'UTC+3', 'localtime', 'Mars/Olympus'])(
  'a device with the time zone %j uses UTC',
  (zone) => {
    report(zone)
    expect([knowsTimeZone(), ownTimeZone()]).toEqual([false, 'UTC'])
    expect(getTomorrow(new Date('2026-12-31T23:30:00Z'))).toBe('2027-01-01')
  },
)

test('a device with a valid time zone uses it', () => {
  report('Asia/Calcutta')
  expect([knowsTimeZone(), ownTimeZone()]).toEqual([true, 'Asia/Calcutta'])
})
