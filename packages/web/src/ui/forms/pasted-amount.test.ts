import { describe, expect, test } from 'vitest'
import { isTyped, type TypedAmount } from './amount-text.ts'
import { readPasted, applyText } from './pasted-amount.ts'

const dollars = { currency: 'USD', scale: 2 }
const ether = { currency: 'ETH', scale: 18 }
const tether = { currency: 'USDT', scale: 6 }
const dinars = { currency: 'KWD', scale: 3 }
const yen = { currency: 'JPY', scale: 0 }
const parseText = (text: string, locale: string, format = dollars) => {
  const parsed = readPasted(text, format, locale)
  return 'amount' in parsed ? parsed.amount : parsed.problem
}

describe('a pasted amount', () => {
  test.each([
    ['-5', 'en-US', 'negative'],
    ['−5', 'en-US', 'negative'],
    ['- 5', 'de-DE', 'negative'],
    ['(5.00)', 'en-US', 'negative'],
    ['5-', 'en-US', 'negative'],
    ['1e3', 'en-US', 'unreadable'],
    ['abc', 'en-US', 'unreadable'],
    ['€ 5', 'en-US', 'unreadable'],
    ['12 apples', 'en-US', 'unreadable'],
    ['1,23,4', 'en-US', 'unreadable'],
    ['1.2.3', 'en-US', 'unreadable'],
    ['1.234', 'en-US', 'places'],
    ['1.234', 'de-DE', '1234'],
    ['1.234', 'fr-FR', 'unreadable'],
    ['1,234', 'en-US', '1234'],
    ['1,234', 'de-DE', 'places'],
    ['1.234,56', 'en-US', '1234.56'],
    ['1.234,56', 'de-DE', '1234.56'],
    ['1,234.56', 'en-US', '1234.56'],
    ['1,234.56', 'de-DE', '1234.56'],
    ['1 234,56', 'fr-FR', '1234.56'],
    ['1\u00a0234,56', 'fr-FR', '1234.56'],
    ["1'234.56", 'de-CH', '1234.56'],
    ['12,34,567.80', 'en-IN', '1234567.80'],
    ['1,234,567', 'en-US', '1234567'],
    ['12,5', 'en-US', '12.5'],
    ['.5', 'en-US', '0.5'],
    ['$12.50', 'en-US', '12.50'],
    ['12.50 USD', 'en-US', '12.50'],
    ['007', 'en-US', '7'],
    ['١٢٫٥', 'ar-EG', '12.5'],
    ['  ', 'en-US', ''],
    ['1,00,000', 'en-IN', '100000'],
    ['1,00,000', 'en-US', '100000'],
    ['12.345.678', 'de-DE', '12345678'],
    ['12.345.678', 'en-US', '12345678'],
    ['1,234,567.89', 'de-DE', '1234567.89'],
    ['1\u202f234,56', 'fr-FR', '1234.56'],
    ['1 234.567', 'de-DE', 'places'],
    ['1’234.56', 'de-CH', '1234.56'],
    ["1'234", 'en-US', '1234'],
    ['1 234', 'en-US', '1234'],
    ['12 34', 'en-US', 'unreadable'],
    ['1.23', 'de-DE', '1.23'],
    ['1,5', 'en-US', '1.5'],
    [',5', 'en-US', '0.5'],
    [',5', 'de-DE', '0.5'],
    ['00.5', 'en-US', '0.5'],
    ['00.5', 'de-DE', '0.5'],
    ['0,12', 'en-US', '0.12'],
    ['0,125', 'en-US', 'places'],
    ['0.125', 'de-DE', 'places'],
    ['0,005', 'en-US', 'places'],
    ['0.125.000', 'de-DE', 'unreadable'],
    ['0,125,000', 'en-US', 'unreadable'],
    ['1,234.567.8', 'en-US', 'unreadable'],
    ["1'234,567.8", 'en-US', 'unreadable'],
    ['1.5,5', 'en-US', 'unreadable'],
    ['.', 'en-US', 'unreadable'],
    ['USD 12.50', 'de-DE', '12.50'],
    ['\u206612.50 USD\u2069', 'en-US', '12.50'],
    ['१२.५', 'en-US', '12.5'],
    ['۱۲٬۳۴۵٫۵', 'fa-IR', '12345.5'],
    ['١٬٢٣٤', 'en-US', '1234'],
    ['١٬٢٣٤', 'fr-FR', '1234'],
    ['１２．５０', 'en-US', '12.50'],
    ['10²', 'en-US', 'unreadable'],
    ['1E3', 'en-US', 'unreadable'],
    ['0x10', 'en-US', 'unreadable'],
    ['½', 'en-US', 'unreadable'],
    ['12.50+', 'en-US', 'unreadable'],
    ['+12.50', 'en-US', 'unreadable'],
    ['12.50−', 'en-US', 'negative'],
    ['－5', 'en-US', 'negative'],
    ['-$5', 'en-US', 'negative'],
    ['$-5', 'en-US', 'negative'],
    ['Infinity', 'en-US', 'unreadable'],
    ['000,50', 'sv-SE', '0.50'],
    ['1.000,5', 'es-MX', '1000.5'],
    ['1,000.5', 'pl-PL', '1000.5'],
    ['1’000,5', 'de-CH', '1000.5'],
    ['1\u2009000', 'pl-PL', '1000'],
    ['1\u3000000', 'ja-JP', '1000'],
    ['0 125', 'fr-FR', 'unreadable'],
    ['1_000', 'en-US', 'unreadable'],
    ['1·000', 'es-ES', 'unreadable'],
    ['1,5,5', 'sv-SE', 'unreadable'],
    ['5\n6', 'en-US', 'unreadable'],
    ['5\u200b0', 'en-US', 'unreadable'],
    ['5 kr', 'sv-SE', 'unreadable'],
    ['5%', 'en-US', 'unreadable'],
    ['𝟏𝟐', 'en-US', 'unreadable'],
    ['٠٬١٢٥', 'fr-FR', 'unreadable'],
    ['1,000,', 'en-US', 'unreadable'],
    ['1.000.', 'en-US', 'unreadable'],
    ['—', 'en-US', 'negative'],
    ['-5 apples', 'en-US', 'unreadable'],
    ['9'.repeat(400), 'en-US', '9'.repeat(400)],
  ])('%j in %s: %s', (text, locale, expected) => {
    expect(parseText(text, locale)).toBe(expected)
  })

  test.each([
    ['0.125', 'de-DE', '0.125'],
    ['0.125', 'pt-BR', '0.125'],
    ['0.1254', 'de-DE', '0.1254'],
    ['0,125', 'en-US', '0.125'],
    ['0.125', 'fr-FR', '0.125'],
    ['1.234', 'de-DE', '1234'],
    ['1.2345', 'de-DE', '1.2345'],
    ['1 234.567', 'de-DE', '1234.567'],
    ['0.0005', 'de-DE', '0.0005'],
    ['0,0005', 'en-US', '0.0005'],
    ['1,234', 'de-CH', 'unreadable'],
  ])('%j ETH in %s: %s', (text, locale, expected) => {
    expect(parseText(text, locale, ether)).toBe(expected)
  })

  test('keeps every decimal of the currency', () => {
    expect(parseText('0.033266129032258064', 'en-US', { currency: 'ETH', scale: 18 })).toBe('0.033266129032258064')
    expect(parseText('0.0332661290322580641', 'en-US', { currency: 'ETH', scale: 18 })).toBe('places')
    expect(parseText('¥1,200', 'en-US', { currency: 'JPY', scale: 0 })).toBe('1200')
    expect(parseText('1.5', 'en-US', { currency: 'JPY', scale: 0 })).toBe('places')
  })
})

