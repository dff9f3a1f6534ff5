import { expect, test } from 'vitest'
import { payeeOf, readable } from './StepUpSubject.tsx'

test.each([
  ['751050.00 INR', '₹751,050.00'],
  ['1134567890 JPY', '¥1,134,567,890'],
  ['9090.00 USD', '$9,090.00'],
  ['0.033266129032258064 ETH', '0.033266129032258064 ETH'],
  ['Harbour Bank, ending in 6789', 'Harbour Bank, ending in 6789'],
  ['12.00 XYZ', '12.00 XYZ'],
  ['1 USD = 149.253731343284 JPY', '1 USD = 149.2537 JPY'],
])('%s is shown as %s', (text, shown) => {
  expect(readable(text)).toBe(shown)
})

test('a payee is a name and a username, or the username alone', () => {
  expect(payeeOf('Priya Raman (@priya.raman)')).toEqual({ name: 'Priya Raman', username: 'priya.raman' })
  expect(payeeOf('Ann (of Kent) Lee (@ann)')).toEqual({ name: 'Ann (of Kent) Lee', username: 'ann' })
  expect(payeeOf('@lucas')).toEqual({ name: 'lucas' })
})
