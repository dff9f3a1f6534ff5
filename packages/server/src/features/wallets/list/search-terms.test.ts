import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newId } from '../../../platform/ids.ts'
import { foldText } from './fold-text.ts'
import { matchesSearch, type SearchableRow, parseSearch } from './search-terms.ts'

const now = new Date('2026-11-28T12:00:00Z')

const buildRow = (row: Partial<SearchableRow> & { at?: string }): SearchableRow => {
  const at = new Date(row.at ?? '2026-11-22T09:15:00Z')
  return {
    user_id: 1n,
    id: newId(at),
    kind: 'SEND',
    created_at: at,
    description: '',
    source_amount: 100n,
    source_currency: 'USD',
    target_amount: 100n,
    target_currency: 'USD',
    fee_amount: 0n,
    counterparty_username: null,
    counterparty_name: null,
    ...row,
  }
}

/** True if a text finds a row. */
const isFound = (
  text: string,
  row: Parameters<typeof buildRow>[0],
  reader: { locale?: string; timeZone?: string } = {},
) => {
  const search = parseSearch(text, { ...reader, now })
  return search !== undefined && matchesSearch(search, buildRow(row))
}

describe('letters', () => {
  test.each([
    ['Łukasz', 'lukasz'],
    ['Sørensen', 'sorensen'],
    ['Weiß', 'weiss'],
    ['WEISS', 'weiß'],
    ['Đặng', 'dang'],
    ['Çağrı', 'cagri'],
    ['İbrahim', 'ibrahim'],
    ['ibrahim', 'İBRAHİM'],
    ['ISIL', 'ışıl'],
    ['Straße', 'STRASSE'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'strasse'],
    ['Æther', 'aether'],
    ['Œuvre', 'oeuvre'],
    ['Þórður', 'thordur'],
    ['Guðrún', 'gudrun'],
    ['Ħamrun', 'hamrun'],
    ['Ŧanaŋ', 'tanang'],
    ['José', 'jose'],
    ['José', 'JOSÉ'],
    ['Ｒｅｎｔ', 'rent'],
    ['rent', 'ＲＥＮＴ'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδός', 'ΟΔΟΣ'],
    ['ﬁne', 'FINE'],
    ['ſoft', 'SOFT'],
    ['Ёлка', 'ЕЛКА'],
    ['김민수', '김민수'],
    ['re\u00adnt', 'rent'],
    ['rent', 're\u200dnt'],
    ['محمـد', 'محمد'],
    ['Bjo\u0338rn', 'bjorn'],
    ['ŋaŋ', 'NGANG'],
    ['ĸujalleq', 'KUJALLEQ'],
    ['Ĳsselmeer', 'ijsselmeer'],
    ['Ǆ', 'dž'],
    ['𝔸nna', 'anna'],
    ['Ⅳ', 'iv'],
    ['فاطمة ٢', 'فاطمة 2'],
    ['room १२', 'room 12'],
  ])('"%s" is found by "%s", and vice versa', (storedName, query) => {
    expect(isFound(query, { counterparty_name: storedName })).toBe(true)
    expect(isFound(storedName, { description: `for ${query}` })).toBe(true)
  })

  test('an apostrophe may be left out', () => {
    for (const name of ["O'Brien", 'O’Brien', 'O‘Brien', 'Oʻbrien', 'O`Brien'])
      expect(
        [isFound('obrien', { counterparty_name: name }), isFound("o'brien", { counterparty_name: name })],
        name,
      ).toEqual([true, name !== 'Oʻbrien'])
    expect(isFound('hawaii', { description: 'Hawaiʻi' })).toBe(true)
  })

  test('folding is idempotent and ignores case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const foldedText = foldText(text)
        expect(foldText(foldedText)).toBe(foldedText)
        expect(foldText(text.toUpperCase())).toBe(foldedText)
      }),
      { seed: 20_261_128, numRuns: 2000, examples: [['ß'], ['ẞ'], ['İ'], ['ı'], ['Σς'], ['ŉ'], ['ǰ'], ['ΐ']] },
    )
  })

  test('other letters are not found', () => {
    expect(isFound('lukas z', { counterparty_name: 'Łukasz' })).toBe(false)
    expect(isFound('weis', { counterparty_name: 'Weik' })).toBe(false)
  })
})

