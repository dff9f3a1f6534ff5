import type { Wallet } from '@tern/contract/wallets'
import { describe, expect, test } from 'vitest'
import { minutesLeft } from './minutes-left.ts'
import { restForCard, sourceFor, choosePaymentWay, waysFor } from './ways-to-pay.ts'

const walletWith = (balance: string) => ({ base_currency: 'USD', fiat_balance: balance }) as Wallet
const price = (target_currency = 'USD') =>
  ({ source_amount: '20.00', source_currency: 'USD', target_currency, total: '20.10' }) as Parameters<typeof waysFor>[0]
const offered = (balance: string, target?: string) =>
  waysFor(price(target), walletWith(balance)).map(({ way, blocker }) => (blocker ? `${way}: ${blocker}` : way))

describe('ways to pay a request', () => {
  test.each([
    ['100.00', 'USD', ['wallet', 'card', 'bank']],
    ['20.10', 'EUR', ['wallet', 'card', 'bank: other_currency']],
    ['20.09', 'USD', ['wallet: balance', 'card', 'bank']],
    ['20.00', 'USD', ['wallet: balance', 'card', 'bank']],
    ['19.99', 'USD', ['wallet: balance', 'card', 'bank', 'wallet_partial']],
    ['0.00', 'EUR', ['wallet: balance', 'card', 'bank: other_currency']],
  ])('with %s for a request in %s are %j', (balance, target, ways) => {
    expect(offered(balance, target)).toEqual(ways)
  })

  test('begin with the wallet, or with a card if the balance is too low', () => {
    expect(choosePaymentWay({ keepsCard: false }, price(), walletWith('50.00'))).toBe('wallet')
    expect(choosePaymentWay({ keepsCard: false }, price(), walletWith('1.00'))).toBe('card')
    expect(choosePaymentWay({ way: 'bank', keepsCard: false }, price(), walletWith('1.00'))).toBe('bank')
    expect(choosePaymentWay({ way: 'bank', keepsCard: false }, price('EUR'), walletWith('50.00'))).toBe('wallet')
  })

  test('charge the card the part that the wallet lacks', () => {
    expect(restForCard(price(), walletWith('12.35'))).toBe('7.75')
  })

  test('are sent to the server with the paying card or account, and not without one', () => {
    const none = { cards: [], bank_accounts: [] }
    const linked = { cards: [], bank_accounts: [{ id: 'b', currency: 'USD', is_default: true }] } as never
    const wallet = walletWith('5.00')
    expect(sourceFor({ keepsCard: true }, 'card', none, wallet)).toEqual({ method: 'card', saveCard: true })
    expect(sourceFor({ keepsCard: false }, 'bank', none, wallet)).toBeUndefined()
    expect(sourceFor({ keepsCard: false }, 'bank', linked, wallet)).toEqual({ method: 'bank', bankAccountId: 'b' })
    expect(sourceFor({ keepsCard: false }, 'wallet', none, wallet)).toBeUndefined()
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
  expect(minutesLeft(1_000_000 + ms, 1_000_000)).toBe(text)
})