test('digits typed or inserted between others are no pasted amount; a letter or a minus is', () => {
  const key = (data: string) => ({ inputType: 'insertText', data })
  expect(isTyped(key('5'), '15', '1')).toBe(true)
  expect(isTyped(key('.'), '1.', '1')).toBe(true)
  expect(isTyped(key('-'), '-', '')).toBe(false)
  expect(isTyped(key('e'), '1e', '1')).toBe(false)
  const paste = { inputType: 'insertFromPaste', data: null }
  expect(isTyped(paste, '1,23456', '1,234')).toBe(true)
  expect(isTyped(paste, '12.5', '12')).toBe(false)
  expect(isTyped(paste, '12', '')).toBe(false)
})

describe('a field', () => {
  const paste = { inputType: 'insertFromPaste', data: null }
  const emptyInput = { shown: '', entry: undefined }

  test('reads a pasted amount in any notation', () => {
    const applied = applyText('1.234,56', paste, emptyInput, dollars, 'en-US')
    expect(applied).toEqual({ amount: '1234.56', shown: '1,234.56', isUnclear: false })
  })

  test('refuses an invalid amount with a message that repeats its start', () => {
    expect(applyText('-5', paste, emptyInput, dollars, 'en-US')).toEqual({
      refused: 'Please enter a valid amount. “-5” is not above zero.',
    })
    expect(applyText('a word'.repeat(9), paste, emptyInput, dollars, 'en-US')).toEqual({
      refused: expect.stringContaining('“a worda worda worda word…”'),
    })
  })

  test('a paste over grouped figures is read as it is', () => {
    const typed = { amount: '1234', shown: '1.234', isUnclear: false }
    const before = { shown: typed.shown, entry: typed }
    expect(applyText('0.1254', paste, before, ether, 'de-DE')).toMatchObject({ amount: '0.1254' })
    expect(applyText('56789.123', paste, before, ether, 'de-DE')).toMatchObject({ amount: '56789.123' })
    expect(applyText('1.256734', paste, before, ether, 'de-DE'), 'figures put between').toMatchObject({
      amount: '1256734',
    })
  })

  test('reads a sign inserted between digits by its only possible meaning', () => {
    const pasteText = (text: string, data: string, shown: string, locale: string) =>
      applyText(text, { inputType: 'insertText', data }, { shown, entry: undefined }, dollars, locale)
    expect(pasteText('1\u202f2.34', '.', '1\u202f234', 'fr-FR')).toMatchObject({ amount: '12.34' })
    expect(pasteText('1\u00a02.34', '.', '1\u00a0234', 'sv-SE')).toMatchObject({ amount: '12.34' })
    expect(pasteText('1’2,34', ',', '1’234', 'de-CH')).toMatchObject({ amount: '12.34' })
    expect(pasteText('1.2,34', ',', '1.234', 'de-DE')).toMatchObject({ amount: '12.34' })
    expect(pasteText('1.2.34', '.', '1.234', 'de-DE'), 'which groups').toMatchObject({ amount: '1234' })
  })

  test.each([
    ['12.5', 'en-US', '12.5'],
    ['12.5', 'de-DE', '12.5'],
    ['1.234', 'de-DE', '1234'],
    ['1.234,56', 'de-DE', '1234.56'],
    ['１２．５', 'en-US', '12.5'],
    ['0,125', 'sv-SE', '0.12'],
    ['1.000,5', 'en-US', '1000.5'],
  ])('reads %s in %s by its keys on a keyboard that composes digits', (keys, locale, amount) => {
    let entry: TypedAmount | undefined
    for (const key of keys) {
      const shown = entry?.shown ?? ''
      const compositionEvent = { inputType: 'insertCompositionText', data: shown + key }
      const applied = applyText(shown + key, compositionEvent, { shown, entry }, dollars, locale)
      entry = 'refused' in applied ? applied.keptAmount : applied
    }
    expect(entry?.amount).toBe(amount)
  })

  test('accepts keys one by one', () => {
    const key = { inputType: 'insertText', data: '5' }
    expect(applyText('1,2345', key, { shown: '1,234', entry: undefined }, dollars, 'en-US')).toMatchObject({
      amount: '12345',
    })
    expect(
      applyText('1234,', { inputType: 'insertText', data: ',' }, { shown: '1234', entry: undefined }, dollars, 'de-DE'),
      'in the number format of the person',
    ).toMatchObject({ amount: '1234', shown: '1.234,' })
    expect(applyText('1e', { inputType: 'insertText', data: 'e' }, emptyInput, dollars, 'en-US')).toHaveProperty(
      'refused',
    )
  })
})

