import { expect, it } from 'vitest'
import { depositAmount } from './deposit-amount.ts'

it('counts minor units from the digits, without floating point', () => {
  expect(depositAmount('USD', '1.15')).toEqual({ status: 'right', minor: 115n })
  expect(depositAmount('USD', '4.35')).toEqual({ status: 'right', minor: 435n })
  expect(depositAmount('JPY', '1200')).toEqual({ status: 'right', minor: 1200n })
  expect(depositAmount('USD', '12.')).toEqual({ status: 'right', minor: 1200n })
})

it('knows an empty field from a wrong one', () => {
  expect(depositAmount('USD', '')).toEqual({ status: 'empty' })
  for (const text of ['0', '0.00', '1.234', '-1', 'x']) {
    expect(depositAmount('USD', text)).toEqual({ status: 'wrong', message: 'Please enter a valid amount' })
  }
  expect(depositAmount('JPY', '1.5').status).toBe('wrong')
})

it('stays within what one payment call can carry', () => {
  expect(depositAmount('USD', '10000000000.00').status).toBe('right')
  expect(depositAmount('USD', '10000000000.01').status).toBe('wrong')
})
