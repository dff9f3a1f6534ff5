import fs from 'node:fs'
import path from 'node:path'
import { fiatCodes } from '@tern/money/currency'
import { findSymbol } from '@tern/money/currency-symbol'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readPasted } from '../forms/pasted-amount.ts'
import { formatCount } from './format-count.ts'
import { formatDay } from './format-day.ts'
import { formatDateTime, formatMoney, formatRelative } from './format.ts'
import { personLocale, textLocale } from './locale.ts'

function setLanguages(language: unknown, languages: unknown = [language]): void {
  vi.stubGlobal('document', {})
  vi.stubGlobal('navigator', { language, languages })
}

afterEach(() => vi.unstubAllGlobals())

const at = new Date('2026-11-20T18:42:00Z')

describe('a browser whose language is no valid tag gets English figures', () => {
  test.each([
    'en-US@posix',
    'C',
    'C.UTF-8',
    'POSIX',
    'de-DE@posix',
    'en_US',
    'de_DE.UTF-8',
    'en_US.UTF-8',
    'en-US;q=0.8',
    'en\u0000',
    '🇬🇧',
    'mul',
    'en-US-u-ca-',
    '',
    ' ',
    'und',
    'x-private',
    'i-klingon',
    'root',
    'xx',
    'e',
    'en-',
    '-en',
    'en--US',
    'de-DE-',
    '*',
    'en-US,de',
    'a'.repeat(10_000),
    `de-${'abcdefgh-'.repeat(1000)}x`,
    undefined,
    null,
    5,
    {},
  ])('%j', (language) => {
    setLanguages(language)
    expect(formatMoney('1234.5', 'USD')).toBe('$1,234.50')
    expect(formatCount(6204)).toBe('6,204')
    expect(formatDateTime(at, at)).toMatch(/^Nov 20, \d+:42\u00a0[AP]M$/)
    expect(readPasted('1,234.5', { currency: 'USD', scale: 2 })).toEqual({ amount: '1234.5' })
  })

  test('with any list of languages, or none', () => {
    for (const languages of [undefined, null, [], [undefined], ['en_US', 'C', 'en-US@posix'], ['']]) {
      setLanguages(undefined, languages)
      expect(textLocale()).toBe('en')
      expect(formatDay('2026-11-24', at)).toBe('Tue, Nov 24')
    }
  })
})

test('the first valid English of the list writes months', () => {
  setLanguages('de-DE', ['de-DE', 'en-US@posix', 'en-GB', 'en-US'])
  expect(textLocale()).toMatch(/^en-GB/)
  expect(formatDateTime(at, at)).toMatch(/^20 Nov, \d\d:42$/)
  expect(formatMoney('1234.5', 'EUR', { unit: 'none' })).toContain('1.234,50')
})

describe('digits are Latin and years Gregorian', () => {
  test.each([
    'ar-EG',
    'ar-SA',
    'fa-IR',
    'th-TH',
    'th-TH-u-nu-thai',
    'hi-IN-u-nu-deva',
    'my-MM',
    'bn-BD',
    'ja-JP-u-ca-japanese',
    'zh-Hans-CN-u-nu-hanidec',
    'zh-u-nu-hans',
    'he-IL-u-ca-hebrew',
    'am-ET-u-ca-ethiopic',
    'zh-TW-u-ca-roc',
    'ckb-IQ',
  ])('in %s', (language) => {
    setLanguages(language)
    const options = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' } as const
    const texts = [
      new Intl.DateTimeFormat(personLocale(), options).format(at),
      new Intl.NumberFormat(personLocale()).format(1234.5),
      formatMoney('1234.5', 'USD', { unit: 'none' }),
    ]
    expect(texts.join(' ')).not.toMatch(/[^\P{Nd}0-9]/u)
    expect(texts[0]).toContain('2026')
  })
})

const locales = [
  ...[
    'ar-EG',
    'bg-BG',
    'bn-BD',
    'ca-ES',
    'cs-CZ',
    'da-DK',
    'de-AT',
    'de-CH',
    'de-DE',
    'el-GR',
    'en-AU',
    'en-CA',
    'en-GB',
  ],
  ...[
    'en-IN',
    'en-US',
    'en-ZA',
    'es-ES',
    'es-MX',
    'et-EE',
    'fa-IR',
    'fi-FI',
    'fr-CA',
    'fr-CH',
    'fr-FR',
    'gu-IN',
    'he-IL',
  ],
  ...[
    'hi-IN',
    'hr-HR',
    'hu-HU',
    'it-IT',
    'ja-JP',
    'ko-KR',
    'lt-LT',
    'nb-NO',
    'nl-NL',
    'pl-PL',
    'pt-BR',
    'pt-PT',
    'ru-RU',
  ],
  ...['sl-SI', 'sv-SE', 'th-TH', 'tr-TR', 'uk-UA', 'vi-VN', 'zh-CN', 'zh-TW'],
]

test('an amount that the page writes reads back as itself in every locale', () => {
  for (const locale of locales)
    for (const amount of ['0.50', '12.05', '1234.56', '1234567.89', '100000.00', '0.01']) {
      const text = formatMoney(amount, 'USD', { locale, unit: 'none' })
      expect([locale, text, readPasted(text, { currency: 'USD', scale: 2 }, locale)]).toEqual([
        locale,
        text,
        { amount },
      ])
      const negative = formatMoney(`-${amount}`, 'USD', { locale })
      expect(readPasted(negative, { currency: 'USD', scale: 2 }, locale), negative).toEqual({ problem: 'negative' })
    }
})

test('the sign of a currency is the same in every locale, and reads back with its amount', () => {
  for (const locale of locales)
    for (const currency of fiatCodes) {
      const text = formatMoney('12', currency, { locale, places: 0 })
      expect([locale, text.replaceAll(/[\d\s\u200e\u200f]/g, '')]).toEqual([locale, findSymbol(currency)])
      expect([locale, text, readPasted(text, { currency, scale: 2 }, locale)]).toEqual([locale, text, { amount: '12' }])
    }
})

test('dates are written in every locale', () => {
  for (const locale of locales) {
    setLanguages(locale, [locale])
    for (const write of [formatDateTime, formatRelative]) expect(write(at)).not.toMatch(/Invalid|NaN/)
  }
})

test('every format of the pages gets a checked locale', () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const files = fs
    .globSync('{src,desk}/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('format/locale.ts'))
  const format =
    /(?:new Intl\.(?!Locale\b)\w+|\.toLocale(?:Date|Time)?String)\((?!\s*(?:personLocale\(\)|textLocale\(\)|locale\b|'en'|'en-US'|'en-CA'))[^\n]*/g
  const uncheckedFormats = files.flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(format)].map(([match]) => `${file}: ${match}`),
  )
  expect(uncheckedFormats).toEqual([])
})