describe('dates', () => {
  // 23:30 in UTC: the next day in Berlin and Tokyo, the same day in New York.
  const lateRow = { at: '2026-11-22T23:30:00Z' }
  const baseRow = { at: '2026-11-22T09:15:00Z' }
  const otherRow = { at: '2026-11-21T09:15:00Z' }

  test.each([
    ['22.11.2026', 'de-DE'],
    ['22. 11. 2026', 'cs-CZ'],
    ['22.11.26', 'de-DE'],
    ['22.11.', 'de-DE'],
    ['22/11/2026', 'en-GB'],
    ['22/11/2026', undefined],
    ['22/11', 'pt-BR'],
    ['11/22/2026', 'en-US'],
    ['11/22', 'en-US'],
    ['22-11-2026', 'en-IN'],
    ['2026-11-22', 'sv-SE'],
    ['2026/11/22', 'ja-JP'],
    ['2026年11月22日', 'ja-JP'],
    ['11月22日', 'ja-JP'],
    ['2026. 11. 22', 'en-US'],
    ['Nov 22', 'en-US'],
    ['Nov 22, 2026', 'en-US'],
    ['November 22nd', 'en-US'],
    ['22 nov', 'en-GB'],
    ['22 NOVEMBER 2026', undefined],
    ['22. November 2026', 'de-DE'],
    ['22 novembre 2026', 'fr-FR'],
    ['22 de nov. de 2026', 'pt-BR'],
    ['22 de noviembre', 'es-ES'],
    ['２２．１１．２０２６', 'de-DE'],
    ['22/11/2026', 'x-nonsense--'],
    ['Sun 22 Nov', 'en-GB'],
    ['Sunday, November 22, 2026', 'en-US'],
    ["22 Nov '26", 'en-GB'],
    ['22 nov 26', undefined],
    ['So., 22. Nov. 2026', 'de-DE'],
    ['dimanche 22 novembre 2026', 'fr-FR'],
    ['22 ноября 2026 г.', 'ru-RU'],
    ['22 Kasım 2026 Pazar', 'tr-TR'],
    ['2026年 11月 22日', 'ja-JP'],
    ['2026年11月22日星期日', 'zh-CN'],
    ['2026년 11월 22일 일요일', 'ko-KR'],
    ['11월 22일', 'ko-KR'],
    ['26. 11. 22.', 'ko-KR'],
    ['22 tháng 11, 2026', 'vi-VN'],
    ['22 thg 11', 'vi-VN'],
    ['22/11/2569', 'th-TH'],
    ['22 พฤศจิกายน 2569', 'th-TH'],
    ['٢٢/١١/٢٠٢٦', 'ar-EG'],
    ['٢٢ نوفمبر ٢٠٢٦', 'ar-EG'],
    ['রবিবার, ২২ নভেম্বর, ২০২৬', 'bn-BD'],
    ['22 בנובמבר 2026', 'he-IL'],
  ])('"%s" (%s) finds that day and not the day before', (text, locale) => {
    const reader = locale === undefined ? {} : { locale }
    expect([isFound(text, baseRow, reader), isFound(text, otherRow, reader)]).toEqual([true, false])
  })

  test('a day begins in the user’s time zone', () => {
    for (const timeZone of ['Europe/Berlin', 'Asia/Tokyo', 'Pacific/Kiritimati']) {
      const reader = { locale: 'en-GB', timeZone }
      expect([isFound('22/11/2026', lateRow, reader), isFound('23/11/2026', lateRow, reader)]).toEqual([false, true])
    }
    for (const timeZone of ['America/New_York', 'UTC', 'Not/AZone']) {
      const reader = { locale: 'en-GB', timeZone }
      expect([isFound('22/11/2026', lateRow, reader), isFound('23/11/2026', lateRow, reader)]).toEqual([true, false])
    }
  })

  test('a day of 25 or 23 hours is whole', () => {
    const reader = { locale: 'de-DE', timeZone: 'Europe/Berlin' }
    for (const at of ['2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z'])
      expect(isFound('25.10.2026', { at }, reader), at).toBe(true)
    for (const at of ['2026-10-24T21:59:59.999Z', '2026-10-25T23:00:00Z', '2026-10-26T01:00:00Z'])
      expect(isFound('25.10.2026', { at }, reader), at).toBe(false)
  })

  test('two figures that can both be months are read by the locale; without one, either way', () => {
    const marchRow = { at: '2026-03-04T10:00:00Z' }
    const aprilRow = { at: '2026-04-03T10:00:00Z' }
    const findDates = (locale?: string) =>
      [marchRow, aprilRow].map((row) => isFound('03/04/2026', row, locale === undefined ? {} : { locale }))
    expect([findDates('en-US'), findDates('en-GB'), findDates()]).toEqual([
      [true, false],
      [false, true],
      [true, true],
    ])
  })

  test('words beside a date must match, too', () => {
    const row = { ...baseRow, description: 'Rent' }
    expect(isFound('rent 22.11.2026', row)).toBe(true)
    expect(isFound('22 nov 2026 coffee', row)).toBe(false)
    expect(isFound('22.11.2026 rent', { ...otherRow, description: 'Rent' })).toBe(false)
  })

  test('a date in a description is found by the same date in another notation', () => {
    const row = { at: '2026-06-01T00:00:00Z', description: 'Invoice of 22.11.2026' }
    for (const text of ['22/11/2026', '2026-11-22', 'invoice 2026-11-22', '22.11.2026'])
      expect(isFound(text, row, { locale: 'de-DE' }), text).toBe(true)
    expect(isFound('23.11.2026', row, { locale: 'de-DE' })).toBe(false)
  })

  test.each(['31.02.2026', '22.13.2026', '00.11.2026', '2026-02-30', '99/99/9999', '22 foo', '2026-11-22x'])(
    '"%s" is no date, and no error',
    (text) => {
      expect(isFound(text, { at: '2026-02-28T00:00:00Z' })).toBe(false)
    },
  )
})

