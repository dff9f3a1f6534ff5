import { randomUUID } from 'node:crypto'
import { depositByCard, directPayment } from '@tern/contract/payments'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { steer, waitForPayment } from '@tern/testkit/payments'

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
  await world.fund(bruno, 10_000)
})

const post = async (path: string, body: object, { token } = alice, headers: Record<string, string> = {}) => {
  const answer = await world.raw('POST', path, {
    token,
    body,
    headers: { 'idempotency-key': randomUUID(), ...headers },
  })
  return [answer.status, answer.body.code ?? answer.body.status] as [number, string]
}

/** Transfer request that claims to follow a card payment, with fields that only the server may decide. */
const buildAfterPayment = (extraFields: object = {}) => ({
  sender_id: alice.id,
  recipient_id: bruno.id,
  amount: '25.00',
  source_currency: 'USD',
  target_currency: 'EUR',
  use_stablecoin: true,
  payment_source: 'card',
  skip_sender_deduction: true,
  transaction_type: 'CARD_PAYMENT',
  description: 'Books',
  ...extraFields,
})

const startPayment = (amount = 2500) =>
  alice.call(directPayment, {
    body: { amount, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' },
    idempotencyKey: randomUUID(),
  })

async function expectNothingMoved(): Promise<void> {
  expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
  expect(await bruno.wallet()).toMatchObject({ fiat_balance: '100.00' })
  expect(await alice.transactions()).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
}

describe('a return with payment_success=true', () => {
  test.each(['card', 'bank', 'wallet_partial'])('without any payment moves nothing (%s)', async (source) => {
    await fetch(`${world.url}/send?payment_success=true&payment_id=${randomUUID()}`)
    for (const extraFields of [{}, { payment_id: randomUUID() }, { transaction_type: 'BANK_PAYMENT' }]) {
      const answer = await post('/payment/transfer', buildAfterPayment({ payment_source: source, ...extraFields }))
      expect(answer).toEqual([404, 'payment_not_found'])
    }
    await expectNothingMoved()
  })

  test('with an open or cancelled payment moves nothing', async () => {
    const payment = await startPayment()
    await fetch(`${world.url}/send?payment_success=true&payment_id=${payment.payment_id}`)
    for (const extraFields of [{}, { payment_id: payment.payment_id }]) {
      expect(await post('/payment/transfer', buildAfterPayment(extraFields))).toEqual([200, 'PENDING'])
    }
    await expectNothingMoved()
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    expect(await post('/payment/transfer', buildAfterPayment())).toEqual([409, 'payment_failed'])
    await expectNothingMoved()
  })

  test('with the payment of another transfer, of another user, or of a deposit moves nothing', async () => {
    const payment = await startPayment()
    await steer(world, payment.payment_id, 'settle')
    await waitForPayment(alice, payment.payment_id, 'completed')
    const carol = await world.enroll('carol', 'Germany')
    const paymentFields = { payment_id: payment.payment_id }
    const otherBodies = [
      { ...paymentFields, amount: '25.01' },
      { ...paymentFields, recipient_id: carol.id },
      { ...paymentFields, source_currency: 'EUR' },
      { ...paymentFields, payment_source: 'bank' },
    ]
    for (const otherBody of otherBodies) {
      expect(await post('/payment/transfer', buildAfterPayment(otherBody)), JSON.stringify(otherBody)).toEqual([
        404,
        'payment_not_found',
      ])
    }
    const carolBody = buildAfterPayment({ ...paymentFields, sender_id: carol.id })
    expect(await post('/payment/transfer', carolBody, carol)).toEqual([404, 'payment_not_found'])
    const deposit = await alice.call(depositByCard, { body: { amount: 2500, currency: 'usd' } })
    expect(await post('/payment/transfer', buildAfterPayment({ payment_id: deposit.payment_id }))).toEqual([
      404,
      'payment_not_found',
    ])
    for (let repetition = 0; repetition < 5; repetition += 1) {
      expect(await post('/payment/transfer', buildAfterPayment(paymentFields))).toEqual([200, 'COMPLETED'])
    }
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '123.25' })
    expect(await alice.transactions()).toHaveLength(1)
  })
})

