import { randomUUID } from 'node:crypto'
import { Refused } from '@tern/contract/protocol/client'
import { createQuote } from '@tern/contract/exchange'
import { cancelPayment, createPayment, directPayment, paymentStatus } from '@tern/contract/payments'
import { transactionReceipt } from '@tern/contract/transactions'
import { sendMoney, transferStatus } from '@tern/contract/transfers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { payCheckout } from '@tern/testkit/people'
import { countUnconfirmedPasses } from '@tern/testkit/risk'
import { deliver, eventAbout, linkAccount, steer, loadStoredPayment, waitForPayment } from '@tern/testkit/payments'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

type Source = 'card' | 'bank' | 'wallet_partial'

const startPayment = (
  paymentSource: Source,
  amount: number,
  overrides: object = {},
  idempotencyKey: string = randomUUID(),
  confirmation?: string,
) =>
  alice.call(directPayment, {
    body: { amount, currency: 'usd', recipientId: String(bruno.id), paymentSource, ...overrides },
    idempotencyKey,
    confirmation,
  })
const settleCode = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  )
const loadFiatBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const findHeldAmount = async (person: TestPerson) =>
  (await person.wallet()).assets.find(({ currency }) => currency === 'USD')?.held
const sendAfterPayment = (payment: { payment_id: string }, amount: string, source: Source) =>
  alice.call(sendMoney, {
    body: {
      recipient_id: bruno.id,
      amount,
      source_currency: 'USD',
      payment_source: source,
      payment_id: payment.payment_id,
    },
    idempotencyKey: randomUUID(),
  })

const loadIncoming = async (person: TestPerson) =>
  (await person.transactions()).map(({ id, status, transaction_type: type, counterparty, target_amount: amount }) => ({
    id,
    status,
    type,
    amount,
    from: counterparty?.username,
    name: counterparty?.name,
  }))
const buildIncoming = ({ transaction_id: id }: { transaction_id: string | null }, status: string) => ({
  ...{ id, status, type: 'RECEIVE', amount: '23.25', from: alice.username },
  name: status === 'COMPLETED' ? 'alice Tester' : 'A. T.',
})

