import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import { createQuote } from '@tern/contract/exchange'
import { cancelPayment, createPayment, deposit, depositByCard, paymentStatus } from '@tern/contract/payments'
import { money } from '@tern/money/money'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { payCheckout } from '@tern/testkit/people'
import { countUnconfirmedPasses } from '@tern/testkit/risk'
import {
  deliver,
  eventAbout,
  linkAccount,
  createPaymentsWith,
  steer,
  loadStoredPayment,
  waitForPayment,
} from '@tern/testkit/payments'
import { computePulledUsdMinor } from '../records/payment-usage.ts'

let alice: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})

const chargeCard = (amount: number, overrides: object = {}, idempotencyKey: string = randomUUID(), person = alice) =>
  person.call(depositByCard, { body: { amount, currency: 'usd', ...overrides }, idempotencyKey })
const depositByBank = (amount: string, overrides: object = {}) =>
  alice.call(deposit, {
    body: { amount, currency: 'USD', method: 'bank', ...overrides },
    idempotencyKey: randomUUID(),
  })
const settleCode = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  )
const loadFiatBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const createTestQuote = (amount: string, from: 'EUR' | 'GBP' = 'EUR', person = alice) =>
  person.call(createQuote, {
    body: { source_currency: from, target_currency: 'USD', amount, side: 'source' },
  })

async function loadMails(person: TestPerson): Promise<string> {
  const mails = (await (await fetch(`${world.sandboxUrl}/api/mail?to=${person.email}`)).json()) as { text: string }[]
  return mails.map(({ text }) => text).join('\n')
}

