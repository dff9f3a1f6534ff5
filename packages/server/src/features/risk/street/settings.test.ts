import { describe, expect, test } from 'vitest'
import { applyStricterNow, type StreetSetting } from './settings.ts'

const setting = (
  limit_minor: bigint,
  limit_usd_minor: bigint,
  currency: StreetSetting['currency'] = 'EUR',
): StreetSetting => ({
  ...{ is_on: true, limit_minor, currency, limit_usd_minor },
  ...{ night_from: 22, night_until: 6, time_zone: 'UTC' },
})

describe('a new limit after rates have moved', () => {
  const currentSetting = setting(100_00n, 108_00n)

  test('in the same currency that is lower applies at once, and allows no more dollars than before', () => {
    expect(applyStricterNow(currentSetting, setting(99_00n, 118_80n))).toEqual(setting(99_00n, 108_00n))
    expect(applyStricterNow(currentSetting, setting(50_00n, 60_00n))).toEqual(setting(50_00n, 60_00n))
  })

  test('in the same currency that is higher waits, even if it is fewer dollars', () => {
    expect(applyStricterNow(currentSetting, setting(101_00n, 101_00n))).toEqual(currentSetting)
  })

  test('in another currency is compared in dollars', () => {
    expect(applyStricterNow(currentSetting, setting(107_00n, 107_00n, 'USD'))).toEqual(setting(107_00n, 107_00n, 'USD'))
    expect(applyStricterNow(currentSetting, setting(99_00n, 109_00n, 'USD'))).toEqual(currentSetting)
  })
})
