import type { BankAccount, SavedCard } from '@tern/contract/banking'
import type { Wallet } from '@tern/contract/wallets'
import { describe, expect, it } from 'vitest'
import {
  walletSource,
  findBlocker,
  isAboveBalance,
  type FundingSource,
  choosePayer,
  splitTotal,
} from './payment-source.ts'

const createWallet = (available: string): Wallet => ({
  id: '01a1fda9-0000-7000-8000-000000000000',
  name: 'Main wallet',
  user_id: 1_000_000_001,
  base_currency: 'USD',
  currency: 'USD',
  fiat_balance: available,
  stablecoin_balance: '5.000000',
  pending: '0.00',
  assets: [
    { currency: 'USD', available, held: '0.00' },
    { currency: 'USDT', available: '5.000000', held: '0.000000' },
  ],
  restricted: [],
})
const quote = { source_amount: '100.00', source_currency: 'USD', total: '101.00' } as const

describe('wallet and card together', () => {
  it.each([
    ['99.99', undefined],
    ['0.01', undefined],
    ['100.00', 'balance_is_enough'],
    ['100.01', 'balance_is_enough'],
    ['0.00', 'balance_is_empty'],
  ])('with %s in the wallet and 100.00 to send: %s', (available, blocker) => {
    expect(findBlocker('wallet_partial', quote, createWallet(available))).toBe(blocker)
  })

  it('take the whole balance, and the rest of the total from the card', () => {
    expect(splitTotal(quote, createWallet('30.05'))).toEqual({ fromWallet: '30.05', fromCard: '70.95' })
  })
})

it('lets cards and banks pay in the main currency only', () => {
  const fromStablecoin = { source_amount: '3.000000', source_currency: 'USDT', total: '3.030000' } as const
  for (const source of ['card', 'bank', 'wallet_partial'] as const)
    expect(findBlocker(source, fromStablecoin, createWallet('1.00'))).toBe('other_currency')
  for (const source of ['wallet', 'card', 'bank'] as const)
    expect(findBlocker(source, quote, createWallet('1.00'))).toBeUndefined()
  expect(findBlocker('wallet', fromStablecoin, createWallet('1.00'))).toBeUndefined()
})

it('includes the fee in the check of the balance', () => {
  expect(isAboveBalance(quote, createWallet('101.00'))).toBe(false)
  expect(isAboveBalance(quote, createWallet('100.99'))).toBe(true)
})

describe('the selected source', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const card = (id: string, isDefault: boolean): SavedCard => ({
    id,
    brand: 'Visa',
    last4: '4242',
    exp_month: 12,
    exp_year: 2030,
    is_default: isDefault,
    saved_at: '2026-01-01T00:00:00.000Z',
  })
  const account = (id: string, currency: 'USD' | 'EUR'): BankAccount => ({
    id,
    bank_name: 'Harbour Bank',
    last4: '6789',
    currency,
    country: 'US',
    is_default: false,
    linked_at: '2026-01-01T00:00:00.000Z',
  })
  const methods = {
    cards: [card('one', false), card('two', true)],
    bank_accounts: [account('euro', 'EUR'), account('dollar', 'USD')],
    saves_cards: true,
  }
  const payer = (funding: Partial<FundingSource>) => choosePayer({ ...walletSource, ...funding }, methods, 'USD', now)

  it('is the default card until another or a new one is chosen', () => {
    expect(payer({ source: 'card' }).cardId).toBe('two')
    expect(payer({ source: 'wallet_partial', cardId: 'one' }).cardId).toBe('one')
    expect(payer({ source: 'card', cardId: null }).cardId).toBeUndefined()
    expect(payer({ source: 'card', cardId: 'removed meanwhile' }).cardId).toBeUndefined()
  })

  it('is a bank account in the sent currency', () => {
    expect(payer({ source: 'bank' })).toEqual({ cardId: undefined, bankAccountId: 'dollar' })
    expect(payer({ source: 'bank', bankAccountId: 'euro' }).bankAccountId).toBe('dollar')
  })

  it('is only the wallet when it pays alone', () => {
    expect(payer({ cardId: 'one', bankAccountId: 'dollar' })).toEqual({ cardId: undefined, bankAccountId: undefined })
  })
})
