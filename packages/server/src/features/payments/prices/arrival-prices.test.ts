import { randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { notifications } from '@tern/contract/notifications/notifications'
import { createPayment, depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import { guestPayment } from '@tern/contract/requests/guest-payments'
import { priceProof } from '@tern/contract/prices/proof'
import { type Transaction, transactionReceipt } from '@tern/contract/transactions'
import { sendMoney, transferStatus } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { inverse, parseRatio } from '@tern/money/ratio'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agePayments, ageSends } from '../../../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, nextMail, settleCall } from '@tern/testkit/banking'
import { createTestBooks } from '@tern/testkit/books/books'
import {
  requestMoney,
  startGuestPayment,
  deliver,
  eventAbout,
  linkAccount,
  setRates,
  steer,
  loadStoredPayment,
} from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { createRegistry } from '../../../platform/providers/provider-registry.ts'
import { createExchange, createRates, setLimit } from '../../exchange/exchange.ts'
import { createPayments } from '../payments.ts'

// Provider events are lost: the product notices a payment only when a test polls.

const callerSession = { sessionId: randomUUID(), verified: true }
let alice: TestPerson
let bruno: TestPerson

const usualRates = { EUR: inverse(parseRatio('0.92')), BTC: parseRatio('65000') }

const world = await openTestApp({ events: 'lost', unconfirmedPayments: 'any' })
beforeEach(async () => {
  await setRates(world, usualRates)
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})
afterEach(async () => {
  await expectPricesProven()
  expect(await loadFailedChecks(world)).toEqual([])
})

/** Expects that the price of every conversion, promised or current, can be recomputed from the stored rates. */
async function expectPricesProven(): Promise<void> {
  // Leaves out sends that a test has backdated.
  const sinceDate = new Date(Date.now() - 3_600_000)
  for await (const { facts, verdict } of world.app.product.prices.proveAll(sinceDate)) {
    expect([facts.reference, verdict]).toEqual([facts.reference, expect.objectContaining({ verdict: 'match' })])
  }
}

const check = (id: string) => world.app.product.payments.check(id)
const loadFiatBalance = async (person: TestPerson, currency: CurrencyCode) =>
  (await person.wallet()).assets.find((asset) => asset.currency === currency)?.available ?? '0'
const loadStatus = (id: string) => alice.call(paymentStatus, { params: { id } })
const formatRow = ({ transaction_type: type, status, amount, currency }: Transaction) =>
  `${type} ${status} ${amount} ${currency}`

/** Rates with a dollar worth this many euros. */
const buildEuroRate = (eurosPerDollar: string) => ({ EUR: inverse(parseRatio(eurosPerDollar)) })

interface PaymentOptions {
  readonly target?: CurrencyCode
  readonly paymentSource?: 'card' | 'bank' | 'wallet_partial'
  readonly extra?: { undo_seconds?: number; minimum_target_amount?: string; bankAccountId?: string }
}

/** Begins to send 100.00 USD at a quote, by default for 92.00 EUR. */
async function startPayment({ target = 'EUR', paymentSource = 'card', extra = {} }: PaymentOptions = {}) {
  const quote = await alice.call(createQuote, {
    body: { source_currency: 'USD', target_currency: target, amount: '100.00', side: 'source', recipient_id: bruno.id },
  })
  const recipientId = String(bruno.id)
  const body = { amount: 10_000, currency: 'usd', recipientId, paymentSource, description: 'Books', ...extra }
  const payment = await alice.call(directPayment, {
    body: { ...body, quote_id: quote.quote_id },
    idempotencyKey: randomUUID(),
  })
  return { ...payment, quote }
}

type StartedPayment = Awaited<ReturnType<typeof startPayment>>

/** Pays by card this many minutes after the start, and polls. */
async function payLater(
  minutes: number,
  { payment_id: id, redirectUrl }: Pick<StartedPayment, 'payment_id' | 'redirectUrl'>,
) {
  await agePayments(world.database.pool, alice.id, minutes)
  await payCheckout(redirectUrl!)
  await check(id)
}

/** Settles the debit at the bank, and polls. */
async function settleBankDebit({ payment_id: id }: Pick<StartedPayment, 'payment_id'>) {
  await steer(world, id, 'settle')
  await check(id)
}

/** Alice's notifications about changed prices. */
const loadNotices = async () =>
  (await alice.call(notifications, { query: {} })).notifications.filter(
    ({ code }) => code === 'transfer_not_made' || code === 'deposit_repriced',
  )

async function expectConverted({ payment_id: id, quote }: StartedPayment): Promise<void> {
  expect(await loadStatus(id)).toMatchObject({ status: 'completed', captured: true, reason: null })
  expect([await loadFiatBalance(alice, 'USD'), await loadFiatBalance(bruno, 'EUR')]).toEqual([
    '0.00',
    quote.target_amount,
  ])
  expect((await bruno.transactions())[0]).toMatchObject({ rate: quote.rate, target_amount: quote.target_amount })
}

const unconvertedReason =
  'The exchange rate changed before the payment arrived, so the transfer was not made. The money is in your wallet.'

describe('a send by card at a quote for 92.00 EUR', () => {
  test('is made at it while the quote is valid, regardless of the market', async () => {
    const payment = await startPayment()
    await setRates(world, buildEuroRate('0.86'))
    await payLater(4, payment)
    await expectConverted(payment)
  })

  test.each([
    ['0.4 % against us', '0.91632'],
    ['exactly 0.5 % against us', '0.9154'],
    ['in our favor', '0.95'],
  ])('that is captured late is made at it if the market has moved %s', async (_case, rate) => {
    const payment = await startPayment()
    await setRates(world, buildEuroRate(rate))
    await payLater(6, payment)
    await expectConverted(payment)
  })

  test('that is captured after the market has moved 0.51 % against us is a deposit, and its sender gets a new offer', async () => {
    const payment = await startPayment()
    await setRates(world, buildEuroRate('0.9153'))
    await payLater(6, payment)
    expect(await loadStatus(payment.payment_id)).toMatchObject({
      status: 'failed',
      captured: true,
      reason: unconvertedReason,
    })
    expect([await loadFiatBalance(alice, 'USD'), await loadFiatBalance(bruno, 'EUR')]).toEqual(['101.00', '0.00'])
    expect((await alice.transactions()).map(formatRow).toSorted()).toEqual([
      'DEPOSIT COMPLETED 101.00 USD',
      'SEND FAILED 101.00 USD',
    ])
    expect(await bruno.transactions(), 'nothing was sent').toEqual([])
    const transfer = await alice.call(transferStatus, { params: { id: payment.payment_id } })
    expect(transfer).toMatchObject({
      id: payment.transaction_id,
      state: 'failed',
      captured: true,
      reason: unconvertedReason,
    })
    expect(transfer.transaction).toMatchObject({
      counterparty: { id: bruno.id },
      source_amount: '100.00',
      description: 'Books',
    })
    expect(await loadNotices()).toMatchObject([
      {
        code: 'transfer_not_made',
        params: { reason: 'price_moved', amount: '101.00', currency: 'USD', person: { id: bruno.id } },
        subject_id: payment.transaction_id,
      },
    ])
    const mail = await nextMail(world, alice, /^Your transfer was not made/)
    for (const expectedText of ['$101.00', '€92.00', '€91.53', `details=${payment.transaction_id}`])
      expect(mail).toContain(expectedText)
    const usage = await world.database.pool.query(
      'select sum(usd_minor)::int as sum from limit_usage where user_id = $1',
      [alice.id],
    )
    expect(usage.rows, 'nothing counts as sent').toEqual([{ sum: 0 }])
    await check(payment.payment_id)
    expect(await loadFiatBalance(alice, 'USD')).toBe('101.00')
  })

  test('that waits to be undone is not made, and the wallet pays a part only if the balance is lower', async () => {
    const payment = await startPayment({ extra: { undo_seconds: 10 } })
    await setRates(world, buildEuroRate('0.90'))
    await payLater(6, payment)
    const { rows } = await world.database.pool.query('select state from transfer where payment_id = $1', [
      payment.payment_id,
    ])
    expect(rows, 'released').toEqual([{ state: 'failed' }])
    const partialOutcome = await startPayment({ paymentSource: 'wallet_partial' }).catch((error: unknown) => error)
    expect(partialOutcome, 'the balance is more than that').toMatchObject({ code: 'payment_source_unavailable' })
  })

  test('that was cancelled meanwhile is a late payment', async () => {
    const payment = await startPayment()
    await setRates(world, buildEuroRate('0.90'))
    await world.database.pool.query('update payment set cancel_requested_at = now() where id = $1', [
      payment.payment_id,
    ])
    await agePayments(world.database.pool, alice.id, 6)
    await payCheckout(payment.redirectUrl!)
    await check(payment.payment_id)
    expect(await loadStatus(payment.payment_id)).toMatchObject({ status: 'failed', captured: true })
    expect((await loadStoredPayment(world, payment.payment_id)) as object).toMatchObject({ reason: 'late' })
  })

  test('waits while there are no rates, at no guessed price', async () => {
    const payment = await startPayment()
    const { product } = world.app
    const rates = createRates({ ...product, sources: createRegistry([]), log: { warn() {}, error() {} } })
    const secret = Buffer.from(world.secret, 'base64url')
    const exchange = createExchange({ ...product, rates, secret })
    const paymentsWithoutRates = createPayments({
      ...product,
      exchange,
      providers: product.providers.money,
      publicUrl: world.url,
      log: { warn() {}, error() {} },
    })
    await agePayments(world.database.pool, alice.id, 6)
    await payCheckout(payment.redirectUrl!)
    for (let attempt = 0; attempt < 2; attempt += 1) await paymentsWithoutRates.check(payment.payment_id)
    expect(await loadStatus(payment.payment_id)).toMatchObject({ status: 'pending', redirectUrl: null })
    expect((await alice.transactions()).map(formatRow)).toEqual(['SEND PENDING 101.00 USD'])
    await check(payment.payment_id)
    await expectConverted(payment)
  })
})

describe('a deposit of 100.00 EUR at a quote', () => {
  async function startDeposit() {
    const quote = await alice.call(createQuote, {
      body: { source_currency: 'EUR', target_currency: 'USD', amount: '92.00', side: 'source' },
    })
    const payment = await alice.call(depositByCard, {
      body: { amount: 9200, currency: 'eur', quote_id: quote.quote_id },
      idempotencyKey: randomUUID(),
    })
    return { ...payment, quote }
  }

  test('keeps its price while the market has moved no more than 0.5 %', async () => {
    const payment = await startDeposit()
    await setRates(world, buildEuroRate('0.924'))
    await payLater(6, payment)
    expect(await loadFiatBalance(alice, 'USD')).toBe(payment.quote.target_amount)
  })

  test('is otherwise converted at the current price, also after it had failed, with a notice to its owner', async () => {
    const [payment, failedDeposit] = [await startDeposit(), await startDeposit()]
    await agePayments(world.database.pool, alice.id, 6)
    await steer(world, failedDeposit.payment_id, 'fail')
    await check(failedDeposit.payment_id)
    await setRates(world, buildEuroRate('1'))
    await payLater(6, payment)
    expect(payment.quote.target_amount).toBe('100.00')
    expect(await loadFiatBalance(alice, 'USD')).toBe('92.00')
    expect(await alice.transactions()).toMatchObject([
      { transaction_type: 'DEPOSIT', status: 'COMPLETED', source_amount: '92.00', target_amount: '92.00', fee: '0.92' },
    ])
    expect(await loadNotices()).toMatchObject([
      { code: 'deposit_repriced', params: { amount: '92.00', currency: 'USD' } },
    ])
    const subject = 'The money you added was converted at a new rate'
    expect(await nextMail(world, alice, subject)).toContain('$100.00')
    await deliver(world, await eventAbout(world, failedDeposit.payment_id, 'checkout.paid'))
    expect(await loadFiatBalance(alice, 'USD')).toBe('184.00')
    await nextMail(world, alice, subject, 1)
    const refund = { kind: 'refund', reference: payment.payment_id, amount: money('EUR', 9292n) } as const
    await createTestBooks(world).write(refund)
    expect(await loadFiatBalance(alice, 'USD'), 'what it was converted into goes back').toBe('92.00')
  })

  test('by bank, listed at its price, is listed at the current price once it has arrived', async () => {
    const bankAccountId = await linkAccount(world, alice, { currency: 'EUR' })
    const quote = await alice.call(createQuote, {
      body: { source_currency: 'EUR', target_currency: 'USD', amount: '92.00', side: 'source' },
    })
    const payment = await alice.call(createPayment, {
      body: {
        purpose: 'deposit',
        method: 'bank',
        amount: '92.00',
        currency: 'EUR',
        bankAccountId,
        quote_id: quote.quote_id,
      },
      idempotencyKey: randomUUID(),
    })
    expect((await alice.transactions()).map(formatRow)).toEqual(['DEPOSIT PENDING 100.00 USD'])
    await setRates(world, buildEuroRate('1'))
    await agePayments(world.database.pool, alice.id, 6)
    await settleBankDebit(payment)
    expect((await alice.transactions()).map(formatRow)).toEqual(['DEPOSIT COMPLETED 92.00 USD'])
  })
})

describe('a send from a bank account, about 92.00 EUR', () => {
  beforeEach(() => linkAccount(world, alice))

  test.each([
    ['0.98', '98.00'],
    ['0.9016', '90.16'],
  ])('is made at the price of the moment at which the bank pays: %s EUR for a dollar', async (rate, target) => {
    const payment = await startPayment({ paymentSource: 'bank' })
    expect((await bruno.transactions()).map(formatRow)).toEqual(['RECEIVE PENDING 92.00 EUR'])
    await setRates(world, buildEuroRate(rate))
    await settleBankDebit(payment)
    expect(await loadStatus(payment.payment_id)).toMatchObject({ status: 'completed' })
    expect([await loadFiatBalance(alice, 'USD'), await loadFiatBalance(bruno, 'EUR')]).toEqual(['0.00', target])
    const [[sentRow], [receivedRow]] = [await alice.transactions(), await bruno.transactions()]
    expect(sentRow).toMatchObject({
      id: payment.transaction_id,
      status: 'COMPLETED',
      target_amount: target,
      stablecoin_amount: '100.000000',
    })
    expect(receivedRow).toMatchObject({
      id: payment.transaction_id,
      status: 'COMPLETED',
      amount: target,
      rate: sentRow!.rate,
    })
  })

  test('has no proof before, then one quote of its own, however many processes settle it concurrently', async () => {
    const payment = await startPayment({ paymentSource: 'bank' })
    const loadReceipt = () => alice.call(transactionReceipt, { params: { id: payment.transaction_id } })
    expect((await loadReceipt()).price).toBeNull()
    await setRates(world, buildEuroRate('0.98'))
    await steer(world, payment.payment_id, 'settle')
    await Promise.all(Array.from({ length: 6 }, () => check(payment.payment_id)))
    const code = new URL((await loadReceipt()).price!.proof_url).pathname.split('/')[2]!
    const { facts, verdict } = await alice.call(priceProof, { params: { reference: code } })
    expect(verdict.verdict).toBe('match')
    expect(facts.terms).toMatchObject({ source_amount: '100.00', target_amount: '98.00', is_authentic: true })
    const { pool } = world.database
    const { rows } = await pool.query(
      `select locked_price ->> 'target' as target from quote where user_id = $1 order by id`,
      [alice.id],
    )
    expect(rows).toEqual([{ target: '92.00' }, { target: '98.00' }])
    // No reservation is left, and the first quote is unusable.
    await world.app.product.exchange.sweepReservations()
    const reservations = await pool.query(
      'select from liquidity_reservation where id in (select id from quote where user_id = $1)',
      [alice.id],
    )
    expect(reservations.rowCount).toBe(0)
    const { quote_id: usedQuoteId, source_amount: amount } = payment.quote
    const repeatedBody = { recipient_id: bruno.id, source_currency: 'USD', target_currency: 'EUR', amount } as const
    expect(
      await settleCall(
        alice.call(sendMoney, { body: { ...repeatedBody, quote_id: usedQuoteId }, idempotencyKey: randomUUID() }),
      ),
    ).toMatchObject({ code: 'quote_expired' })
  })

  test('settles on arrival even without further liquidity', async () => {
    const payment = await startPayment({ paymentSource: 'bank' })
    await setLimit(world.database.pool, 'short', money('EUR', 0n), { operator: 'test', now: new Date() })
    try {
      await settleBankDebit(payment)
      expect(await loadFiatBalance(bruno, 'EUR')).toBe('92.00')
    } finally {
      await world.database.pool.query('delete from liquidity_limit')
    }
  })

  test('below its sender’s minimum is a deposit', async () => {
    const orderPayment = (minimum: string, method: 'bank' | 'card' = 'bank') =>
      alice.call(createPayment, {
        body: {
          ...{ purpose: 'send', method, amount: '100.00', currency: 'USD', recipient_id: bruno.id },
          minimum_target_amount: minimum,
        },
        idempotencyKey: randomUUID(),
      })
    const field = 'minimum_target_amount'
    for (const [minimum, method] of [['92.01'], ['0.00'], ['91.999'], ['90.00', 'card']] as const) {
      expect(await settleCall(orderPayment(minimum, method))).toMatchObject({ status: 422, errors: [{ field }] })
    }
    const payment = await orderPayment('92.00')
    await setRates(world, buildEuroRate('0.9199'))
    await settleBankDebit(payment)
    expect(await loadStatus(payment.payment_id)).toMatchObject({
      ...{ status: 'failed', captured: true },
      reason:
        'When the payment arrived, the recipient would have got less than your minimum, so the transfer was not made. The money is in your wallet.',
    })
    expect([await loadFiatBalance(alice, 'USD'), await loadFiatBalance(bruno, 'EUR')]).toEqual(['101.00', '0.00'])
    expect((await bruno.transactions()).map(({ status }) => status)).toEqual(['FAILED'])
    expect(await loadNotices()).toMatchObject([{ code: 'transfer_not_made', params: { reason: 'below_minimum' } }])
    expect(await nextMail(world, alice, /^Your transfer was not made/)).toContain('€91.99')
  })

  test('that is held on arrival is held at the price of that time', async () => {
    const payment = await startPayment({ paymentSource: 'bank', extra: { undo_seconds: 10 } })
    await setRates(world, buildEuroRate('0.95'))
    await settleBankDebit(payment)
    expect((await alice.transactions()).map(formatRow)).toContain('SEND PENDING 101.00 USD')
    await world.app.product.exchange.sweepReservations()
    const { rows } = await world.database.pool.query<{ minor: bigint }>(
      'select minor from liquidity_reservation r join transfer h on h.quote_id = r.id where h.id = $1 order by minor',
      [payment.transaction_id],
    )
    expect(
      rows.map(({ minor }) => minor),
      'it stays promised while it is held',
    ).toEqual([-9500n, 10_000n])
    await world.app.product.heldTransfers.settleNow({
      caller: { ...callerSession, userId: BigInt(alice.id) },
      id: payment.transaction_id,
    })
    expect(await loadFiatBalance(bruno, 'EUR')).toBe('95.00')
  })

  test('within one currency has no minimum, and keeps its price', async () => {
    const carla = await world.enroll('carla', 'United States')
    const body = { amount: 5000, currency: 'usd', recipientId: String(carla.id), paymentSource: 'bank' } as const
    const minimumPayment = alice.call(directPayment, {
      body: { ...body, minimum_target_amount: '49.00' },
      idempotencyKey: randomUUID(),
    })
    expect(await settleCall(minimumPayment)).toMatchObject({
      status: 422,
      errors: [{ field: 'minimum_target_amount' }],
    })
    const payment = await alice.call(directPayment, { body, idempotencyKey: randomUUID() })
    await settleBankDebit(payment)
    expect(await loadFiatBalance(carla, 'USD')).toBe('50.00')
  })
})

test('Five card-paid USD→BTC sends at a quote, left unpaid until BTC rose 5 %, gain nothing', async () => {
  // An earlier send makes bruno a trusted payee, so that the later ones need no confirmation.
  const funding = await alice.call(depositByCard, {
    body: { amount: 300, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await payLater(0, funding)
  await alice.call(sendMoney, {
    body: { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
  await ageSends(world.database.pool, { senderId: BigInt(alice.id) })
  expect(await loadFiatBalance(alice, 'USD')).toBe('1.99')
  const payments: StartedPayment[] = []
  for (let paymentIndex = 0; paymentIndex < 5; paymentIndex += 1) payments.push(await startPayment({ target: 'BTC' }))
  await setRates(world, { BTC: parseRatio('68250') })
  await agePayments(world.database.pool, alice.id, 20)
  for (const payment of payments) await payLater(0, payment)
  for (const { payment_id: id } of payments)
    expect(await loadStatus(id)).toMatchObject({ status: 'failed', captured: true })
  expect(
    [await loadFiatBalance(alice, 'USD'), await loadFiatBalance(bruno, 'BTC')],
    'what the cards paid, and no more',
  ).toEqual(['506.99', '0.00000000'])
})

test('a guest’s authorization is voided if the market has moved too far before it', async () => {
  await world.database.pool.query('delete from rate_limit')
  const { data } = await requestMoney(bruno)
  const [distantPayment, nearPayment] = [await startGuestPayment(alice, data), await startGuestPayment(alice, data)]
  await agePayments(world.database.pool, bruno.id, 6)
  const loadPaymentId = async (receipt: string) => {
    const { rows } = await world.database.pool.query<{ id: string }>(
      `select id from payment where purpose = 'request' and user_id = $1 order by id ${receipt === distantPayment.receipt ? 'asc' : 'desc'} limit 1`,
      [bruno.id],
    )
    return rows[0]!.id
  }
  await setRates(world, buildEuroRate('0.90'))
  await payCheckout(distantPayment.redirect_url!)
  await check(await loadPaymentId(distantPayment.receipt))
  const receipt = await alice.call(guestPayment, { params: { receipt: distantPayment.receipt } })
  expect(receipt).toMatchObject({ state: 'failed' })
  expect(receipt.reason).toContain('exchange rate has changed')
  await setRates(world, buildEuroRate('0.918'))
  await payCheckout(nearPayment.redirect_url!)
  await check(await loadPaymentId(nearPayment.receipt))
  expect(await alice.call(guestPayment, { params: { receipt: nearPayment.receipt } })).toMatchObject({ state: 'paid' })
  expect(await loadFiatBalance(bruno, 'EUR')).toBe('20.00')
})
