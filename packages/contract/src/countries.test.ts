import { findCountryPlace, countryPlaces } from '@tern/drawing/country-places'
import { expect, test } from 'vitest'
import { countries } from './countries.ts'

test('every country of residence has a place, with its time zone where it has one only', () => {
  expect(Object.keys(countryPlaces).toSorted()).toEqual(countries.map(({ code }) => code).toSorted())
  const zones = countries.filter(({ code }) => findCountryPlace(code)?.zone !== undefined)
  expect(zones.map(({ code }) => code)).toEqual(['GB', 'DE', 'FR', 'JP', 'SG', 'IN'])
  for (const { code, timeZone } of zones) expect(findCountryPlace(code)?.zone).toBe(timeZone)
  expect([null, undefined, 'XX', 'toString'].map(findCountryPlace)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
