import { expect, test } from 'vitest'
import { describeReason } from './step-up-reason.ts'
import { splitPayee, formatSubjectValue } from './StepUpSubject.tsx'

test.each([
  ['751050.00 INR', '₹751,050.00'],
  ['1134567890 JPY', '¥1,134,567,890'],
  ['9090.00 USD', '$9,090.00'],
  ['0.033266129032258064 ETH', '0.033266129032258064 ETH'],
  ['Harbour Bank, ending in 6789', 'Harbour Bank, ending in 6789'],
  ['12.00 XYZ', '12.00 XYZ'],
  ['1 USD = 149.253731343284 JPY', '1 USD = 149.2537 JPY'],
])('%s is shown as %s', (text, expected) => {
  expect(formatSubjectValue(text)).toBe(expected)
})

test('a payee is a name and a username, or the username alone', () => {
  expect(splitPayee('Priya Raman (@priya.raman)')).toEqual({ name: 'Priya Raman', username: 'priya.raman' })
  expect(splitPayee('Ann (of Kent) Lee (@ann)')).toEqual({ name: 'Ann (of Kent) Lee', username: 'ann' })
  expect(splitPayee('@lucas')).toEqual({ name: 'lucas' })
})

const requirement = {
  id: '1',
  passkey: false,
  password: true,
  code: null,
  recovery_code: false,
  expires_at: '',
} as const
const to = 'Harbour Bank, ending in 1234'

test.each([
  [
    'withdraw_money',
    { to, amount: '200.00 EUR' },
    undefined,
    `Confirm to withdraw €200.00 to ${to}. We ask for larger`,
  ],
  [
    'withdraw_money',
    { to, amount: '90000 JPY', fee: '100 JPY', total: '90100 JPY' },
    undefined,
    'withdraw ¥90,000 to H',
  ],
  [
    'link_bank_account',
    { account: 'x', withdraws: '5.00 USD' },
    undefined,
    'withdraw $5.00 to the account you link. We',
  ],
  ['link_bank_account', { account: 'x' }, undefined, 'We ask before a bank account is linked'],
  ['withdraw_money', {}, undefined, 'We ask for larger amounts, for new accounts'],
  ['send_money', { to: '@lucas', amount: '5.00 USD' }, undefined, 'Check the details, then confirm. We ask for larger'],
  ['send_money', { to: '@lucas', amount: '5.00 USD' }, 'payments', "We ask because you've made several payments"],
] as const)(
  'a confirmation of %s with reason %j states what it permits and why it is required',
  (action, subject, reason, expected) => {
    expect(describeReason({ ...requirement, action, subject, reason })).toContain(expected)
  },
)
