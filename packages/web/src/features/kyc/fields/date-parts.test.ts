import { expect, test } from 'vitest'
import { joinDate, getPartOrder, splitDate, readDate } from './date-parts.ts'

test('date parts are in the order of the locale', () => {
  expect(getPartOrder('en-US')).toEqual(['month', 'day', 'year'])
  expect(getPartOrder('de-DE')).toEqual(['day', 'month', 'year'])
  expect(getPartOrder('ja-JP')).toEqual(['year', 'month', 'day'])
})

test('parts make a date once all are complete, and none is lost before', () => {
  expect(joinDate({ year: '1990', month: '2', day: '3' })).toBe('1990-02-03')
  expect(joinDate({ year: '', month: '', day: '' })).toBe('')
  for (const parts of [
    { year: '1990', month: '', day: '03' },
    { year: '', month: '12', day: '' },
    { year: '1990', month: '02', day: '03' },
  ]) {
    expect(splitDate(joinDate(parts))).toEqual(parts)
  }
})

test.each([
  ['1990-02-03', 'en-US', '1990-02-03'],
  ['1990-02-03T00:00:00Z', 'en-US', '1990-02-03'],
  ['19900203', 'en-US', '1990-02-03'],
  ['02/03/1990', 'en-US', '1990-02-03'],
  ['02/03/1990', 'en-GB', '1990-03-02'],
  ['3.2.1990', 'de-DE', '1990-02-03'],
  ['03021990', 'de-DE', '1990-02-03'],
  ['25/12/1990', 'en-US', '1990-12-25'],
  [' 1990/2/3 ', 'ja-JP', '1990-02-03'],
])('%s pasted in the locale %s is %s', (text, locale, date) => {
  const parts = readDate(text, getPartOrder(locale))
  expect(parts && joinDate(parts)).toBe(date)
})

test.each(['3', '1990', '02/1990', 'Feb 3, 1990', '1990-02-03 x'])('%s is no complete date', (text) => {
  expect(readDate(text, getPartOrder('en-US'))).toBeUndefined()
})