describe('a send by card', () => {
  test('is made when the card is captured, even if the browser never returns', async () => {
    const quote = await alice.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'EUR', amount: '25.00', side: 'source', recipient_id: bruno.id },
    })
    const payment = await startPayment('card', 2500, { quote_id: quote.quote_id, description: 'Books' })
    expect(payment).toMatchObject({ success: true, status: 'pending', redirectUrl: expect.any(String) })
    expect(await alice.transactions(), 'a card that was not charged is no movement').toEqual([])
    expect(await sendAfterPayment(payment, '25.00', 'card')).toMatchObject({
      transaction_id: payment.transaction_id,
      status: 'PENDING',
      transaction: { status: 'PENDING', payment_source: 'card', amount: '25.25' },
    })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect([await loadFiatBalance(alice), await loadFiatBalance(bruno)]).toEqual(['0.00', '23.25'])
    const [sentRow] = await alice.transactions()
    expect(sentRow).toMatchObject({
      id: payment.transaction_id,
      transaction_type: 'SEND',
      payment_source: 'card',
      payment_id: payment.payment_id,
      amount: '25.25',
      fee: '0.25',
      description: 'Books',
    })
    expect(await bruno.transactions(), 'what paid for it is the sender’s own matter').toMatchObject([
      {
        id: payment.transaction_id,
        transaction_type: 'RECEIVE',
        amount: '23.25',
        currency: 'EUR',
        payment_source: null,
        payment_id: null,
      },
    ])
    expect((await loadStoredPayment(world, payment.payment_id)).amount_minor).toBe(2525n)
    expect(await sendAfterPayment(payment, '25.00', 'card')).toMatchObject({
      status: 'COMPLETED',
      transaction: sentRow,
    })
    const usage = await world.database.pool.query('select usd_minor from limit_usage where user_id = $1', [alice.id])
    expect(usage.rows).toEqual([{ usd_minor: 2500n }])
    const reusedQuoteOutcome = startPayment('card', 2500, { quote_id: quote.quote_id })
    expect(await settleCode(reusedQuoteOutcome)).toBe('quote_used')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that failed and is captured late stays failed: the payer gets the money and a notice', async () => {
    const payment = await startPayment('card', 2500)
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    const loadStatus = () => alice.call(paymentStatus, { params: { id: payment.payment_id } })
    expect(await loadStatus()).toMatchObject({ status: 'failed', captured: false })
    expect(await settleCode(sendAfterPayment(payment, '25.00', 'card'))).toBe('payment_failed')
    await steer(world, payment.payment_id, 'settle')
    await vi.waitFor(async () => expect(await loadFiatBalance(alice)).toBe('25.25'), { timeout: 120_000 })
    expect(await loadStatus()).toMatchObject({
      status: 'failed',
      captured: true,
      reason: 'The payment arrived too late for this transfer. The money is in your wallet.',
    })
    expect(await loadFiatBalance(bruno)).toBe('0.00')
    expect(await settleCode(sendAfterPayment(payment, '25.00', 'card'))).toBe('payment_failed')
    expect(await alice.transactions()).toMatchObject([
      { transaction_type: 'DEPOSIT', amount: '25.25', payment_id: payment.payment_id, payment_source: 'card' },
    ])
    for (let repetition = 0; repetition < 3; repetition += 1) {
      await deliver(world, await eventAbout(world, payment.payment_id, 'checkout.paid', await loadCapture(payment)))
    }
    expect(await loadFiatBalance(alice)).toBe('25.25')
    await vi.waitFor(async () => expect(await loadMails(alice)).toContain('25.25'), { timeout: 120_000 })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  describe.each(['card', 'wallet_partial'] as const)('that the provider is still processing (%s)', (source) => {
    const slowCard = '4000000000001018'
    const loadStatus = (payment: { payment_id: string }) =>
      alice.call(transferStatus, { params: { id: payment.payment_id } })

    beforeEach(async () => {
      if (source === 'wallet_partial') await world.fund(alice, 1000)
    })

    async function startDelayedSend() {
      const payment = await startPayment(source, 2500)
      expect(await bruno.transactions(), 'nobody has entered a card').toEqual([])
      await payCheckout(payment.redirectUrl!, slowCard)
      await vi.waitFor(async () => expect(await loadStatus(payment)).toMatchObject({ redirectUrl: null }), {
        ...{ timeout: 120_000, interval: 300 },
      })
      expect((await alice.transactions())[0]).toMatchObject({
        id: payment.transaction_id,
        status: 'PENDING',
        amount: '25.25',
      })
      expect(await loadIncoming(bruno)).toEqual([buildIncoming(payment, 'PENDING')])
      const [sentRow] = await alice.transactions()
      expect(sentRow?.counterparty, 'a stranger until they have paid').toMatchObject({ name: 'B. T.' })
      expect((await bruno.wallet()).pending).toBe('23.25')
      expect(await loadFailedChecks(world)).toEqual([])
      return payment
    }

    test('is pending for both parties until the money has come', async () => {
      const payment = await startDelayedSend()
      expect(await settleCode(startPayment('card', 1000)), 'another one can begin').toBe('done')
      await steer(world, payment.payment_id, 'settle')
      await waitForPayment(alice, payment.payment_id, 'completed')
      const sentRows = (await alice.transactions()).filter(({ id }) => id === payment.transaction_id)
      expect(sentRows).toMatchObject([{ status: 'COMPLETED', amount: '25.25' }])
      expect(await loadIncoming(bruno)).toEqual([buildIncoming(payment, 'COMPLETED')])
      expect(await bruno.wallet()).toMatchObject({ fiat_balance: '23.25', pending: '0.00' })
      expect(await loadFailedChecks(world)).toEqual([])
    })

    test('fails for both parties if no money comes', async () => {
      const payment = await startDelayedSend()
      await steer(world, payment.payment_id, 'fail')
      await waitForPayment(alice, payment.payment_id, 'failed')
      expect((await alice.transactions())[0]).toMatchObject({ id: payment.transaction_id, status: 'FAILED' })
      expect(await loadIncoming(bruno)).toEqual([buildIncoming(payment, 'FAILED')])
      expect((await bruno.wallet()).pending).toBe('0.00')
      expect(await loadFailedChecks(world)).toEqual([])
    })
  })

  test('keeps its quote from being used from the wallet too, until it has failed', async () => {
    await world.fund(alice, 10_000)
    const quote = await alice.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'EUR', amount: '25.00', side: 'source', recipient_id: bruno.id },
    })
    const payment = await startPayment('card', 2500, { quote_id: quote.quote_id })
    const body = { recipient_id: bruno.id, amount: '25.00', source_currency: 'USD', quote_id: quote.quote_id } as const
    const sendFromWallet = () => settleCode(alice.call(sendMoney, { body, idempotencyKey: randomUUID() }))
    expect(await sendFromWallet()).toBe('quote_used')
    expect(await alice.call(cancelPayment, { params: { id: payment.payment_id } })).toEqual({ status: 'failed' })
    expect(await sendFromWallet()).toBe('done')
    expect([await loadFiatBalance(alice), await loadFiatBalance(bruno)]).toEqual(['74.75', '23.25'])
    expect(await sendFromWallet()).toBe('quote_used')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('keeps its price while open, with at most five open into another currency', async () => {
    const clara = await world.enroll('clara', 'United States')
    const keys = Array.from({ length: 8 }, () => randomUUID())
    const outcomes = await Promise.all(keys.map((key) => settleCode(startPayment('card', 1000, {}, key))))
    expect(outcomes.toSorted()).toEqual([...Array<string>(5).fill('done'), ...Array<string>(3).fill('rate_limited')])
    const successfulKeys = keys.filter((_, index) => outcomes[index] === 'done')
    expect(await settleCode(startPayment('card', 1000, {}, successfulKeys[0])), 'only told again').toBe('done')
    expect(await settleCode(startPayment('card', 1000, { recipientId: String(clara.id) })), 'no other currency').toBe(
      'done',
    )
    const { payment_id: id } = await startPayment('card', 1000, {}, successfulKeys[1])
    await alice.call(cancelPayment, { params: { id } })
    expect(await settleCode(startPayment('card', 1000))).toBe('done')
    expect(await settleCode(startPayment('card', 1000))).toBe('rate_limited')
    expect(await countUnconfirmedPasses(world.database.pool, alice), 'refused ones do not use the allowance').toBe(6)
  })

  test('settles when its payer’s page polls, without an event', async () => {
    const appWithoutEvents = await startTestApp({ events: 'lost' })
    try {
      const [dora, emil] = [
        await appWithoutEvents.enroll('dora', 'United States'),
        await appWithoutEvents.enroll('emil', 'Germany'),
      ]
      const body = { amount: 2500, currency: 'usd', recipientId: String(emil.id), paymentSource: 'card' } as const
      const payment = await dora.call(directPayment, { body, idempotencyKey: randomUUID() })
      await payCheckout(payment.redirectUrl!)
      const laterBody = { recipient_id: emil.id, amount: '25', source_currency: 'USD', payment_source: 'card' } as const
      await vi.waitFor(
        async () =>
          expect(await dora.call(sendMoney, { body: laterBody, idempotencyKey: randomUUID() })).toMatchObject({
            status: 'COMPLETED',
            transaction_id: payment.transaction_id,
          }),
        { timeout: 120_000, interval: 300 },
      )
      expect(await loadFiatBalance(emil)).toBe('23.25')
    } finally {
      await appWithoutEvents.close()
    }
  })

  test('to a recipient who cannot receive any more leaves the money with the payer', async () => {
    await world.fund(alice, 1000)
    const payment = await startPayment('wallet_partial', 2500)
    const originalWallets = { findParty: world.app.product.wallets.findParty }
    world.app.product.wallets.findParty = async (db, userId) =>
      userId === BigInt(bruno.id) ? undefined : originalWallets.findParty(db, userId)
    try {
      await payCheckout(payment.redirectUrl!)
      await waitForPayment(alice, payment.payment_id, 'failed')
    } finally {
      world.app.product.wallets.findParty = originalWallets.findParty
    }
    expect([await loadFiatBalance(alice), await findHeldAmount(alice), await loadFiatBalance(bruno)]).toEqual([
      '25.25',
      '0.00',
      '0.00',
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('needs a step-up confirmation like a send from the wallet, and neither accepts the other’s', async () => {
    await world.fund(alice, 50_000)
    const idempotencyKey = randomUUID()
    const refusal = await startPayment('card', 25_000, {}, idempotencyKey).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'step_up_required' })
    const { confirmation } = (refusal as Refused).problem as unknown as {
      confirmation: { id: string; subject: object }
    }
    expect(confirmation.subject).toMatchObject({ amount: '250.00 USD', total: '252.50 USD', receives: '232.50 EUR' })
    await world.database.pool.query('update step_up_confirmation set confirmed_at = $2 where id = $1', [
      confirmation.id,
      new Date(),
    ])
    const body = { recipient_id: bruno.id, amount: '250.00', source_currency: 'USD' } as const
    expect(await settleCode(alice.call(sendMoney, { body, idempotencyKey, confirmation: confirmation.id }))).toBe(
      'step_up_required',
    )
    expect(await loadFiatBalance(alice)).toBe('500.00')
    expect(await settleCode(startPayment('bank', 25_000, {}, randomUUID(), confirmation.id))).toBe(
      'bank_account_needed',
    )
    expect(await settleCode(startPayment('card', 25_001, {}, idempotencyKey, confirmation.id))).toBe('step_up_required')
    const payment = await startPayment('card', 25_000, {}, idempotencyKey, confirmation.id)
    expect(await startPayment('card', 25_000, {}, idempotencyKey), 'repeated without a confirmation').toEqual(payment)
  })
})

