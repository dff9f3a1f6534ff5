import { expect, it } from 'vitest'
import { parseAmount, plainAmount } from './amount.ts'

it('reads minor units from the digits, without floating point', () => {
  expect(parseAmount('USD', '1.15')).toEqual({ currency: 'USD', minor: 115n })
  expect(parseAmount('USD', '4.35')?.minor).toBe(435n)
  expect(parseAmount('JPY', '1200')?.minor).toBe(1200n)
})

it('reads an amount that is still being typed', () => {
  expect(parseAmount('USD', '12.')?.minor).toBe(1200n)
  expect(plainAmount('12.')).toBe('12')
})

it.each(['', '0', '0.00', '1.234', '-1', '1e2', 'x'])('refuses %j as an amount', (text) => {
  expect(parseAmount('USD', text)).toBeUndefined()
})

it('uses the decimals of each currency', () => {
  expect(parseAmount('JPY', '1.5')).toBeUndefined()
  expect(parseAmount('BTC', '0.00000001')?.minor).toBe(1n)
})
