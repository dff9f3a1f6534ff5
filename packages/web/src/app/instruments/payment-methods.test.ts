import type { BankAccount, SavedCard } from '@tern/contract/banking'
import { describe, expect, it } from 'vitest'
import { hasExpired, findDefaultBankAccount, findDefaultCard } from './payment-methods.ts'
import { isWebAddress } from '../provider-page.ts'

const card = (part: Partial<SavedCard>): SavedCard => ({
  id: '01a1fda9-0000-7000-8000-000000000001',
  brand: 'Visa',
  last4: '4242',
  exp_month: 11,
  exp_year: 2026,
  is_default: false,
  saved_at: '2026-01-01T00:00:00.000Z',
  ...part,
})
const account = (part: Partial<BankAccount>): BankAccount => ({
  id: '01a1fda9-0000-7000-8000-000000000002',
  bank_name: 'Harbour Bank',
  last4: '6789',
  currency: 'USD',
  country: 'US',
  is_default: false,
  linked_at: '2026-01-01T00:00:00.000Z',
  ...part,
})

describe('a saved card', () => {
  it('is valid until the end of its month', () => {
    expect(hasExpired(card({}), new Date('2026-11-30T23:59:59Z'))).toBe(false)
    expect(hasExpired(card({}), new Date('2026-12-01T00:00:00Z'))).toBe(true)
    expect(hasExpired(card({ exp_month: 12 }), new Date('2026-12-31T12:00:00Z'))).toBe(false)
    expect(hasExpired(card({ exp_month: 12 }), new Date('2027-01-01T00:00:00Z'))).toBe(true)
  })

  it('is preselected if it is the valid default, and none is if all have expired', () => {
    const now = new Date('2026-11-21T12:00:00Z')
    const expiredCard = card({ id: 'old', exp_year: 2025, is_default: true })
    const first = card({ id: 'first' })
    const defaultCard = card({ id: 'usual', is_default: true })
    expect(findDefaultCard([first, defaultCard], now)?.id).toBe('usual')
    expect(findDefaultCard([expiredCard, first], now)?.id).toBe('first')
    expect(findDefaultCard([expiredCard], now)).toBeUndefined()
  })
})

it('preselects a bank account in the paid currency, the default one if possible', () => {
  const euro = account({ id: 'euro', currency: 'EUR', is_default: true })
  const first = account({ id: 'first' })
  const defaultAccount = account({ id: 'usual', is_default: true })
  expect(findDefaultBankAccount([euro, first], 'USD')?.id).toBe('first')
  expect(findDefaultBankAccount([first, defaultAccount], 'USD')?.id).toBe('usual')
  expect(findDefaultBankAccount([euro], 'USD')).toBeUndefined()
})

it('redirects the browser to web addresses only', () => {
  expect(isWebAddress('https://pay.example/checkout/1')).toBe(true)
  expect(isWebAddress('http://localhost:4100/checkout/1')).toBe(true)
  for (const address of ['javascript:alert(1)', 'data:text/html,x', '/send', '', null, undefined])
    expect(isWebAddress(address), String(address)).toBe(false)
})
