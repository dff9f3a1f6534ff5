import { describe, expect, test } from 'vitest'
import { daysAgo, formatDateTime, formatMoney, formatRelative, monogram, isNegative, isZero } from './format.ts'
import { formatRate, formatRateLine } from '../money/rates.ts'

const us = { locale: 'en-US' }

describe('money', () => {
  test.each([
    ['1234.5', 'USD', '$1,234.50'],
    ['404', 'EUR', '€404.00'],
    ['13164', 'JPY', '¥13,164'],
    ['857.6', 'SGD', 'S$857.60'],
    ['12.3', 'CAD', 'CA$12.30'],
    ['12.3', 'AUD', 'A$12.30'],
    ['12.3', 'BRL', 'R$12.30'],
    ['12.3', 'INR', '₹12.30'],
    ['12.3', 'GBP', '£12.30'],
    ['200', 'USDT', '200.00 USDT'],
    ['0.000001', 'USDC', '0.000001 USDC'],
    ['0.00012345', 'BTC', '0.00012345 BTC'],
    ['-5', 'USD', '−$5.00'],
    ['-0.00', 'USD', '$0.00'],
  ])('%s %s reads %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency, us)).toBe(text)
  })

  test('amounts beyond what numbers can hold stay exact', () => {
    expect(formatMoney('90071992547409931.23', 'USD', us)).toBe('$90,071,992,547,409,931.23')
    expect(formatMoney('0.1', 'USD', us)).toBe('$0.10')
  })

  test('hidden digits are cut, never rounded up', () => {
    expect(formatMoney('1.999999', 'USDT', { ...us, places: 2 })).toBe('1.99 USDT')
  })

  test('moved money has its sign', () => {
    expect(formatMoney('640', 'USD', { ...us, sign: 'always' })).toBe('+$640.00')
    expect(formatMoney('-640', 'USD', { ...us, sign: 'always' })).toBe('−$640.00')
    expect(formatMoney('0', 'USD', { ...us, sign: 'always' })).toBe('$0.00')
  })

  test('numbers have the format of the locale', () => {
    expect(formatMoney('1234.5', 'EUR', { locale: 'de-DE' })).toBe('1.234,50\u00a0€')
    expect(formatMoney('1234567.5', 'INR', { locale: 'en-IN' })).toBe('₹12,34,567.50')
  })

  test('signs and zero', () => {
    expect(isZero('0.00')).toBe(true)
    expect(isZero('0.01')).toBe(false)
    expect(isNegative('-0.01')).toBe(true)
    expect(isNegative('-0.00')).toBe(false)
  })
})

test('rates have as many decimals as they need', () => {
  expect(formatRate('0.93', 'en-US')).toBe('0.9300')
  expect(formatRate('0.0067', 'en-US')).toBe('0.006700')
  expect(formatRate('149.253731', 'en-US')).toBe('149.2537')
  expect(formatRateLine('5.35', 'USD', 'BRL')).toBe('1 USD = 5.3500 BRL')
})

describe('dates', () => {
  const now = new Date(2026, 10, 21, 8, 0)

  test('a moment has its day and time, and its year if it is not the current one', () => {
    expect(formatDateTime(new Date(2026, 10, 20, 18, 42), now)).toBe('Nov 20, 6:42\u00a0PM')
    expect(formatDateTime(new Date(2026, 10, 20, 0, 5), now)).toBe('Nov 20, 12:05\u00a0AM')
    expect(formatDateTime(new Date(2025, 10, 20, 0, 5), now)).toBe('Nov 20, 2025, 12:05\u00a0AM')
  })

  test('recent moments are named by day', () => {
    expect(formatRelative(new Date(2026, 10, 21, 7, 59), now)).toBe('Today, 7:59\u00a0AM')
    expect(formatRelative(new Date(2026, 10, 20, 23, 59), now)).toBe('Yesterday, 11:59\u00a0PM')
    expect(formatRelative(new Date(2026, 10, 17, 12, 0), now)).toBe('Nov 17')
    expect(formatRelative(new Date(2025, 10, 17, 12, 0), now)).toBe('Nov 17, 2025')
  })

  test('days are calendar days', () => {
    expect(daysAgo(new Date(2026, 10, 20, 23, 59), now)).toBe(1)
    expect(daysAgo(new Date(2026, 10, 14, 0, 0), now)).toBe(7)
  })
})

test('monograms', () => {
  expect(monogram('Ines Okafor')).toBe('IO')
  expect(monogram('lucas.moreau')).toBe('LM')
  expect(monogram('María José de la Cruz')).toBe('MC')
  expect(monogram('grace')).toBe('GR')
  expect(monogram('😀 Smile'), 'no half of a pair').toBe('😀S')
  expect(monogram('𝒜nna 𝒵oe')).toBe('𝒜𝒵')
  expect(monogram('𠮷野')).toBe('𠮷野')
})
