import { expect, it } from 'vitest'
import { typedAmount } from './typed-amount.ts'

it('counts minor units from the digits, without floating point', () => {
  expect(typedAmount('USD', '1.15')).toEqual({ status: 'right', minor: 115n })
  expect(typedAmount('USD', '4.35')).toEqual({ status: 'right', minor: 435n })
  expect(typedAmount('JPY', '1200')).toEqual({ status: 'right', minor: 1200n })
  expect(typedAmount('USD', '12.')).toEqual({ status: 'right', minor: 1200n })
})

it('knows an empty field from a wrong one', () => {
  expect(typedAmount('USD', '')).toEqual({ status: 'empty' })
  for (const text of ['0', '0.00', '1.234', '-1', 'x']) {
    expect(typedAmount('USD', text)).toEqual({ status: 'wrong', message: 'Please enter a valid amount' })
  }
  expect(typedAmount('JPY', '1.5').status).toBe('wrong')
})

it('stays within what one payment call can carry', () => {
  expect(typedAmount('USD', '10000000000.00').status).toBe('right')
  expect(typedAmount('USD', '10000000000.01').status).toBe('wrong')
})
