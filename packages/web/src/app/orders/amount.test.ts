import { expect, it } from 'vitest'
import { amountOf, plainAmount } from './amount.ts'

it('reads minor units from the digits, without floating point', () => {
  expect(amountOf('USD', '1.15')).toEqual({ currency: 'USD', minor: 115n })
  expect(amountOf('USD', '4.35')?.minor).toBe(435n)
  expect(amountOf('JPY', '1200')?.minor).toBe(1200n)
})

it('reads an amount that is still being typed', () => {
  expect(amountOf('USD', '12.')?.minor).toBe(1200n)
  expect(plainAmount('12.')).toBe('12')
})

it.each(['', '0', '0.00', '1.234', '-1', '1e2', 'x'])('refuses %j as an amount', (text) => {
  expect(amountOf('USD', text)).toBeUndefined()
})

it('uses the decimals of each currency', () => {
  expect(amountOf('JPY', '1.5')).toBeUndefined()
  expect(amountOf('BTC', '0.00000001')?.minor).toBe(1n)
})
