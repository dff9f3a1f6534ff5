import type { Wallet } from '@tern/contract/wallets'
import { describe, expect, test } from 'vitest'
import { formatMinutesLeft } from './minutes-left.ts'
import { computeCardAmount, buildSource, choosePaymentWay, listPaymentWays } from './ways-to-pay.ts'

const createWallet = (balance: string) => ({ base_currency: 'USD', fiat_balance: balance }) as Wallet
const price = (target_currency = 'USD') =>
  ({ source_amount: '20.00', source_currency: 'USD', target_currency, total: '20.10' }) as Parameters<
    typeof listPaymentWays
  >[0]
const listOffered = (balance: string, target?: string) =>
  listPaymentWays(price(target), createWallet(balance)).map(({ way, blocker }) =>
    blocker ? `${way}: ${blocker}` : way,
  )

describe('ways to pay a request', () => {
  test.each([
    ['100.00', 'USD', ['wallet', 'card', 'bank']],
    ['20.10', 'EUR', ['wallet', 'card', 'bank: other_currency']],
    ['20.09', 'USD', ['wallet: balance', 'card', 'bank']],
    ['20.00', 'USD', ['wallet: balance', 'card', 'bank']],
    ['19.99', 'USD', ['wallet: balance', 'card', 'bank', 'wallet_partial']],
    ['0.00', 'EUR', ['wallet: balance', 'card', 'bank: other_currency']],
  ])('with %s for a request in %s are %j', (balance, target, ways) => {
    expect(listOffered(balance, target)).toEqual(ways)
  })

  test('begin with the wallet, or with a card if the balance is too low', () => {
    expect(choosePaymentWay({ keepsCard: false }, price(), createWallet('50.00'))).toBe('wallet')
    expect(choosePaymentWay({ keepsCard: false }, price(), createWallet('1.00'))).toBe('card')
    expect(choosePaymentWay({ way: 'bank', keepsCard: false }, price(), createWallet('1.00'))).toBe('bank')
    expect(choosePaymentWay({ way: 'bank', keepsCard: false }, price('EUR'), createWallet('50.00'))).toBe('wallet')
  })

  test('charge the card the part that the wallet lacks', () => {
    expect(computeCardAmount(price(), createWallet('12.35'))).toBe('7.75')
  })

  test('are sent to the server with the paying card or account, and not without one', () => {
    const noMethods = { cards: [], bank_accounts: [], saves_cards: true }
    const linkedMethods = { cards: [], bank_accounts: [{ id: 'b', currency: 'USD', is_default: true }] } as never
    const wallet = createWallet('5.00')
    expect(buildSource({ keepsCard: true }, 'card', noMethods, wallet)).toEqual({ method: 'card', saveCard: true })
    expect(buildSource({ keepsCard: false }, 'bank', noMethods, wallet)).toBeUndefined()
    expect(buildSource({ keepsCard: false }, 'bank', linkedMethods, wallet)).toEqual({
      method: 'bank',
      bankAccountId: 'b',
    })
    expect(buildSource({ keepsCard: false }, 'wallet', noMethods, wallet)).toBeUndefined()
  })
})

test.each([
  [300_000, '5:00'],
  [272_001, '4:33'],
  [9000, '0:09'],
  [1, '0:01'],
  [0, '0:00'],
  [-5000, '0:00'],
])('a price held for %i ms more is held for %s', (ms, text) => {
  expect(formatMinutesLeft(1_000_000 + ms, 1_000_000)).toBe(text)
})
