import { describe, expect, test } from 'vitest'
import { applyStricterNow, type StreetSetting } from './settings.ts'

const buildSetting = (
  limit_minor: bigint,
  limit_usd_minor: bigint,
  currency: StreetSetting['currency'] = 'EUR',
): StreetSetting => ({
  ...{ is_on: true, limit_minor, currency, limit_usd_minor },
  ...{ night_from: 22, night_until: 6, time_zone: 'UTC' },
})

describe('a new limit after rates have moved', () => {
  const currentSetting = buildSetting(100_00n, 108_00n)

  test('in the same currency that is lower applies at once, and allows no more dollars than before', () => {
    expect(applyStricterNow(currentSetting, buildSetting(99_00n, 118_80n))).toEqual(buildSetting(99_00n, 108_00n))
    expect(applyStricterNow(currentSetting, buildSetting(50_00n, 60_00n))).toEqual(buildSetting(50_00n, 60_00n))
  })

  test('in the same currency that is higher waits, even if it is fewer dollars', () => {
    expect(applyStricterNow(currentSetting, buildSetting(101_00n, 101_00n))).toEqual(currentSetting)
  })

  test('in another currency is compared in dollars', () => {
    expect(applyStricterNow(currentSetting, buildSetting(107_00n, 107_00n, 'USD'))).toEqual(
      buildSetting(107_00n, 107_00n, 'USD'),
    )
    expect(applyStricterNow(currentSetting, buildSetting(99_00n, 109_00n, 'USD'))).toEqual(currentSetting)
  })
})