const loadCapture = async ({ payment_id: id }: { payment_id: string }) => ({
  capture_id: (await loadStoredPayment(world, id)).capture_id,
})

async function loadMails(person: TestPerson): Promise<string> {
  const mails = (await (await fetch(`${world.sandboxUrl}/api/mail?to=${person.email}`)).json()) as { text: string }[]
  return mails.map(({ text }) => text).join('\n')
}

describe('a send by bank debit', () => {
  test('is listed at once as pending, and made when the bank has paid', async () => {
    await linkAccount(world, alice)
    const payment = await startPayment('bank', 2500)
    expect(payment).toMatchObject({ status: 'pending', redirectUrl: null })
    expect(await alice.transactions()).toMatchObject([
      { id: payment.transaction_id, status: 'PENDING', payment_source: 'bank' },
    ])
    expect(await loadIncoming(bruno)).toEqual([buildIncoming(payment, 'PENDING')])
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '0.00', pending: '23.25' })
    expect(await loadFailedChecks(world)).toEqual([])
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await alice.transactions()).toMatchObject([
      { id: payment.transaction_id, status: 'COMPLETED', amount: '25.25' },
    ])
    expect(await loadIncoming(bruno)).toEqual([buildIncoming(payment, 'COMPLETED')])
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '23.25', pending: '0.00' })
    expect([await loadFiatBalance(alice), await loadFiatBalance(bruno)]).toEqual(['0.00', '23.25'])
    const loadReceipt = (person: TestPerson, id = '') => person.call(transactionReceipt, { params: { id } })
    const { instrument } = await loadReceipt(alice, payment.transaction_id)
    expect(instrument, 'the account that paid, to its holder alone').toMatchObject({ name: 'Harbour Bank' })
    expect((await loadReceipt(bruno, (await bruno.transactions())[0]?.id)).instrument).toBeNull()
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that the bank does not pay fails for both, with a mail to its sender only', async () => {
    await linkAccount(world, alice, { bank: 'shoal' })
    const payment = await startPayment('bank', 2500)
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    expect(await alice.transactions()).toMatchObject([{ id: payment.transaction_id, status: 'FAILED' }])
    expect(await loadIncoming(bruno)).toEqual([buildIncoming(payment, 'FAILED')])
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '0.00', pending: '0.00' })
    const failureSubject = "Your bank didn't pay for a transfer you started"
    await vi.waitFor(async () => expect(await loadMails(alice)).toContain(failureSubject), { timeout: 120_000 })
    expect(await loadMails(bruno)).not.toContain(failureSubject)
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('needs an account in the sender’s currency', async () => {
    expect(await settleCode(startPayment('bank', 2500))).toBe('bank_account_needed')
    const bankAccountId = await linkAccount(world, alice, { currency: 'EUR' })
    expect(await settleCode(startPayment('bank', 2500, { bankAccountId }))).toBe('currency_not_supported')
  })
})