describe('amounts', () => {
  const amount = (minor: bigint, currency: SearchableRow['source_currency'] = 'EUR') => ({
    ...{ source_amount: minor, target_amount: minor, source_currency: currency, target_currency: currency },
  })
  test.each([
    ['1.234,56', 'de-DE'],
    ['1.234,56 €', 'de-DE'],
    ['€1,234.56', 'en-IE'],
    ['1 234,56', 'fr-FR'],
    ['1\u202f234,56 €', 'fr-FR'],
    ['1\u00a0234,56', 'fr-FR'],
    ['1’234.56', 'de-CH'],
    ["1'234.56", 'de-CH'],
    ['1234.56', 'en-US'],
    ['1234,56', 'de-DE'],
    ['1.234', 'de-DE'],
    ['1,234', 'en-US'],
    ['1.234', 'pt-BR'],
    ['EUR 1,234.56', 'en-US'],
    ['１２３４．５６', 'ja-JP'],
    ['-1,234.56', 'en-US'],
    ['١٬٢٣٤٫٥٦', 'ar-EG'],
    ['۱۲۳۴٫۵۶', 'fa-IR'],
    ['१,२३४.५६', 'hi-IN'],
    ['๑๒๓๔.๕๖', 'th-TH'],
    ['EUR1234.56', 'en-US'],
    ['1.234,56EUR', 'de-DE'],
  ])('"%s" (%s) finds 1,234.56 euros and no other amount', (text, locale) => {
    expect(isFound(text, amount(123_456n), { locale })).toBe(true)
    expect(isFound(text, amount(923_456n), { locale })).toBe(false)
  })

  test('a sign finds its currency', () => {
    expect([isFound('€12', amount(1200n)), isFound('12€', amount(1250n))]).toEqual([true, true])
    expect([isFound('€12', amount(1200n, 'USD')), isFound('$12', amount(1200n, 'USD'))]).toEqual([false, true])
    expect([isFound('R$ 12', amount(1200n, 'BRL')), isFound('US$12', amount(1200n, 'BRL'))]).toEqual([true, false])
    expect([isFound('₹1,23,456', amount(12_345_600n, 'INR')), isFound('¥1200', amount(1200n, 'JPY'))]).toEqual([
      true,
      true,
    ])
    expect(isFound('€12', { description: 'for the €12 ticket' })).toBe(true)
    expect([isFound('12,345円', amount(12_345n, 'JPY')), isFound('12,345円', amount(1_234_500n))]).toEqual([
      true,
      false,
    ])
    expect([isFound('5EUR', { description: '5EUR' }), isFound('5eu', { description: '5EUR' })]).toEqual([true, true])
    expect([isFound('0.00005ETH', amount(50_000_000_000_000n, 'ETH')), isFound('12usdc', amount(1200n))]).toEqual([
      true,
      false,
    ])
  })
})
