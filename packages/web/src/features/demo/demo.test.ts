import { fiatCodes } from '@tern/money/currency'
import { expect, test } from 'vitest'
import { computeArrival } from './banking-days.ts'
import { convertToOthers } from './sample-rates.ts'

const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

test.each([
  ['Mon', 'Tue', 'Thu'],
  ['Wed', 'Thu', 'Mon'],
  ['Thu', 'Fri', 'Tue'],
  ['Fri', 'Mon', 'Wed'],
  ['Sat', 'Tue', 'Thu'],
  ['Sun', 'Tue', 'Thu'],
])('a withdrawal ordered on %s arrives from %s to %s', (weekday, from, until) => {
  const { earliest, latest } = computeArrival(names.indexOf(weekday))
  expect([names[earliest % 7], names[latest % 7]]).toEqual([from, until])
  // The page shows the six days after the chosen one.
  expect(latest - names.indexOf(weekday)).toBeLessThan(7)
})

test('a balance is shown in all other currencies, with the decimals of each, rounded down', () => {
  const amountsByCode = Object.fromEntries(convertToOthers('930.00').map(({ code, amount }) => [code, amount]))
  expect(amountsByCode).toMatchObject({ USD: '1000.00', GBP: '790.00', JPY: '149250', INR: '83450.00' })
  expect(Object.keys(amountsByCode)).toEqual(fiatCodes.filter((code) => code !== 'EUR'))
  expect(convertToOthers('0.01').find(({ code }) => code === 'JPY')?.amount).toBe('1')
  expect(convertToOthers('').every(({ amount }) => amount.startsWith('0'))).toBe(true)
})
