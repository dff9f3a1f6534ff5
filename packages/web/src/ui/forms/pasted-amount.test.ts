import { describe, expect, test } from 'vitest'
import { isTyped } from './amount-text.ts'
import { readPasted, takeText } from './pasted-amount.ts'

const dollars = { currency: 'USD', scale: 2 }
const read = (text: string, locale: string, format = dollars) => {
  const found = readPasted(text, format, locale)
  return 'amount' in found ? found.amount : found.problem
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
  ])('%j in %s: %s', (text, locale, expected) => {
    expect(read(text, locale)).toBe(expected)
  })

  test('keeps every place that the currency has, and loses none', () => {
    expect(read('0.033266129032258064', 'en-US', { currency: 'ETH', scale: 18 })).toBe('0.033266129032258064')
    expect(read('0.0332661290322580641', 'en-US', { currency: 'ETH', scale: 18 })).toBe('places')
    expect(read('¥1,200', 'en-US', { currency: 'JPY', scale: 0 })).toBe('1200')
    expect(read('1.5', 'en-US', { currency: 'JPY', scale: 0 })).toBe('places')
  })
})

test('figures typed or put between others are no pasted amount; a letter or a minus is', () => {
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
  const held = { shown: '', typed: undefined }

  test('reads what is pasted whatever its habits', () => {
    const taken = takeText('1.234,56', paste, held, dollars, 'en-US')
    expect(taken).toEqual({ amount: '1234.56', shown: '1,234.56', isUnclear: false })
  })

  test('refuses in words what is no amount, and repeats the start of it', () => {
    expect(takeText('-5', paste, held, dollars, 'en-US')).toEqual({
      refused: '“-5” is negative. Enter an amount above zero.',
    })
    expect(takeText('a word'.repeat(9), paste, held, dollars, 'en-US')).toEqual({
      refused: expect.stringContaining('“a worda worda worda word…”'),
    })
  })

  test('takes keys one by one', () => {
    const key = { inputType: 'insertText', data: '5' }
    expect(takeText('1,2345', key, { shown: '1,234', typed: undefined }, dollars, 'en-US')).toMatchObject({
      amount: '12345',
    })
    expect(
      takeText('1234,', { inputType: 'insertText', data: ',' }, { shown: '1234', typed: undefined }, dollars, 'de-DE'),
      'in the number format of the person',
    ).toMatchObject({ amount: '1234', shown: '1.234,' })
    expect(takeText('1e', { inputType: 'insertText', data: 'e' }, held, dollars, 'en-US')).toHaveProperty('refused')
  })
})
