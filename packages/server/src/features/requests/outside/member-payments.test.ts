import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { payLinkFromOutside } from '@tern/contract/requests/link-funding'
import { linkAsPayer } from '@tern/contract/requests/payment-links'
import { transferStatus } from '@tern/contract/transfers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { payCheckout } from '@tern/testkit/people'
import {
  requestMoney,
  startGuestPayment,
  cancel,
  buildContext,
  deliver,
  loadDetails,
  eventAbout,
  linkAccount,
  openLink,
  pay,
  quote,
  findSandbox,
  steer,
  waitForPayment,
} from '@tern/testkit/payments'
import { audit } from '../../../commands/audit/audit.ts'
import { createMoneyRegistry } from '../../../platform/providers/money-registry.ts'
import { createPayments } from '../../payments/payments.ts'
import type { TransferRule } from '../../transfers/transfers.ts'

let rosa: TestPerson
let sam: TestPerson
let tess: TestPerson
let decision: ReturnType<TransferRule>

const world = await openTestApp({ transferRules: [() => decision] })
beforeEach(async () => {
  decision = undefined
  ;[rosa, sam, tess] = await Promise.all([
    world.enroll('rosa', 'Germany'),
    world.enroll('sam', 'United States'),
    world.enroll('tess', 'United States'),
  ])
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

type Funding = Omit<CallInput<typeof payLinkFromOutside>['body'], 'quote_id'>

const payByMethod = (
  person: TestPerson,
  data: string,
  { quoteId, key = randomUUID(), ...funding }: Funding & { quoteId: string; key?: string },
) => person.call(payLinkFromOutside, { params: { data }, body: { ...funding, quote_id: quoteId }, idempotencyKey: key })

const startPayment = async (person: TestPerson, data: string, funding: Funding = { method: 'card' }) =>
  payByMethod(person, data, { ...funding, quoteId: (await quote(person, data)).quote_id })
const catchRefusal = (call: Promise<unknown>) => settleCall(call)

const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const viewAsPayer = (person: TestPerson, data: string) => person.call(linkAsPayer, { params: { data } })
const declineAtProvider = (reason: string) => async (paymentId: string) =>
  deliver(world, await eventAbout(world, paymentId, `checkout.${reason}`, { reason }))

describe('a request paid by card', () => {
  test('gives the requester exactly the amount once the card is charged, even if the payer never returns', async () => {
    const { data, id } = await requestMoney(rosa, { description: 'Poster print' })
    const { quote_id: quoteId, total } = await quote(sam, data)
    const payment = await payByMethod(sam, data, { method: 'card', quoteId })
    expect(payment).toMatchObject({ status: 'pending', redirectUrl: expect.any(String) })
    expect(await openLink(sam, data)).toMatchObject({ state: 'processing' })
    expect(await viewAsPayer(sam, data)).toMatchObject({
      open_payment: { payment_id: payment.payment_id, method: 'card', redirect_url: payment.redirectUrl },
      payments: [],
    })
    expect(await viewAsPayer(tess, data), 'of one payer alone').toMatchObject({ open_payment: null })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(sam, payment.payment_id, 'completed')
    expect([await loadBalance(rosa), await loadBalance(sam)]).toEqual(['20.00', '0.00'])
    expect(await loadDetails(rosa, id)).toMatchObject({
      state: 'paid',
      paid_amount: '20.00',
      payments: [{ amount: '20.00', paid_amount: total, paid_currency: 'USD', state: 'settled' }],
    })
    const [sentRow] = await sam.transactions()
    expect(sentRow).toMatchObject({ id: payment.transaction_id, payment_source: 'card', description: 'Poster print' })
    expect(await viewAsPayer(sam, data)).toMatchObject({
      open_payment: null,
      payments: [{ id: payment.transaction_id }],
    })
  })

  test('returns its payer to the page of the request', async () => {
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    const checkout = new URL(payment.redirectUrl!)
    const cancelResponse = await fetch(`${checkout.origin}/api${checkout.pathname}/cancel`, { method: 'POST' })
    const { return_url: url } = (await cancelResponse.json()) as { return_url: string }
    expect(url).toContain(`/pay?data=${data}&payment=${payment.payment_id}`)
  })

  test.each([
    ['is declined', (id: string) => declineAtProvider('failed')(id)],
    ['expires', (id: string) => declineAtProvider('expired')(id)],
    ['fails at its provider', (id: string) => steer(world, id, 'fail')],
    ['is canceled by its payer', (id: string) => sam.call(cancelPayment, { params: { id } })],
  ])('is open again once the card %s, and can be paid another way', async (_case, end) => {
    const { data, id } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    await end(payment.payment_id)
    await waitForPayment(sam, payment.payment_id, 'failed')
    expect(await openLink(sam, data)).toMatchObject({ state: 'open', remaining_amount: '20.00' })
    expect(await loadDetails(rosa, id)).toMatchObject({ payments: [] })
    await world.fund(sam, 10_000)
    await pay(sam, data)
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('stays pending and reserved while it is unknown whether the card was charged', async () => {
    const { data, id } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    expect(await sam.call(paymentStatus, { params: { id: payment.payment_id } })).toMatchObject({ status: 'pending' })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'processing', payments: [{ state: 'processing' }] })
    const closedError = { code: 'request_closed', reason: 'request_processing' }
    expect(await catchRefusal(quote(tess, data))).toMatchObject(closedError)
    expect(await catchRefusal(cancel(rosa, id))).toMatchObject(closedError)
    const { transaction } = await sam.call(transferStatus, { params: { id: payment.transaction_id! } })
    expect(transaction.counterparty, 'as the request names its requester').toMatchObject({ name: 'rosa Tester' })
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(sam, payment.payment_id, 'completed')
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('is charged once under one key, which belongs to this order only', async () => {
    const { data } = await requestMoney(rosa)
    const { quote_id: quoteId } = await quote(sam, data)
    const key = randomUUID()
    const retryPayment = () => payByMethod(sam, data, { method: 'card', quoteId, key })
    const [first, second] = await Promise.all([retryPayment(), retryPayment()])
    expect(second.payment_id).toBe(first.payment_id)
    await payCheckout(first.redirectUrl!)
    await waitForPayment(sam, first.payment_id, 'completed')
    expect(await retryPayment()).toMatchObject({ payment_id: first.payment_id, status: 'completed' })
    expect(await catchRefusal(payByMethod(sam, data, { method: 'bank', quoteId, key }))).toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('is paid once by two devices, two users, or a card and a wallet concurrently', async () => {
    await world.fund(tess, 10_000)
    const { data } = await requestMoney(rosa)
    const quotes = await Promise.all([quote(sam, data), quote(sam, data), quote(tess, data)])
    const [firstQuoteId, secondQuoteId, thirdQuoteId] = quotes.map(({ quote_id: id }) => id)
    const outcomes = await Promise.allSettled([
      payByMethod(sam, data, { method: 'card', quoteId: firstQuoteId! }),
      payByMethod(sam, data, { method: 'card', quoteId: secondQuoteId! }),
      payByMethod(tess, data, { method: 'card', quoteId: thirdQuoteId! }),
      pay(tess, data),
    ])
    const rejections = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    for (const reason of rejections) expect(reason).toMatchObject({ code: 'request_closed' })
    expect(await catchRefusal(startGuestPayment(tess, data))).toMatchObject({ code: 'request_closed' })
    const startedPayments = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(startedPayments).toHaveLength(1)
    const { redirectUrl } = (startedPayments[0] as PromiseFulfilledResult<object>).value as { redirectUrl?: string }
    if (redirectUrl) await payCheckout(redirectUrl)
    await expect.poll(() => loadBalance(rosa), { timeout: 20_000 }).toBe('20.00')
    expect(await catchRefusal(startPayment(sam, data))).toMatchObject({ code: 'request_closed' })
  })

  test('that failed and is charged late leaves the money with its payer, and the request unchanged', async () => {
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(sam, payment.payment_id, 'failed')
    await steer(world, payment.payment_id, 'settle')
    await expect.poll(() => loadBalance(sam), { timeout: 20_000 }).not.toBe('0.00')
    expect(await loadBalance(rosa)).toBe('0.00')
    expect(await openLink(sam, data)).toMatchObject({ state: 'open' })
  })

  test('that is held pays the request once it is settled, and frees it once it returns', async () => {
    decision = { outcome: 'hold', reason: 'review', until: { seconds: 3600 } }
    const requests = await Promise.all([requestMoney(rosa), requestMoney(rosa)])
    for (const [index, verdict] of (['settle', 'reject'] as const).entries()) {
      const { data, id } = requests[index]!
      const payment = await startPayment(sam, data)
      await payCheckout(payment.redirectUrl!)
      await waitForPayment(sam, payment.payment_id, 'completed')
      expect(await loadDetails(rosa, id)).toMatchObject({ state: 'processing' })
      const { product } = world.app
      await product.heldTransfers.decideForOperator({
        operator: { name: 'nia', note: 'known' },
        id: payment.transaction_id!,
        decision: verdict,
      })
      expect(await openLink(sam, data)).toMatchObject({ state: verdict === 'settle' ? 'paid' : 'open' })
    }
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('is compared by the audit with its payment and both parties’ rows', async () => {
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(sam, payment.payment_id, 'completed')
    const { pool } = world.database
    const change = (assignment: string) =>
      pool.query(`update request_payment set ${assignment} where payment_id = $1`, [payment.payment_id])
    const findFailedChecks = async () => (await audit(pool)).checks.filter(({ ok }) => !ok).map(({ name }) => name)
    for (const [damageSql, repair] of [
      [`status = 'processing'`, `status = 'settled'`],
      [`status = 'released'`, `status = 'settled'`],
      ['paid_minor = paid_minor + 1', 'paid_minor = paid_minor - 1'],
      ['amount_minor = amount_minor + 1', 'amount_minor = amount_minor - 1'],
      [`payer_id = ${tess.id}`, `payer_id = ${sam.id}`],
    ] as const) {
      await change(damageSql)
      expect(await findFailedChecks(), damageSql).toContain(
        'members’ payments of requests by card and bank are what their payments say',
      )
      await change(repair)
    }
  })

  test('stays paid when the card’s bank takes the money back', async () => {
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(sam, payment.payment_id, 'completed')
    await steer(world, payment.payment_id, 'refund')
    await waitForPayment(sam, payment.payment_id, 'reversed')
    expect(await openLink(sam, data)).toMatchObject({ state: 'paid' })
  })

  test('takes the whole wallet first for wallet and card, and releases it if the card does not pay', async () => {
    await world.fund(sam, 1000)
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data, { method: 'wallet_partial' })
    expect(await loadBalance(sam)).toBe('0.00')
    await declineAtProvider('failed')(payment.payment_id)
    await waitForPayment(sam, payment.payment_id, 'failed')
    expect(await loadBalance(sam)).toBe('10.00')
    const next = await startPayment(sam, data, { method: 'wallet_partial' })
    await payCheckout(next.redirectUrl!)
    await waitForPayment(sam, next.payment_id, 'completed')
    expect([await loadBalance(sam), await loadBalance(rosa)]).toEqual(['0.00', '20.00'])
  })

  test('charges a saved card at once', async () => {
    const { data } = await requestMoney(rosa, { allows_parts: true })
    const first = await quote(sam, data, { amount: '5.00' })
    const payment = await payByMethod(sam, data, { method: 'card', saveCard: true, quoteId: first.quote_id })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(sam, payment.payment_id, 'completed')
    const [card] = (await sam.call(paymentMethods, {})).cards
    const savedCardPayment = await startPayment(sam, data, { method: 'card', paymentMethodId: card!.id })
    expect(savedCardPayment.redirectUrl).toBeNull()
    await waitForPayment(sam, savedCardPayment.payment_id, 'completed')
    expect(await loadBalance(rosa)).toBe('20.00')
  })
})

describe('a checkout that stays open', () => {
  /** Sets the age of all pending payments to `minutes`, and runs the worker's job for them. */
  const runWorkerAfter = async (minutes: number, providers = buildContext(world).providers): Promise<void> => {
    await world.database.pool.query(
      `update payment set created_at = now() - make_interval(secs => $1::float * 60) where status = 'pending'`,
      [minutes],
    )
    await createPayments({ ...buildContext(world), providers }).checkPendingPayments()
  }
  const tryCharge = (url: string) =>
    payCheckout(url).then(
      () => 'charged',
      () => 'refused',
    )

  test('blocks other payers for ten minutes, and its card cannot be charged afterwards', async () => {
    await world.fund(tess, 10_000)
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    await runWorkerAfter(9.9)
    expect(await catchRefusal(quote(tess, data))).toMatchObject({ reason: 'request_processing' })
    await runWorkerAfter(10.1)
    expect(await sam.call(paymentStatus, { params: { id: payment.payment_id } })).toMatchObject({
      ...{ status: 'failed', reason: 'This payment took too long and has expired.', redirectUrl: null },
    })
    await pay(tess, data)
    expect(await tryCharge(payment.redirectUrl!)).toBe('refused')
    expect([await loadBalance(rosa), await loadBalance(sam)]).toEqual(['20.00', '0.00'])
  })

  test('pays the request if its card was charged before it ended, even without an event', async () => {
    await world.fund(tess, 10_000)
    const { data } = await requestMoney(rosa)
    const payment = await startPayment(sam, data)
    await payCheckout(payment.redirectUrl!)
    await runWorkerAfter(10.1)
    expect(await sam.call(paymentStatus, { params: { id: payment.payment_id } })).toMatchObject({ status: 'completed' })
    expect(await catchRefusal(pay(tess, data))).toMatchObject({ code: 'request_closed' })
    expect([await loadBalance(rosa), await loadBalance(tess)]).toEqual(['20.00', '100.00'])
  })

  test('leaves the money with its payer if the card is charged after another has paid', async () => {
    await world.fund(tess, 10_000)
    const { data } = await requestMoney(rosa)
    const { total } = await quote(sam, data)
    const payment = await startPayment(sam, data)
    await runWorkerAfter(10.1)
    await pay(tess, data)
    await steer(world, payment.payment_id, 'settle')
    await expect.poll(() => loadBalance(sam), { timeout: 20_000 }).toBe(total)
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test.each(['the card', 'its end', 'the wallet'])(
    'is paid once with %s first among concurrent card, end and wallet',
    async (first) => {
      await world.fund(tess, 10_000)
      const { data } = await requestMoney(rosa)
      const payment = await startPayment(sam, data)
      const endActions = {
        'the card': () => tryCharge(payment.redirectUrl!),
        'its end': () => runWorkerAfter(10.1),
        'the wallet': () => catchRefusal(pay(tess, data)),
      }
      const order = Object.entries(endActions).toSorted(([a], [b]) => Number(b === first) - Number(a === first))
      const outcomes = await Promise.all(order.map(async ([name, runAction]) => [name, await runAction()] as const))
      const isCharged = new Map<string, unknown>(outcomes).get('the card') === 'charged'
      await waitForPayment(sam, payment.payment_id, isCharged ? 'completed' : 'failed')
      // The wallet's attempt was refused if it came before the end of the checkout.
      if (!isCharged && (await loadBalance(rosa)) === '0.00') await pay(tess, data)
      expect([await loadBalance(rosa), await loadBalance(sam)]).toEqual(['20.00', '0.00'])
      expect((await loadBalance(tess)) === '100.00').toBe(isCharged)
      expect(await openLink(tess, data)).toMatchObject({ state: 'paid' })
    },
  )

  test('releases the wallet’s part, and stays open while its provider does not answer', async () => {
    await world.fund(sam, 1000)
    const { data } = await requestMoney(rosa)
    await startPayment(sam, data, { method: 'wallet_partial' })
    const sandbox = findSandbox(world)
    const { collect } = sandbox
    const unansweredCard = { ...collect.card, cancel: async () => ({ status: 'unknown', reason: 'timeout' }) as const }
    await runWorkerAfter(10.1, createMoneyRegistry([{ ...sandbox, collect: { ...collect, card: unansweredCard } }]))
    expect([await loadBalance(sam), (await openLink(sam, data)).state]).toEqual(['0.00', 'processing'])
    await runWorkerAfter(10.1)
    expect([await loadBalance(sam), (await openLink(sam, data)).state]).toEqual(['10.00', 'open'])
  })
})

describe('a request paid by bank', () => {
  test('is reserved until the bank has paid, within one currency', async () => {
    const { data, id } = await requestMoney(tess)
    const bankAccountId = await linkAccount(world, sam)
    const payment = await startPayment(sam, data, { method: 'bank', bankAccountId })
    expect(payment).toMatchObject({ status: 'pending', redirectUrl: null })
    expect(await loadDetails(tess, id)).toMatchObject({ state: 'processing' })
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(sam, payment.payment_id, 'completed')
    expect(await loadBalance(tess)).toBe('20.00')
    expect(await openLink(sam, data)).toMatchObject({ state: 'paid' })
  })

  test('is refused into another currency, whose rate cannot be promised for days', async () => {
    const { data } = await requestMoney(rosa)
    const bankAccountId = await linkAccount(world, sam)
    const refusedPayment = await catchRefusal(startPayment(sam, data, { method: 'bank', bankAccountId }))
    expect(refusedPayment).toMatchObject({ code: 'payment_source_unavailable', reason: 'bank_pays_one_currency' })
    expect(await openLink(sam, data)).toMatchObject({ state: 'open' })
  })
})

describe('an invalid outside order', () => {
  test('is refused before anything is reserved', async () => {
    const { data } = await requestMoney(rosa, { payer_id: sam.id })
    const otherRequest = await requestMoney(await world.enroll('otto', 'Germany'))
    const { quote_id: quoteId } = await quote(sam, data)
    const missingId = randomUUID()
    const attempts = [
      [() => startPayment(tess, data), 'request_not_for_you'],
      [() => payByMethod(rosa, data, { method: 'card', quoteId }), 'recipient_is_sender'],
      [() => payByMethod(sam, otherRequest.data, { method: 'card', quoteId }), 'quote_mismatch'],
      [() => payByMethod(sam, data, { method: 'card', quoteId: missingId }), 'not_found'],
      [() => payByMethod(sam, 'forged', { method: 'card', quoteId }), 'link_changed'],
      [
        () => payByMethod(sam, data, { method: 'card', quoteId, paymentMethodId: missingId }),
        'payment_method_not_found',
      ],
      [() => payByMethod(sam, data, { method: 'bank', quoteId }), 'payment_source_unavailable'],
    ] as const
    for (const [attempt, code] of attempts) expect(await catchRefusal(attempt()), code).toMatchObject({ code })
    expect(await openLink(sam, data)).toMatchObject({ state: 'open', remaining_amount: '20.00' })
  })

  test('prices a part only where parts are allowed, and never more than the rest', async () => {
    const parts = await requestMoney(rosa, { allows_parts: true })
    const { quote_id: quoteId } = await quote(sam, parts.data, { amount: '15.00' })
    const lateQuote = await quote(sam, parts.data, { amount: '10.00' })
    const payment = await payByMethod(sam, parts.data, { method: 'card', quoteId })
    expect(await openLink(sam, parts.data)).toMatchObject({ remaining_amount: '5.00' })
    expect(
      await catchRefusal(payByMethod(sam, parts.data, { method: 'card', quoteId: lateQuote.quote_id })),
    ).toMatchObject({
      reason: 'more_than_is_left',
    })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(sam, payment.payment_id, 'completed')
    expect(await openLink(sam, parts.data)).toMatchObject({ state: 'part_paid', remaining_amount: '5.00' })
  })
})
