import { describe, expect, test } from 'vitest'
import { atOnce, type StreetSetting } from './settings.ts'

const setting = (
  limit_minor: bigint,
  limit_usd_minor: bigint,
  currency: StreetSetting['currency'] = 'EUR',
): StreetSetting => ({
  ...{ is_on: true, limit_minor, currency, limit_usd_minor },
  ...{ night_from: 22, night_until: 6, time_zone: 'UTC' },
})

describe('after rates have moved since a limit was chosen', () => {
  const current = setting(100_00n, 108_00n)

  test('a lower one of its currency holds at once, and lets no more dollars pass than before', () => {
    expect(atOnce(current, setting(99_00n, 118_80n))).toEqual(setting(99_00n, 108_00n))
    expect(atOnce(current, setting(50_00n, 60_00n))).toEqual(setting(50_00n, 60_00n))
  })

  test('a higher one of its currency waits, also where it is fewer dollars', () => {
    expect(atOnce(current, setting(101_00n, 101_00n))).toEqual(current)
  })

  test('one of another currency is compared in dollars', () => {
    expect(atOnce(current, setting(107_00n, 107_00n, 'USD'))).toEqual(setting(107_00n, 107_00n, 'USD'))
    expect(atOnce(current, setting(99_00n, 109_00n, 'USD'))).toEqual(current)
  })
})
