import { type FiatCode, currencyCodes, fiatCodes } from '@tern/money/currency'
import { findSymbol } from '@tern/money/currency-symbol'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { formatExact } from '../money/exact-amount.ts'
import { formatClock, formatDate, formatDateTime, formatMoney, formatRelative, formatTime } from './format.ts'

function setLocale(locale: string, zone?: string): void {
  vi.stubGlobal('document', {})
  vi.stubGlobal('navigator', { language: locale, languages: [locale] })
  if (zone) vi.stubEnv('TZ', zone)
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

const regions = ['en-US', 'en-GB', 'en-CA', 'en-AU', 'en-SG', 'en-IN', 'de-DE', 'fr-CA', 'ja-JP', 'pt-BR', 'zh-CN']
const signs: Record<FiatCode, string> = {
  USD: '$',
  GBP: '£',
  CAD: 'CA$',
  AUD: 'A$',
  EUR: '€',
  JPY: '¥',
  SGD: 'S$',
  INR: '₹',
  BRL: 'R$',
}

describe('signs of currencies', () => {
  test('an amount has the same sign in every region, and no two currencies share one', () => {
    for (const locale of regions) {
      const texts = fiatCodes.map((code) => formatMoney('5', code, { locale }).replaceAll(/[\d.,\s]/g, ''))
      expect([locale, texts]).toEqual([locale, fiatCodes.map((code) => signs[code])])
    }
  })

  test('English writes the sign first, without a space', () => {
    for (const locale of regions.filter((region) => region.startsWith('en')))
      for (const code of fiatCodes) expect(formatMoney('5', code, { locale, places: 2 })).toBe(`${signs[code]}5.00`)
  })

  test('coins have their code behind', () => {
    const coins = currencyCodes.filter((code) => !(code in signs))
    expect(coins.map((code) => formatMoney('5', code, { locale: 'en-US' }))).toEqual(
      coins.map((code) => `5.00 ${code}`),
    )
  })

  test('currencies that share a sign carry their codes', () => {
    const pesoSigns = { USD: '$', EUR: '€', MXN: '$' }
    expect(['USD', 'EUR', 'MXN', 'BTC'].map((code) => findSymbol(code, pesoSigns))).toEqual([
      undefined,
      '€',
      undefined,
      undefined,
    ])
    expect(fiatCodes.map((code) => findSymbol(code))).toEqual(fiatCodes.map((code) => signs[code]))
  })

  test('an exact amount has the same sign, and a minus before it', () => {
    setLocale('en-CA')
    expect(formatExact('1234.5', 'CAD')).toBe('CA$1,234.50')
    expect(formatMoney('-5', 'CAD', { sign: 'always' })).toBe('−CA$5.00')
  })
})

const at = new Date('2026-11-20T18:42:07Z')
const sameYear = new Date('2026-12-01T12:00:00Z')
const laterDate = new Date('2027-06-01T12:00:00Z')

describe('moments', () => {
  test.each([
    ['en-US', 'UTC', '6:42 PM', '6:42:07 PM', 'Nov 20', 'Nov 20, 2026'],
    ['en-US', 'America/Chicago', '12:42 PM', '12:42:07 PM', 'Nov 20', 'Nov 20, 2026'],
    ['en-US', 'Asia/Tokyo', '3:42 AM', '3:42:07 AM', 'Nov 21', 'Nov 21, 2026'],
    ['en-GB', 'UTC', '18:42', '18:42:07', '20 Nov', '20 Nov 2026'],
    ['en-AU', 'Asia/Kolkata', '12:12 am', '12:12:07 am', '21 Nov', '21 Nov 2026'],
    ['en-CA', 'UTC', '6:42 p.m.', '6:42:07 p.m.', 'Nov 20', 'Nov 20, 2026'],
    ['de-DE', 'Asia/Kolkata', '00:12', '00:12:07', 'Nov 21', 'Nov 21, 2026'],
    ['fr-CA', 'UTC', '18:42', '18:42:07', 'Nov 20', 'Nov 20, 2026'],
    ['ja-JP', 'UTC', '18:42', '18:42:07', 'Nov 20', 'Nov 20, 2026'],
    ['ko-KR', 'UTC', '6:42 PM', '6:42:07 PM', 'Nov 20', 'Nov 20, 2026'],
    ['ar-EG', 'UTC', '6:42 PM', '6:42:07 PM', 'Nov 20', 'Nov 20, 2026'],
  ])('a person in %s and %s reads %s', (locale, zone, time, clock, day, fullDay) => {
    setLocale(locale, zone)
    const toPlainSpaces = (text: string) => text.replaceAll('\u00a0', ' ')
    expect(toPlainSpaces(formatTime(at))).toBe(time)
    expect(toPlainSpaces(formatClock(at))).toBe(clock)
    expect(formatDate(at, sameYear)).toBe(day)
    expect(formatDate(at, laterDate)).toBe(fullDay)
    expect(toPlainSpaces(formatDateTime(at, sameYear))).toBe(`${day}, ${time}`)
    expect(toPlainSpaces(formatDateTime(at, laterDate))).toBe(`${fullDay}, ${time}`)
  })

  test("the year is that of the person's own clock", () => {
    const newYear = new Date('2027-01-01T02:00:00Z')
    const nearMidnight = new Date('2026-12-31T23:30:00Z')
    setLocale('en-US', 'America/New_York')
    expect(formatDate(nearMidnight, newYear), 'both still in 2026').toBe('Dec 31')
    setLocale('en-US', 'Asia/Tokyo')
    expect(formatDate(nearMidnight, newYear), 'both already in 2027').toBe('Jan 1')
    setLocale('en-US', 'UTC')
    expect(formatDate(nearMidnight, newYear)).toBe('Dec 31, 2026')
    expect(formatRelative(nearMidnight, newYear)).toBe('Yesterday, 11:30\u00a0PM')
  })

  test('a time is never broken over two lines, and names a different zone', () => {
    setLocale('en-US', 'UTC')
    expect(formatTime(at)).not.toMatch(/[ \u202f]/)
    expect(formatTime(at, { timeZone: 'America/New_York' })).toBe('1:42\u00a0PM')
  })
})
