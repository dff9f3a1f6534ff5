import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import { sendMoney } from '@tern/contract/transfers'
import { cryptoCodes, type CryptoCode, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { parseDecimal } from '@tern/money/money'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { payCheckout } from '@tern/testkit/people'
import { waitForPayment } from '@tern/testkit/payments'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const loadMinor = async (person: TestPerson, currency: CurrencyCode): Promise<bigint> => {
  const asset = (await person.wallet()).assets.find((asset) => asset.currency === currency)
  return parseDecimal(currency, asset?.available ?? '0').minor
}

const createTestQuote = (target: CurrencyCode, amount: string, overrides: object = {}) =>
  alice.call(createQuote, {
    body: {
      ...{ source_currency: 'USD', target_currency: target, amount, side: 'source', recipient_id: bruno.id },
      ...overrides,
    },
  })

type CryptoQuote = Awaited<ReturnType<typeof createTestQuote>>

const send = ({ quote_id, source_amount: amount, source_currency, target_currency }: CryptoQuote) =>
  alice.call(sendMoney, {
    body: { recipient_id: bruno.id, amount, source_currency, target_currency, quote_id },
    idempotencyKey: randomUUID(),
  })

const loadNewestTransaction = async (person: TestPerson) => (await person.transactions())[0]

/** Amounts of a posting by account kind and currency; each currency sums to zero. */
async function loadMovedAmounts(transactionId: string): Promise<Record<string, bigint>> {
  const { rows } = await world.database.pool.query<{ account: string; sum: bigint }>(
    `select a.kind || ' ' || a.currency as account, sum(e.amount) as sum from ledger.posting p
       join ledger.entry e on e.posting_id = p.id join ledger.account a on a.id = e.account_id
      where p.reference = $1 group by 1 having sum(e.amount) <> 0`,
    [transactionId],
  )
  const sums = new Map<string, bigint>()
  for (const { account, sum } of rows) {
    const currency = account.split(' ')[1]!
    sums.set(currency, (sums.get(currency) ?? 0n) + sum)
  }
  expect([...sums.values()].filter((sum) => sum !== 0n)).toEqual([])
  return Object.fromEntries(rows.map(({ account, sum }) => [account, sum]))
}

test('dollars arrive as each cryptocurrency, exactly as quoted, with the decimals of that asset', async () => {
  await world.fund(alice, 10_000)
  for (const [index, target] of cryptoCodes.entries()) {
    const quote = await createTestQuote(target, '20.00')
    expect(quote.target_amount.split('.')[1]).toHaveLength(scaleOf(target))
    const { transaction } = await send(quote)
    const receivedMinor = parseDecimal(target, quote.target_amount).minor
    expect(await loadMinor(bruno, target)).toBe(receivedMinor)
    expect(await loadMinor(alice, 'USD')).toBe(10_000n - 2020n * BigInt(index + 1))
    const sharedFields = { status: 'COMPLETED', target_amount: quote.target_amount, target_currency: target }
    expect(transaction).toMatchObject({ ...sharedFields, transaction_type: 'SEND', amount: '20.20', currency: 'USD' })
    expect(await loadNewestTransaction(bruno)).toMatchObject({
      ...{ ...sharedFields, id: transaction.id, transaction_type: 'RECEIVE' },
      ...{ amount: quote.target_amount, currency: target, fee: '0.00' },
    })
    expect(await loadMovedAmounts(transaction.id)).toMatchObject({
      'wallet USD': -2020n,
      'fee USD': 20n,
      'bridge USD': 2000n,
      [`wallet ${target}`]: receivedMinor,
      ...(target === 'USDT' ? { 'bridge_stablecoin USDT': -receivedMinor } : { [`bridge ${target}`]: -receivedMinor }),
    })
  }
  expect(await loadMinor(bruno, 'EUR'), 'the main balance is left alone').toBe(0n)
  expect(await loadFailedChecks(world)).toEqual([])
})

test('an exact amount of cryptocurrency arrives to the last unit, at the lowest sufficient cost', async () => {
  await world.fund(alice, 10_000)
  const quote = await createTestQuote('ETH', '0.010000000000000001', { side: 'target' })
  expect(quote).toMatchObject({ target_amount: '0.010000000000000001', delivery_estimate: 'minutes' })
  await send(quote)
  expect(await loadMinor(bruno, 'ETH')).toBe(10_000_000_000_000_001n)
  const smallerSource = (parseDecimal('USD', quote.source_amount).minor - 1n).toString().padStart(3, '0')
  const cheaperQuote = await createTestQuote('ETH', `${smallerSource.slice(0, -2)}.${smallerSource.slice(-2)}`)
  expect(parseDecimal('ETH', cheaperQuote.target_amount).minor).toBeLessThan(10_000_000_000_000_001n)
})

test('a balance in cryptocurrency pays for another one, for the same one, and for the main currency', async () => {
  await world.fund(alice, 10_000)
  const purchaseQuote = await alice.call(createQuote, {
    body: { source_currency: 'USD', target_currency: 'BTC', amount: '80.00', side: 'source' },
  })
  await alice.call(exchangeMoney, { body: { quote_id: purchaseQuote.quote_id }, idempotencyKey: randomUUID() })
  let remainingMinor = await loadMinor(alice, 'BTC')
  for (const target of ['ETH', 'BTC', 'EUR'] as const) {
    const quote = await createTestQuote(target, '0.0003', { source_currency: 'BTC' })
    expect(quote.fee_currency).toBe('BTC')
    await send(quote)
    remainingMinor -= parseDecimal('BTC', quote.total).minor
    expect(await loadMinor(alice, 'BTC')).toBe(remainingMinor)
    expect(await loadMinor(bruno, target)).toBe(parseDecimal(target, quote.target_amount).minor)
  }
  expect(await loadFailedChecks(world)).toEqual([])
})

test.each(['BTC', 'USDC', 'USDT', 'ETH'] satisfies CryptoCode[])(
  'a card pays for %s for another user',
  async (target) => {
    const quote = await createTestQuote(target, '30.00')
    const {
      payment_id: paymentId,
      transaction_id: id,
      redirectUrl,
    } = await alice.call(directPayment, {
      body: {
        ...{ amount: 3000, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' },
        quote_id: quote.quote_id,
      },
      idempotencyKey: randomUUID(),
    })
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    expect(await loadMinor(bruno, target)).toBe(parseDecimal(target, quote.target_amount).minor)
    expect(await loadMinor(alice, 'USD')).toBe(0n)
    expect(await loadNewestTransaction(bruno)).toMatchObject({
      id,
      status: 'COMPLETED',
      amount: quote.target_amount,
      currency: target,
    })
    expect(await loadMovedAmounts(id)).toMatchObject({ 'card_settlement USD': -3030n, 'fee USD': 30n })
    expect(await loadFailedChecks(world)).toEqual([])
  },
)

test('wallet and card together pay for cryptocurrency', async () => {
  await world.fund(alice, 1000)
  const quote = await createTestQuote('USDC', '30.00')
  const { payment_id: paymentId, redirectUrl } = await alice.call(directPayment, {
    body: {
      ...{ amount: 3000, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'wallet_partial' },
      quote_id: quote.quote_id,
    },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl!)
  await waitForPayment(alice, paymentId, 'completed')
  expect(await loadMinor(bruno, 'USDC')).toBe(parseDecimal('USDC', quote.target_amount).minor)
  expect(await loadMinor(alice, 'USD')).toBe(0n)
  expect(await loadFailedChecks(world)).toEqual([])
})

test('money can only be sent in a currency that the recipient can hold', async () => {
  const refusedQuote = await createTestQuote('GBP', '20.00').catch((error: unknown) => error)
  expect(refusedQuote).toBeInstanceOf(Refused)
  expect(refusedQuote).toMatchObject({ code: 'currency_not_held', errors: [{ field: 'target_currency' }] })
})