describe('a field that names another payer', () => {
  const calls: readonly (readonly [path: string, field: string, body: object])[] = [
    ['/payment/transfer', 'sender_id', { recipient_id: 0, amount: '25.00', source_currency: 'EUR' }],
    [
      '/payment/transfer',
      'sender_id',
      { recipient_id: 0, amount: '25.00', source_currency: 'EUR', payment_source: 'card' },
    ],
    ['/payment/deposit/card', 'userId', { amount: 2500, currency: 'usd' }],
    ['/payment/deposit', 'userId', { amount: '25.00', currency: 'USD', method: 'card' }],
    ['/payment/direct-payment', 'userId', { amount: 2500, currency: 'usd', recipientId: '', paymentSource: 'card' }],
  ]
  test.each(calls)('is refused: %s %s', async (path, field, body) => {
    const carol = await world.enroll('carol', 'Germany')
    const to = 'recipient_id' in body ? { recipient_id: carol.id } : {}
    const recipient = 'recipientId' in body ? { recipientId: String(carol.id) } : {}
    const requestBody = { ...body, ...to, ...recipient, [field]: bruno.id }
    expect(await post(path, requestBody)).toEqual([403, 'not_your_account'])
    await expectNothingMoved()
  })
})

describe('a field that would make a payment cheaper or skip it', () => {
  const ignoredFields: readonly object[] = [
    { skip_sender_deduction: true },
    { fee: '0.00' },
    { fee: '-100.00' },
    { transaction_type: 'DEPOSIT' },
    { transaction_type: 'CARD_PAYMENT', skip_sender_deduction: true },
    { payment_id: randomUUID(), skip_sender_deduction: true },
  ]
  test.each(ignoredFields)('has no effect in a transfer from the wallet: %j', async (extraFields) => {
    const body = { recipient_id: bruno.id, amount: '25.00', source_currency: 'USD', ...extraFields }
    expect(await post('/payment/transfer', body)).toEqual([422, 'insufficient_funds'])
    await expectNothingMoved()
    await world.fund(alice, 2525)
    expect(await post('/payment/transfer', body)).toEqual([200, 'COMPLETED'])
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect((await alice.transactions())[0]).toMatchObject({
      transaction_type: 'SEND',
      fee: '0.25',
      payment_source: 'wallet',
    })
  })

  test('has no effect in a direct payment or a deposit: the card is charged the whole sum', async () => {
    const extraFields = {
      fee: '0',
      skip_sender_deduction: true,
    }
    const directPaymentBody = {
      amount: 2500,
      currency: 'usd',
      recipientId: String(bruno.id),
      paymentSource: 'card',
      ...extraFields,
    }
    expect(await post('/payment/direct-payment', directPaymentBody)).toEqual([200, 'pending'])
    expect(await post('/payment/deposit/card', { amount: 2500, currency: 'usd', ...extraFields })).toEqual([
      200,
      'pending',
    ])
    const { rows } = await world.database.pool.query(
      'select amount_minor from payment where user_id = $1 order by created_at',
      [alice.id],
    )
    expect(rows).toEqual([{ amount_minor: 2525n }, { amount_minor: 2500n }])
    await expectNothingMoved()
  })

  test.each([{ status: 'COMPLETED' }, { wallet_part_minor: '2500' }, { target_amount: '1.00' }])(
    'is refused by name if the contract has no such field: %j',
    async (extraFields) => {
      const field = Object.keys(extraFields)[0]
      for (const [path, body] of [
        ['/payment/transfer', { recipient_id: bruno.id, amount: '25.00', source_currency: 'USD' }],
        ['/payment/deposit/card', { amount: 2500, currency: 'usd' }],
      ] as const) {
        const { status, body: problem } = await world.raw('POST', path, {
          token: alice.token,
          body: { ...body, ...extraFields },
          headers: { 'idempotency-key': randomUUID() },
        })
        expect([status, problem.errors]).toMatchObject([422, [{ field, code: 'unknown_field' }]])
      }
      await expectNothingMoved()
    },
  )

  test('cannot send to oneself, to an unknown user, or before verification', async () => {
    const dora = await world.enroll('dora', null)
    const buildDirectPayment = (recipientId: number) => ({
      amount: 2500,
      currency: 'usd',
      recipientId: String(recipientId),
      paymentSource: 'card',
    })
    expect(await post('/payment/direct-payment', buildDirectPayment(alice.id))).toEqual([422, 'recipient_is_sender'])
    expect(await post('/payment/direct-payment', buildDirectPayment(dora.id))).toEqual([422, 'recipient_not_found'])
    expect(await post('/payment/direct-payment', buildDirectPayment(alice.id), dora)).toEqual([
      403,
      'verification_required',
    ])
    expect(await post('/payment/direct-payment', { ...buildDirectPayment(bruno.id), currency: 'eur' })).toEqual([
      422,
      'currency_not_held',
    ])
    await expectNothingMoved()
  })
})
