import { money } from '@tern/money/money'
import { expect, test } from 'vitest'
import { withdrawalBar } from './withdrawal-bar.ts'

const usd = (cents: bigint) => money('USD', cents)

const readyState = {
  amount: usd(150_00n),
  fee: usd(0n),
  total: usd(150_00n),
  exceedsBalance: false,
  maximum: usd(500_00n),
  hasAccount: true,
  expectedOn: '2026-12-03',
}
const emptyState = { amount: undefined, fee: undefined, total: undefined }

test.each([
  ['without an amount', emptyState, 'Enter an amount', 'You can withdraw $500.00'],
  ['of an empty wallet', { ...emptyState, maximum: usd(0n) }, 'Nothing to withdraw yet', undefined],
  ['above what can leave', { exceedsBalance: true }, 'Amount too high', 'You can withdraw $500.00'],
  ['without an account', { hasAccount: false, expectedOn: undefined }, 'You get $150.00', 'Link your bank first'],
  ['before its day is known', { expectedOn: undefined }, 'You get $150.00', 'In 1–3 business days'],
  ['that is ready', {}, 'You get $150.00', 'Arrives by Thu, Dec 3'],
  ['with a fee', { fee: usd(3_75n), total: usd(153_75n) }, 'You get $150.00', 'Total to pay $153.75'],
])('the bar of a withdrawal %s says so', (_, change, title, detail) => {
  const bar = withdrawalBar({ ...readyState, ...change })
  expect(bar.title).toBe(title)
  // The year is shown unless it is the current one.
  expect(bar.detail?.replace(', 2026', '')).toBe(detail)
})
