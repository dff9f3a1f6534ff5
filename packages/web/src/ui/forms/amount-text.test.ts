import { describe, expect, test } from 'vitest'
import { placeCaret, groupAmount, limitPlaces, readAmount, applyInput, type TypedAmount } from './amount-text.ts'

describe('reading amounts', () => {
  test.each([
    ['1.234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1 234,56', '1234.56'],
    ['1\u00a0234,56 €', '1234.56'],
    ["1'234.56", '1234.56'],
    ['$12.50', '12.50'],
    ['12,5', '12.5'],
    ['1,234,567', '1234567'],
    ['1.234.567', '1234567'],
    ['0,5', '0.5'],
    ['.5', '0.5'],
    ['007', '7'],
    ['', ''],
    ['abc', ''],
  ])('%j reads as %j in the United States', (text, amount) => {
    expect(readAmount(text, 'en-US')).toBe(amount)
  })

  test('a lone sign before three digits groups only if it is the grouping sign', () => {
    expect(readAmount('1,000', 'en-US')).toBe('1000')
    expect(readAmount('1.000', 'en-US')).toBe('1.000')
    expect(readAmount('1.000', 'de-DE')).toBe('1000')
    expect(readAmount('1,000', 'de-DE')).toBe('1.000')
  })

  test('no sign groups after a leading zero, or around too many digits', () => {
    expect(readAmount('0.125', 'de-DE')).toBe('0.125')
    expect(readAmount('0.125', 'pt-BR')).toBe('0.125')
    expect(readAmount('0,125', 'en-US')).toBe('0.125')
    expect(readAmount('0,005', 'en-US')).toBe('0.005')
    expect(readAmount('1234.567', 'de-DE')).toBe('1234.567')
    expect(readAmount('1.2.3', 'de-DE')).toBe('')
  })
})

describe('showing amounts', () => {
  test('grouping follows the locale', () => {
    expect(groupAmount('1234567.8', 'en-US')).toBe('1,234,567.8')
    expect(groupAmount('1234567.8', 'de-DE')).toBe('1.234.567,8')
    expect(groupAmount('1234567.8', 'en-IN')).toBe('12,34,567.8')
    expect(groupAmount('12.', 'en-US')).toBe('12.')
    expect(groupAmount('', 'en-US')).toBe('')
  })

  test('amounts beyond what numbers can hold stay exact', () => {
    expect(groupAmount('90071992547409931.123456789012345678', 'en-US')).toBe(
      '90,071,992,547,409,931.123456789012345678',
    )
  })

  test('decimals beyond those of the currency are cut', () => {
    expect(limitPlaces('1.239', 2)).toBe('1.23')
    expect(limitPlaces('1.9', 0)).toBe('1')
  })
})

/** Types character by character at the end of the field. */
function type(text: string, scale: number, locale: string): TypedAmount | undefined {
  let typedAmount: TypedAmount | undefined
  for (const data of text)
    typedAmount = applyInput(
      (typedAmount?.shown ?? '') + data,
      { data, inputType: 'insertText' },
      typedAmount,
      scale,
      locale,
    )
  return typedAmount
}

describe('typing', () => {
  test.each([
    ['1000', 'en-US', '1,000', '1000'],
    ['1000.5', 'en-US', '1,000.5', '1000.5'],
    ['1,000', 'en-US', '1,000', '1000'],
    ['1,0005', 'en-US', '10,005', '10005'],
    ['12,5', 'en-US', '12,5', '12.5'],
    ['12.50', 'de-DE', '12.50', '12.50'],
    ['12,50', 'de-DE', '12,50', '12.50'],
    ['1234567', 'en-IN', '12,34,567', '1234567'],
    ['1.999', 'en-US', '1.99', '1.99'],
    ['1..5', 'en-US', '1.5', '1.5'],
    ['12.', 'en-US', '12.', '12'],
    ['.5', 'en-US', '0.5', '0.5'],
    ['x', 'en-US', '', ''],
  ])('%j in %s shows %j and means %j', (text, locale, shown, amount) => {
    const typedAmount = type(text, 2, locale)
    expect(typedAmount?.amount).toBe(amount)
    expect(typedAmount?.shown).toBe(shown)
  })

  test('a currency without decimals takes none', () => {
    expect(type('1.5', 0, 'en-US')?.amount).toBe('1')
    expect(type('1,5', 0, 'de-DE')?.amount).toBe('1')
    expect(type('1.5', 0, 'de-DE')?.amount).toBe('1')
    expect(type('1.500', 0, 'de-DE')?.amount).toBe('1500')
  })

  test('deleting regroups', () => {
    const typedAmount = applyInput('1,00', { data: null, inputType: 'deleteContentBackward' }, undefined, 2, 'en-US')
    expect(typedAmount).toEqual({ amount: '100', shown: '100', isUnclear: false })
  })

  test('the caret stays behind its digit', () => {
    expect(placeCaret('1,234', '1234', 4)).toBe(5)
    expect(placeCaret('12,934', '1,2934', 4)).toBe(4)
    expect(placeCaret('1,234', '1234', 1)).toBe(1)
  })
})
