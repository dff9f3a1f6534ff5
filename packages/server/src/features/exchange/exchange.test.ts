import { randomUUID } from 'node:crypto'
import { Refused } from '@tern/contract/protocol/client'
import { createQuote, currencyRate, exchangeMoney } from '@tern/contract/exchange'
import { currencyHistory, walletHoldings } from '@tern/contract/exchange/rates'
import { sendMoney } from '@tern/contract/transfers'
import { balanceHistory } from '@tern/contract/wallets'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ageSends } from '../../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'

let world: TestApp
let alice: TestPerson

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 10_000)
})

type Code = 'EUR' | 'USD' | 'USDT' | 'USDC' | 'BTC' | 'ETH'

const quote = (source: Code, target: Code, amount: string, person = alice) =>
  person.call(createQuote, {
    body: { source_currency: source, target_currency: target, amount, side: 'source' },
  })

const exchange = (quoteId: string, key: string = randomUUID(), person = alice) =>
  person.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: key }).catch((error: unknown) => {
    if (error instanceof Refused) return error.code
    throw error
  })

const loadAssets = async () =>
  Object.fromEntries((await alice.wallet()).assets.map(({ currency, available }) => [currency, available]))

test('dollars become tether, bitcoin and ether at the quoted price, and dollars again; the books balance', async () => {
  for (const target of ['USDT', 'BTC', 'ETH'] as const) {
    const purchaseQuote = await quote('USD', target, '20.00')
    expect(purchaseQuote).toMatchObject({ fee: '0.20', total: '20.20' })
    const exchangeResult = await exchange(purchaseQuote.quote_id)
    expect(exchangeResult).toMatchObject({
      transaction: { transaction_type: 'EXCHANGE', amount: '20.20', target_amount: purchaseQuote.target_amount },
    })
  }
  expect(await loadAssets()).toMatchObject({ USD: '39.40', USDT: '20.000000', ETH: '0.006250000000000000' })
  const returnQuote = await quote('USDT', 'USD', '10.00')
  await exchange(returnQuote.quote_id)
  expect(await loadAssets()).toMatchObject({ USD: '49.40', USDT: '9.900000' })
  expect(await loadFailedChecks(world)).toEqual([])
})

test('the balance history has one point per movement and ends at the current balance', async () => {
  await exchange((await quote('USD', 'USDT', '20.00')).quote_id)
  const wallet = await alice.wallet()
  const history = await alice.call(balanceHistory, { params: { id: wallet.id }, query: { days: '30' } })
  expect(history.points.map((point) => point.balance)).toEqual(['100.00', '79.80'])
  expect(history).toMatchObject({ closing_balance: wallet.fiat_balance, money_in: '100.00', money_out: '20.20' })
})

test('only the owner sees a wallet’s valuation', async () => {
  await exchange((await quote('USD', 'BTC', '20.00')).quote_id)
  const { id } = await alice.wallet()
  const { currency, total, is_complete: isComplete, holdings } = await alice.call(walletHoldings, { params: { id } })
  const bitcoin = holdings.find((holding) => holding.currency === 'BTC')
  expect(bitcoin).toMatchObject({ price: { rate: '65000.0000', source: 'sandbox' }, value: '19.99' })
  expect([currency, total, isComplete]).toEqual(['USD', '99.79', true])
  const bruno = await world.enroll('bruno', 'Germany')
  await expect(bruno.call(walletHoldings, { params: { id } })).rejects.toMatchObject({ code: 'not_found' })
})

test('the history of a rate names its source, and is public', async () => {
  const history = await alice.call(currencyHistory, { params: { from: 'USD', to: 'BTC' }, query: { range: '24h' } })
  expect(history).toMatchObject({ source: 'sandbox' })
  expect(history.steps.at(-1)).toMatchObject({ rate: '0.000015384615' })
})