describe('a send by wallet and card', () => {
  test('holds the whole balance and takes the rest from the card', async () => {
    await world.fund(alice, 1000)
    const payment = await startPayment('wallet_partial', 2500)
    expect((await loadStoredPayment(world, payment.payment_id)).amount_minor).toBe(1525n)
    expect([await loadFiatBalance(alice), await findHeldAmount(alice)]).toEqual(['0.00', '10.00'])
    expect((await alice.transactions())[0]).toMatchObject({
      id: payment.transaction_id,
      status: 'PENDING',
      transaction_type: 'SEND',
      payment_source: 'wallet_partial',
      amount: '25.25',
    })
    expect(await loadFailedChecks(world)).toEqual([])
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect([await loadFiatBalance(alice), await findHeldAmount(alice), await loadFiatBalance(bruno)]).toEqual([
      '0.00',
      '0.00',
      '23.25',
    ])
    expect((await alice.transactions())[0]).toMatchObject({ id: payment.transaction_id, status: 'COMPLETED' })
    expect(await loadFailedChecks(world)).toEqual([])
    const loadReceipt = (person: TestPerson, id = '') => person.call(transactionReceipt, { params: { id } })
    const [senderReceipt, receivedRow] = [
      await loadReceipt(alice, payment.transaction_id),
      (await bruno.transactions())[0],
    ]
    expect(senderReceipt.wallet_part, 'the receipt names what the wallet paid').toBe('10.00')
    expect(senderReceipt.instrument, 'typed in at the checkout').toBeNull()
    expect((await loadReceipt(bruno, receivedRow?.id)).wallet_part, 'to its payer alone').toBeNull()
  })

  test('is refused while the balance is enough', async () => {
    await world.fund(alice, 2500)
    expect(await settleCode(startPayment('wallet_partial', 2500))).toBe('payment_source_unavailable')
    expect(await settleCode(startPayment('wallet_partial', 2501))).toBe('done')
  })

  test.each(['cancel', 'fail', 'expire'])('releases the wallet’s part when it ends by %s', async (endKind) => {
    await world.fund(alice, 1000)
    const payment = await startPayment('wallet_partial', 2500)
    if (endKind === 'cancel') {
      const params = { id: payment.payment_id }
      expect(await alice.call(cancelPayment, { params })).toEqual({ status: 'failed' })
      expect(await alice.call(cancelPayment, { params })).toEqual({ status: 'failed' })
    } else if (endKind === 'fail') await steer(world, payment.payment_id, 'fail')
    else await deliver(world, await eventAbout(world, payment.payment_id, 'checkout.expired', { reason: 'expired' }))
    await waitForPayment(alice, payment.payment_id, 'failed')
    expect([await loadFiatBalance(alice), await findHeldAmount(alice)]).toEqual(['10.00', '0.00'])
    expect((await alice.transactions())[0]).toMatchObject({ id: payment.transaction_id, status: 'FAILED' })
    const { reason } = await alice.call(paymentStatus, { params: { id: payment.payment_id } })
    expect(reason).toBe(
      {
        cancel: 'The payment was canceled.',
        fail: 'The payment failed.',
        expire: 'This payment took too long and has expired.',
      }[endKind],
    )
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('keeps its reservation from 30 concurrent sends, and settles beside those that still fit', async () => {
    await world.fund(alice, 1000)
    const payment = await startPayment('wallet_partial', 2500)
    await world.fund(alice, 505)
    const body = { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' } as const
    const spendOutcomes = await Promise.all([
      ...Array.from({ length: 30 }, () => settleCode(alice.call(sendMoney, { body, idempotencyKey: randomUUID() }))),
      payCheckout(payment.redirectUrl!).then(() => 'paid'),
    ])
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(spendOutcomes.filter((outcome) => outcome === 'done')).toHaveLength(5)
    expect([await loadFiatBalance(alice), await findHeldAmount(alice), await loadFiatBalance(bruno)]).toEqual([
      '0.00',
      '0.00',
      '27.90',
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('twenty concurrent ones reserve the same balance once', async () => {
    await world.fund(alice, 1000)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => startPayment('wallet_partial', 2500).catch(() => undefined)),
    )
    const parts = await world.database.pool.query(
      `select sum(wallet_part_minor) as held from payment where user_id = $1 and status = 'pending'`,
      [alice.id],
    )
    expect(parts.rows[0].held).toBe(1000n)
    expect(outcomes.filter((outcome) => outcome !== undefined).length).toBeGreaterThan(0)
    expect([await loadFiatBalance(alice), await findHeldAmount(alice)]).toEqual(['0.00', '10.00'])
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

test('`/payment/create` begins the same payment for the same key', async () => {
  const idempotencyKey = randomUUID()
  const firstPayment = await startPayment('card', 2500, { description: 'Books' }, idempotencyKey)
  const body = {
    purpose: 'send',
    method: 'card',
    amount: '25.00',
    currency: 'USD',
    recipient_id: bruno.id,
    description: 'Books',
  } as const
  const payment = await alice.call(createPayment, { body, idempotencyKey })
  expect(payment).toMatchObject({ payment_id: firstPayment.payment_id, redirectUrl: firstPayment.redirectUrl })
  const bodyWithoutRecipient = { ...body, recipient_id: undefined }
  expect(
    await settleCode(alice.call(createPayment, { body: bodyWithoutRecipient, idempotencyKey: randomUUID() })),
  ).toBe('invalid_request')
})