describe('a deposit by card', () => {
  test('arrives by the provider’s event, even if the browser never returns', async () => {
    const payment = await chargeCard(10_000, { userId: alice.id, depositToWallet: true })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await loadFiatBalance(alice)).toBe('100.00')
    expect(await alice.transactions()).toMatchObject([
      {
        id: payment.transaction_id,
        transaction_type: 'DEPOSIT',
        amount: '100.00',
        fee: '0.00',
        payment_source: 'card',
      },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that failed and is captured late arrives once, and its payer is notified', async () => {
    const payment = await chargeCard(10_000)
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await loadFiatBalance(alice)).toBe('100.00')
    await vi.waitFor(async () => expect(await loadMails(alice)).toContain('100.00'), { timeout: 120_000 })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('in another currency is converted at the quoted price, fee included, at any time of settlement', async () => {
    const quote = await createTestQuote('50.00')
    const payment = await chargeCard(5000, { currency: 'eur', quote_id: quote.quote_id })
    expect(await loadStoredPayment(world, payment.payment_id)).toMatchObject({ amount_minor: 5050n, currency: 'EUR' })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await loadFiatBalance(alice)).toBe(quote.target_amount)
    expect(await alice.transactions()).toMatchObject([
      {
        transaction_type: 'DEPOSIT',
        amount: quote.target_amount,
        currency: 'USD',
        source_amount: '50.00',
        source_currency: 'EUR',
        fee: '0.50',
        fee_currency: 'EUR',
        rate: quote.rate,
      },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('keeps the promised price when captured after the quote has expired and after it had failed', async () => {
    const quote = await createTestQuote('50.00', 'GBP')
    const payment = await chargeCard(5000, { currency: 'gbp', quote_id: quote.quote_id })
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    const repeatedDeposit = await chargeCard(5000, { currency: 'gbp', quote_id: quote.quote_id })
    await payCheckout(repeatedDeposit.redirectUrl!)
    await waitForPayment(alice, repeatedDeposit.payment_id, 'completed')
    await world.database.pool.query(`update quote set expires_at = now() - interval '1 day' where id = $1`, [
      quote.quote_id,
    ])
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(alice, payment.payment_id, 'completed')
    const minor = BigInt(quote.target_amount.replace('.', '')) * 2n
    expect((await loadFiatBalance(alice)).replace('.', '')).toBe(String(minor))
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('takes only the quote that was made for it, once', async () => {
    const quote = await createTestQuote('50.00')
    const eur = { currency: 'eur', quote_id: quote.quote_id }
    expect(await settleCode(chargeCard(5000, { currency: 'eur' }))).toBe('invalid_request')
    expect(await settleCode(chargeCard(5001, eur))).toBe('quote_mismatch')
    expect(await settleCode(chargeCard(5000, { ...eur, currency: 'gbp' }))).toBe('quote_mismatch')
    expect(await settleCode(chargeCard(5000, { quote_id: quote.quote_id }))).toBe('quote_mismatch')
    expect(await settleCode(chargeCard(5000, { currency: 'jpy' }))).toBe('currency_not_supported')
    const otherPerson = await world.enroll('other', 'United States')
    expect(await settleCode(chargeCard(5000, eur, randomUUID(), otherPerson))).toBe('not_found')
    const recipientQuote = await alice.call(createQuote, {
      body: {
        source_currency: 'EUR',
        target_currency: 'USD',
        amount: '50.00',
        side: 'source',
        recipient_id: otherPerson.id,
      },
    })
    expect(await settleCode(chargeCard(5000, { ...eur, quote_id: recipientQuote.quote_id }))).toBe('quote_mismatch')
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => settleCode(chargeCard(5000, eur))))
    expect(outcomes.toSorted()).toEqual(['done', ...Array<string>(9).fill('quote_used')])
  })

  test('saves the card only on request, and charges it without the hosted page', async () => {
    const unsavedDeposit = await chargeCard(1000)
    await payCheckout(unsavedDeposit.redirectUrl!)
    await waitForPayment(alice, unsavedDeposit.payment_id, 'completed')
    expect((await alice.call(paymentMethods, {})).cards).toEqual([])
    const savedDeposit = await chargeCard(1000, { saveCard: true })
    await payCheckout(savedDeposit.redirectUrl!)
    await waitForPayment(alice, savedDeposit.payment_id, 'completed')
    const [card] = (await alice.call(paymentMethods, {})).cards
    expect(card).toMatchObject({ last4: '4242' })
    const key = randomUUID()
    const cardDeposit = await chargeCard(1000, { paymentMethodId: card!.id }, key)
    expect(cardDeposit).toMatchObject({ status: 'completed', redirectUrl: null })
    expect(await loadFiatBalance(alice)).toBe('30.00')
    expect(await chargeCard(1000, { paymentMethodId: card!.id }, key)).toEqual(cardDeposit)
    expect(await loadFiatBalance(alice)).toBe('30.00')
    const otherPerson = await world.enroll('other', 'United States')
    const stolenDeposit = chargeCard(1000, { paymentMethodId: card!.id }, randomUUID(), otherPerson)
    expect(await settleCode(stolenDeposit)).toBe('payment_method_not_found')
    const depositWithoutKey = alice.call(depositByCard, {
      body: { amount: 1000, currency: 'usd', paymentMethodId: card!.id },
    })
    expect(await settleCode(depositWithoutKey), 'given again it would be charged again').toBe(
      'idempotency_key_required',
    )
    expect(await loadFiatBalance(alice)).toBe('30.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test.each([
    ['last4', '42'],
    ['exp_month', 13],
    ['brand', 'V'.repeat(1000)],
  ])('arrives even if its card cannot be saved (%s)', async (field, value) => {
    const [firstDeposit, secondDeposit] = [
      await chargeCard(1000, { saveCard: true }),
      await chargeCard(1000, { saveCard: true }),
    ]
    const card = { token: 't', fingerprint: 'f', brand: 'Visa', last4: '4242', exp_month: 4, exp_year: 2031 }
    const event = await eventAbout(world, firstDeposit.payment_id, 'checkout.paid', {
      card: { ...card, [field]: value },
    })
    expect((await deliver(world, event)).status).toBe(204)
    const invalidCard = { ...card, expMonth: field === 'exp_month' ? 13 : 4, expYear: 2031, [field]: value }
    const { id: paymentId, session_id: session } = await loadStoredPayment(world, secondDeposit.payment_id)
    const amount = money('USD', 1000n)
    const payments = createPaymentsWith(world, {
      card: {
        lookup: () =>
          Promise.resolve({ status: 'settled', paymentId, amount, captureId: `cap_${session}`, card: invalidCard }),
      },
    })
    await payments.check(paymentId)
    expect(await loadFiatBalance(alice)).toBe('20.00')
    expect((await alice.call(paymentMethods, {})).cards).toEqual([])
  })

  test('is cancelled at most 30 times a minute', async () => {
    const params = { id: randomUUID() }
    const outcomes = await Promise.all(
      Array.from({ length: 31 }, () => settleCode(alice.call(cancelPayment, { params }))),
    )
    expect(outcomes.toSorted()).toEqual([...Array<string>(30).fill('not_found'), 'rate_limited'])
    expect(await settleCode(chargeCard(1000)), 'a payment can be begun all the same').toBe('done')
  })

  test('begins at most 30 times a minute', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = { amount: 1000, currency: 'usd' }
    const answers = await Promise.all(
      Array.from({ length: 31 }, () =>
        world.raw('POST', '/payment/deposit/card', { token: alice.token, body, headers }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(30)
    expect(answers.find((answer) => answer.status !== 200)?.body.code).toBe('rate_limited')
  })

  test('does not begin before verification, and another user’s is not found', async () => {
    const dora = await world.enroll('dora', null)
    expect(await settleCode(chargeCard(1000, {}, randomUUID(), dora))).toBe('verification_required')
    const params = { id: (await chargeCard(1000)).payment_id }
    expect(await settleCode(dora.call(paymentStatus, { params }))).toBe('not_found')
  })
})

describe('a deposit by bank debit', () => {
  test('is pending at once and arrives when the bank has paid', async () => {
    await linkAccount(world, alice)
    const payment = await depositByBank('100.00')
    expect(payment).toMatchObject({ status: 'pending', redirectUrl: null })
    expect(await alice.transactions()).toMatchObject([
      { id: payment.transaction_id, status: 'PENDING', transaction_type: 'DEPOSIT', payment_source: 'bank' },
    ])
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00', pending: '100.00' })
    expect(await loadFailedChecks(world)).toEqual([])
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00', pending: '0.00' })
    expect(await alice.transactions()).toMatchObject([
      { id: payment.transaction_id, status: 'COMPLETED', amount: '100.00' },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('settles by itself after some business days on the sandbox’s clock', async () => {
    await linkAccount(world, alice)
    const payment = await depositByBank('20.00')
    const { now, providers } = world.app.product
    try {
      await providers.sandboxClock!.set(new Date(now().getTime() + 10 * 86_400_000))
      await vi.waitFor(
        async () => expect((await loadStoredPayment(world, payment.payment_id)).status).toBe('completed'),
        {
          timeout: 120_000,
        },
      )
    } finally {
      await providers.sandboxClock!.set(new Date())
    }
    alice = await world.enroll('alice', 'United States')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that the bank does not pay fails with the reason, and a mail', async () => {
    await linkAccount(world, alice, { bank: 'shoal' })
    const payment = await depositByBank('100.00')
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    expect(await alice.transactions()).toMatchObject([{ id: payment.transaction_id, status: 'FAILED' }])
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00', pending: '0.00' })
    const { reason } = await alice.call(paymentStatus, { params: { id: payment.payment_id } })
    expect(reason).toMatch(/\.$/)
    await vi.waitFor(async () => expect(await loadMails(alice)).toContain('Shoal Bank'), { timeout: 120_000 })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('in another currency needs an account in that currency, and is converted', async () => {
    const dollars = await linkAccount(world, alice)
    const euros = await linkAccount(world, alice, { currency: 'EUR' })
    const quote = await createTestQuote('40.00')
    const eur = { currency: 'EUR', quote_id: quote.quote_id }
    expect(await settleCode(depositByBank('40.00', { ...eur, bankAccountId: dollars }))).toBe('currency_not_supported')
    const body = { purpose: 'deposit', method: 'bank', amount: '40.00', bankAccountId: euros, ...eur } as const
    const payment = await alice.call(createPayment, {
      body: { ...body, currency: 'EUR' },
      idempotencyKey: randomUUID(),
    })
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await loadFiatBalance(alice)).toBe(quote.target_amount)
    expect(await alice.transactions()).toMatchObject([{ id: payment.transaction_id, status: 'COMPLETED', fee: '0.40' }])
    expect(await settleCode(depositByBank('40.00', { ...eur, bankAccountId: euros }))).toBe('quote_used')
    expect(await countUnconfirmedPasses(world.database.pool, alice), 'the refused one does not use the allowance').toBe(
      1,
    )
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('needs a linked account of the caller', async () => {
    expect(await settleCode(depositByBank('10.00'))).toBe('bank_account_needed')
    const otherPerson = await world.enroll('other', 'United States')
    const bankAccountId = await linkAccount(world, otherPerson)
    expect(await settleCode(depositByBank('10.00', { bankAccountId }))).toBe('bank_account_needed')
  })
})

test('of less than a cent counts as one cent against limits', () => {
  const { exchange } = world.app.product
  const [yen, thousandYen] = [money('JPY', 1n), money('JPY', 1_000n)]
  expect(exchange.usdMinorOf(yen)).toBe(1n)
  const price = exchange.price({
    ...{ amount: thousandYen, side: 'source', sourceCurrency: 'JPY', targetCurrency: 'USD', useStablecoin: true },
  })
  expect(computePulledUsdMinor({ exchange }, yen, price)).toBe(1n)
})