test('a quote is exchanged once, under any keys, and a repeated key returns the same answer', async () => {
  const { quote_id: quoteId } = await quote('USD', 'USDT', '20.00')
  const key = randomUUID()
  const first = await exchange(quoteId, key)
  expect(await exchange(quoteId, key)).toEqual(first)
  expect(await exchange(quoteId)).toBe('quote_used')
  expect(await exchange((await quote('USD', 'USDT', '5.00')).quote_id, key)).toBe('idempotency_key_reused')
  expect(await loadAssets()).toMatchObject({ USD: '79.80', USDT: '20.000000' })
})

test('an exchange is refused without the balance, with another user’s quote, or with a quote for a transfer', async () => {
  const bruno = await world.enroll('bruno', 'Germany')
  expect(await exchange((await quote('USD', 'BTC', '100.00')).quote_id)).toBe('insufficient_funds')
  expect(await exchange((await quote('USDT', 'USD', '1.00')).quote_id)).toBe('insufficient_funds')
  expect(await exchange((await quote('USD', 'EUR', '1.00')).quote_id)).toBe('currency_not_held')
  expect(await exchange((await quote('USD', 'USDT', '1.00')).quote_id, randomUUID(), bruno)).toBe('not_found')
  const transferQuote = await alice.call(createQuote, {
    body: {
      source_currency: 'USD',
      target_currency: 'EUR',
      amount: '1.00',
      side: 'source',
      recipient_id: bruno.id,
    },
  })
  expect(await exchange(transferQuote.quote_id)).toBe('quote_mismatch')
  const unverifiedPerson = await world.enroll('dora', null)
  const unverifiedQuote = await quote('USD', 'USDT', '1.00', unverifiedPerson)
  expect(await exchange(unverifiedQuote.quote_id, randomUUID(), unverifiedPerson)).toBe('verification_required')
  expect(await loadAssets()).toMatchObject({ USD: '100.00' })
})

test('the public rate is the rate of quotes', async () => {
  const { rate } = await alice.call(currencyRate, { params: { from: 'USD', to: 'BTC' } })
  expect((await quote('USD', 'BTC', '20.00')).mid_market_rate).toBe(rate)
})

test('after five free movements a day each further one costs the smallest fee; a quote keeps its price', async () => {
  const bea = await world.enroll('bea', 'United States')
  const send = (amount: string, overrides: object = {}) =>
    alice
      .call(sendMoney, {
        body: { recipient_id: bea.id, amount, source_currency: 'USD', ...overrides },
        idempotencyKey: randomUUID(),
      })
      .then(({ transaction }) => transaction.fee)
  const createQuoteToBea = (amount: string) =>
    alice.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'USD', amount, side: 'source', recipient_id: bea.id },
    })
  const earlyQuote = await createQuoteToBea('0.10')
  const exchangeQuote = await quote('USD', 'USDT', '0.40')
  expect(await exchange(exchangeQuote.quote_id)).toMatchObject({ transaction: { fee: '0.00' } })
  for (let sendIndex = 0; sendIndex < 4; sendIndex += 1) expect(await send('0.50')).toBe('0.00')
  expect(await send('2.00'), 'by the price list').toBe('0.01')
  expect(await send('0.50')).toBe('0.01')
  expect(await createQuoteToBea('0.50')).toMatchObject({ fee: '0.01', total: '0.51' })
  expect(await quote('USD', 'USDT', '0.40')).toMatchObject({ fee: '0.01', total_cost_percent: '2.50' })
  expect(await send('0.10', { quote_id: earlyQuote.quote_id })).toBe('0.00')
  const amountError = {
    code: 'amount_too_small',
    errors: [{ field: 'amount', code: 'smallest_fee', params: { least: '0.34 USD' } }],
  }
  await expect(createQuoteToBea('0.10')).rejects.toMatchObject(amountError)
  await expect(send('0.33')).rejects.toMatchObject({ errors: [{ message: expect.stringContaining('$0.34') }] })
  await ageSends(world.database.pool, { senderId: BigInt(alice.id), hours: 48 })
  expect(await send('0.50'), 'on the next day').toBe('0.00')
  expect(await loadFailedChecks(world)).toEqual([])
})