/** Types key by key at the end of a field; '<' is the key that deletes. */
function type(keys: string, locale: string, format: { currency: string; scale: number }) {
  let entry: TypedAmount | undefined
  let refused: string | undefined
  for (const key of keys) {
    const shown = entry?.shown ?? ''
    const event =
      key === '<' ? { inputType: 'deleteContentBackward', data: null } : { inputType: 'insertText', data: key }
    const text = key === '<' ? shown.slice(0, -1) : shown + key
    const applied = applyText(text, event, { shown, entry }, format, locale)
    refused = 'refused' in applied ? applied.refused : undefined
    entry = 'refused' in applied ? applied.keptAmount : applied
  }
  return { amount: entry?.amount, shown: entry?.shown, refused }
}

describe('typing', () => {
  test.each([
    ['0.1', 'de-DE', ether, '0.1', '0,1'],
    ['0.12', 'de-DE', ether, '0.12', '0,12'],
    ['0.125', 'de-DE', ether, '0.125', '0,125'],
    ['0.1254', 'de-DE', ether, '0.1254', '0,1254'],
    ['0.1254', 'pt-BR', ether, '0.1254', '0,1254'],
    ['0,1254', 'en-US', ether, '0.1254', '0.1254'],
    ['.125', 'de-DE', ether, '0.125', '0,125'],
    ['00,5', 'en-US', dollars, '0.5', '0.5'],
    ['0,005', 'en-US', dollars, '0.00', '0.00'],
    ['1.234', 'de-DE', ether, '1234', '1.234'],
    ['1.2345', 'de-DE', ether, '1.2345', '1,2345'],
    ['1.234,5', 'de-DE', ether, '1234.5', '1.234,5'],
    ['1,234.5', 'de-DE', ether, '1234.5', '1.234,5'],
    ['1.234,56', 'de-DE', dollars, '1234.56', '1.234,56'],
    ['1234.5', 'de-DE', dollars, '1234.5', '1.234,5'],
    ['1234,5', 'en-US', dollars, '1234.5', '1,234.5'],
    ['1234.567', 'de-DE', ether, '1234.567', '1.234,567'],
    ['1.234.567', 'de-DE', dollars, '1234567', '1.234.567'],
    ['1,234,567.5', 'en-US', dollars, '1234567.5', '1,234,567.5'],
    ['12.50<', 'de-DE', dollars, '12.5', '12.5'],
    ['12.5<<', 'de-DE', dollars, '12', '12'],
    ['١٢٫٥', 'en-US', dollars, '12.5', '12.5'],
    ['1234٥', 'en-US', ether, '12345', '12,345'],
    ['1٫5', 'de-DE', dollars, '1.5', '1,5'],
    ['-5<<5', 'en-US', dollars, '5', '5'],
    ['1,000,000', 'de-DE', dollars, '1000000', '1.000.000'],
    ['1.000.000', 'en-US', dollars, '1000000', '1,000,000'],
    ['1.000.000', 'en-IN', dollars, '1000000', '10,00,000'],
    ['1.000.000', 'es-ES', dollars, '1000000', '1.000.000'],
    ['1.000,000', 'fr-FR', dinars, '1000.000', '1\u202f000,000'],
    ['1.000.000', 'sv-SE', dinars, '1000000', '1\u00a0000\u00a0000'],
    ['1.000,5', 'en-US', dollars, '1000.5', '1,000.5'],
    ['1,000.5', 'pl-PL', dollars, '1000.5', '1\u00a0000,5'],
    ['31.364.020.600', 'es-MX', tether, '31364020600', '31,364,020,600'],
    ['4.909.160.309', 'de-DE', yen, '4909160309', '4.909.160.309'],
    ['1,000.5<<', 'sv-SE', dollars, '1000', '1\u00a0000'],
    ['1.2345<', 'es-ES', dollars, '1234', '1.234'],
    ['01.903', 'es-ES', dinars, '1.903', '1,903'],
    ['00,125', 'en-US', ether, '0.125', '0.125'],
    ['037,017', 'es-MX', tether, '37.017', '37.017'],
    ['12345<.5', 'de-DE', dollars, '1234.5', '1.234,5'],
    ['1 234,5', 'pl-PL', dollars, '1234.5', '1\u00a0234,5'],
    ['1.5', 'sv-SE', tether, '1.5', '1,5'],
    ['1２３４．５', 'en-US', dollars, '1234.5', '1,234.5'],
  ])('%s in %s is read as typed', (keys, locale, format, amount, shown) => {
    expect(type(keys, locale, format)).toEqual({ amount, shown, refused: undefined })
  })

  test('a typed apostrophe groups in Switzerland', () => {
    expect(type("1'234.5", 'de-CH', dollars)).toMatchObject({ amount: '1234.5', refused: undefined })
    expect(type('1,000,000', 'de-CH', dinars)).toMatchObject({ amount: '1000000', refused: undefined })
  })

  test.each([
    ['-', 'en-US'],
    ['-5', 'en-US'],
    ['5-', 'en-US'],
    ['−5', 'sv-SE'],
    ['1e3', 'en-US'],
    ['abc', 'en-US'],
    ['12x', 'de-DE'],
    ['1,23.', 'de-DE'],
    ['12.5,', 'de-DE'],
    ['1.234.5', 'de-DE'],
    ['1.000.', 'fr-FR'],
    ['16.930.000.00', 'de-DE'],
    ['1,000,00', 'de-CH'],
    ['0 125', 'fr-FR'],
    ['0 125', 'pl-PL'],
    ['5k', 'en-US'],
    ['1..5.', 'sv-SE'],
    ["1'5", 'de-CH'],
    ['€5', 'en-US'],
  ])('%s in %s stays in the field, is no amount, and says so', (keys, locale) => {
    const typed = type(keys, locale, dollars)
    expect(typed).toMatchObject({ amount: '', shown: keys })
    expect(typed.refused).toContain('Please enter a valid amount')
  })
})
