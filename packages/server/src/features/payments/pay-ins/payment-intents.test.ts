import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import type { Refused } from '@tern/contract/protocol/client'
import { cancelPayment, deposit, depositByCard, paymentStatus } from '@tern/contract/payments'
import type { CollectionState } from '@tern/providers/collect/port'
import { stripeKeysKeptMs } from '@tern/providers/stripe-money'
import { beforeEach, describe, expect, test } from 'vitest'
import { agePayments } from '../../../../../../tools/aging.ts'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { payCheckout } from '@tern/testkit/people'
import {
  toCaller,
  linkAccount,
  createPaymentsWith,
  findSandbox,
  steer,
  loadStoredPayment,
  waitForPayment,
} from '@tern/testkit/payments'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const answerUnknown = () => Promise.resolve({ status: 'unknown', reason: 'no answer' } as const)
const findCardProvider = () => findSandbox(world).collect.card
const findBankProvider = () => findSandbox(world).collect.debit
const loadState = async (id: string) => (await alice.call(paymentStatus, { params: { id } })).status
const findHeldAmount = async () => (await alice.wallet()).assets.find(({ currency }) => currency === 'USD')?.held

async function readId(key: string, person = alice): Promise<string> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from payment where user_id = $1 and idempotency_key = $2',
    [person.id, key],
  )
  expect(rows).toHaveLength(1)
  return rows[0]!.id
}

/** Backdates the payments of alice. */
const backdatePayments = (minutes: number) => agePayments(world.database.pool, alice.id, minutes)

describe('an idempotency key', () => {
  test('begins one payment, however often and concurrently; other users and requests do not share it', async () => {
    const idempotencyKey = randomUUID()
    const body = { amount: 5000, currency: 'usd' }
    const payments = await Promise.all(
      Array.from({ length: 10 }, () => alice.call(depositByCard, { body, idempotencyKey })),
    )
    expect(new Set(payments.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const otherBodies = [{ amount: 6000 }, { currency: 'eur' }, { saveCard: true }, { quote_id: randomUUID() }]
    for (const otherBody of otherBodies) {
      const answer = await world.raw('POST', '/payment/deposit/card', {
        token: alice.token,
        body: { ...body, ...otherBody },
        headers: { 'idempotency-key': idempotencyKey },
      })
      expect([answer.status, answer.body.code], JSON.stringify(otherBody)).toEqual([422, 'idempotency_key_reused'])
    }
    const depositAnswer = await alice.call(deposit, {
      body: { amount: '50.00', currency: 'USD', method: 'card' },
      idempotencyKey,
    })
    expect(depositAnswer).toEqual(payments[0])
    const carol = await world.enroll('carol', 'United States')
    const carolDeposit = await carol.call(depositByCard, { body, idempotencyKey })
    expect(carolDeposit.payment_id).not.toBe(depositAnswer.payment_id)
  })

  test('of a refused payment repeats the refusal for good, in our own words', async () => {
    let callCount = 0
    const payments = createPaymentsWith(world, {
      card: {
        createCheckout: () => {
          callCount += 1
          return Promise.resolve({ status: 'refused', reason: 'No such source: src_9; request req_1.' })
        },
      },
    })
    const key = randomUUID()
    const attempt = () =>
      payments.depositByCard({
        caller: toCaller(alice),
        body: { amount: 10_000, currency: 'usd' },
        idempotencyKey: key,
      })
    for (let repetition = 0; repetition < 2; repetition += 1) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'payment_refused',
        details: { reason: 'payment_not_accepted', errors: [{ field: 'amount', code: 'payment_not_accepted' }] },
      })
    }
    expect(callCount).toBe(1)
    expect(await loadState(await readId(key))).toBe('failed')
  })
})

describe('a saved card', () => {
  const saveTestCard = async () => {
    const payment = await alice.call(depositByCard, { body: { amount: 1000, currency: 'usd', saveCard: true } })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    return (await alice.call(paymentMethods, {})).cards[0]!.id
  }
  const mockCharge = (answer: { url: string | null; state: 'declined' | 'open' }) => {
    const requestedIds: string[] = []
    const payments = createPaymentsWith(world, {
      card: {
        charge: ({ paymentId }) => {
          requestedIds.push(paymentId)
          return Promise.resolve({ status: 'created', sessionId: `cs_${paymentId}`, url: answer.url })
        },
        lookup: (sessionId) => {
          const paymentId = sessionId.slice(3)
          return Promise.resolve(
            answer.state === 'open'
              ? { status: 'open', paymentId }
              : { status: 'declined', paymentId, reason: 'insufficient_funds' },
          )
        },
      },
    })
    return { payments, requestedIds }
  }

  test('that is declined fails the payment with the reason, and is not charged again for the same key', async () => {
    const paymentMethodId = await saveTestCard()
    const { payments, requestedIds } = mockCharge({ url: null, state: 'declined' })
    const key = randomUUID()
    const attempt = () =>
      payments.depositByCard({
        caller: toCaller(alice),
        body: { amount: 2000, currency: 'usd', paymentMethodId },
        idempotencyKey: key,
      })
    for (let attemptCount = 0; attemptCount < 2; attemptCount += 1) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'payment_refused',
        details: { reason: 'payment_insufficient_funds' },
      })
    }
    expect(requestedIds).toHaveLength(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '10.00' })
  })

  test('whose bank requires authentication leads to its page', async () => {
    const paymentMethodId = await saveTestCard()
    const { payments } = mockCharge({ url: 'https://bank.example/confirm', state: 'open' })
    const payment = await payments.depositByCard({
      caller: toCaller(alice),
      body: { amount: 2000, currency: 'usd', paymentMethodId },
      idempotencyKey: randomUUID(),
    })
    expect(payment).toMatchObject({ status: 'pending', redirectUrl: 'https://bank.example/confirm' })
  })
})

describe('a crash, or a lost answer,', () => {
  test('before the checkout leaves a payment that its key resumes with the same request', async () => {
    const requestedIds: string[] = []
    const payments = createPaymentsWith(world, {
      card: {
        async createCheckout(request) {
          requestedIds.push(request.idempotencyKey)
          const answer = await findCardProvider().createCheckout(request)
          return requestedIds.length < 3 ? { status: 'unknown', reason: 'lost on the way' } : answer
        },
      },
    })
    const key = randomUUID()
    const attempt = () =>
      payments.depositByCard({
        caller: toCaller(alice),
        body: { amount: 10_000, currency: 'usd' },
        idempotencyKey: key,
      })
    for (let attemptCount = 0; attemptCount < 2; attemptCount += 1) {
      await expect(attempt()).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect(await loadState(await readId(key))).toBe('pending')
    }
    const payment = await attempt()
    expect(new Set(requestedIds)).toEqual(new Set([payment.payment_id]))
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(alice, payment.payment_id, 'completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
  })

  test('that leaves a checkout without a reader releases the reserved money after a while', async () => {
    await world.fund(alice, 1000)
    const payments = createPaymentsWith(world, { card: { createCheckout: answerUnknown } })
    const key = randomUUID()
    const body = {
      amount: 2500,
      currency: 'usd',
      recipientId: bruno.id,
      paymentSource: 'wallet_partial',
    } as const
    await expect(
      payments.directPayment({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    const id = await readId(key)
    expect([await loadState(id), await findHeldAmount()]).toEqual(['pending', '10.00'])
    await backdatePayments(5)
    await payments.checkPending()
    expect([await loadState(id), await findHeldAmount()]).toEqual(['pending', '10.00'])
    await backdatePayments(20)
    await payments.checkPending()
    expect([await loadState(id), await findHeldAmount()]).toEqual(['failed', '0.00'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that leaves a debit is made up for with the same key, and debits once', async () => {
    await linkAccount(world, alice)
    const requestedIds: string[] = []
    const payments = createPaymentsWith(world, {
      bank: {
        async debit(request) {
          requestedIds.push(request.idempotencyKey)
          await findBankProvider().debit(request)
          return { status: 'unknown', reason: 'lost on the way' }
        },
      },
    })
    const key = randomUUID()
    const body = { amount: '30.00', currency: 'USD', method: 'bank' } as const
    await expect(
      payments.deposit({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' })
    const id = await readId(key)
    await backdatePayments(2)
    await world.app.product.payments.checkPending()
    const { session_id: session } = await loadStoredPayment(world, id)
    expect(session).toMatch(/^bd/)
    expect(requestedIds).toEqual([id])
    await steer(world, id, 'settle')
    await waitForPayment(alice, id, 'completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '30.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('opens a case once the provider may have forgotten the key, and the payment stays pending', async () => {
    await linkAccount(world, alice)
    const payments = createPaymentsWith(world, { bank: { debit: answerUnknown } })
    const key = randomUUID()
    const body = { amount: '30.00', currency: 'USD', method: 'bank' } as const
    await expect(
      payments.deposit({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' })
    await backdatePayments(24 * 60)
    // Unlike those of the sandbox, the idempotency keys of Stripe expire.
    await world.database.pool.query(`update payment set provider = 'stripe' where user_id = $1`, [alice.id])
    let callCount = 0
    const laterPayments = createPaymentsWith(world, {
      name: 'stripe',
      keysKeptMs: stripeKeysKeptMs,
      bank: {
        debit: () => {
          callCount += 1
          return answerUnknown()
        },
      },
    })
    await laterPayments.checkPending()
    await expect(
      laterPayments.deposit({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' })
    const id = await readId(key)
    await expect(laterPayments.cancel({ userId: BigInt(alice.id), paymentId: id })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    expect([callCount, await loadState(id)]).toEqual([0, 'pending'])
    const { rows } = await world.database.pool.query('select kind from reconciliation_exception where reference = $1', [
      id,
    ])
    expect(rows).toEqual([{ kind: 'unmatched' }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of many payments delays no other', async () => {
    const { pool, now } = world.app.product
    const payment = await alice.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })
    const { session_id: session } = await loadStoredPayment(world, payment.payment_id)
    await pool.query(
      `insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, session_id, idempotency_key,
         request_hash, created_at, updated_at, last_polled_at)
       select gen_random_uuid(), $1, 'deposit', 'card', 'pending', 3, 'USD', 'sandbox', 'stale' || n, gen_random_uuid(), '',
         $2::timestamptz, $2, $2::timestamptz - interval '1 day' from generate_series(1, 500) n`,
      [alice.id, now()],
    )
    const answers = new Map<string, CollectionState>([
      [session, { status: 'declined', paymentId: payment.payment_id, reason: 'expired' }],
    ])
    const payments = createPaymentsWith(world, {
      card: {
        lookup(sessionId) {
          if (sessionId === 'stale7') throw new Error('an answer nobody can read')
          return Promise.resolve(answers.get(sessionId) ?? { status: 'unknown', reason: 'no answer' })
        },
      },
    })
    const oneSecondLater = new Date(now().getTime() + 1000)
    await payments.checkPending(oneSecondLater)
    expect(await loadState(payment.payment_id)).toBe('pending')
    await payments.checkPending(oneSecondLater)
    expect(await loadState(payment.payment_id)).toBe('failed')
    await world.database.pool.query(`delete from payment where session_id like 'stale%'`)
  })
})

describe('cancelling a payment', () => {
  const cancel = (id: string, person = alice) =>
    person.call(cancelPayment, { params: { id } }).catch((error: unknown) => (error as Refused).code)

  test('cancels it at the provider first, so that it cannot be paid afterwards', async () => {
    const payment = await alice.call(depositByCard, { body: { amount: 1000, currency: 'usd' } })
    expect(await cancel(payment.payment_id, bruno)).toBe('not_found')
    expect(await cancel(payment.payment_id)).toEqual({ status: 'failed' })
    await expect(payCheckout(payment.redirectUrl!)).rejects.toThrow('refused the card')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
  })

  test('is refused once it was paid, and the money is used as ordered', async () => {
    const appWithoutEvents = await startTestApp({ events: 'lost' })
    try {
      const dora = await appWithoutEvents.enroll('dora', 'United States')
      const payment = await dora.call(depositByCard, { body: { amount: 1000, currency: 'usd' } })
      await payCheckout(payment.redirectUrl!)
      expect(await cancel(payment.payment_id, dora)).toBe('not_cancelable')
      expect(await dora.wallet()).toMatchObject({ fiat_balance: '10.00' })
      expect(await cancel(payment.payment_id, dora)).toBe('not_cancelable')
    } finally {
      await appWithoutEvents.close()
    }
  })

  test('is refused while the provider does not answer', async () => {
    const payment = await alice.call(depositByCard, { body: { amount: 1000, currency: 'usd' } })
    const payments = createPaymentsWith(world, { card: { cancel: answerUnknown } })
    await expect(payments.cancel({ userId: BigInt(alice.id), paymentId: payment.payment_id })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    expect(await loadState(payment.payment_id)).toBe('pending')
  })

  test('stops a debit that has not gone to the bank, and no other', async () => {
    await linkAccount(world, alice)
    const body = { amount: '30.00', currency: 'USD', method: 'bank' } as const
    const [firstAnswer, secondAnswer] = [
      await alice.call(deposit, { body, idempotencyKey: randomUUID() }),
      await alice.call(deposit, { body, idempotencyKey: randomUUID() }),
    ]
    expect(await cancel(firstAnswer.payment_id)).toEqual({ status: 'failed' })
    const { now, providers } = world.app.product
    await providers.sandboxClock!.set(new Date(now().getTime() + 2 * 3_600_000))
    try {
      const cancelOutcome = await world.app.product.payments
        .cancel({ userId: BigInt(alice.id), paymentId: secondAnswer.payment_id })
        .catch((error: unknown) => (error as Refused).code)
      expect(cancelOutcome).toBe('not_cancelable')
    } finally {
      await providers.sandboxClock!.set(new Date())
    }
  })

  test('while its checkout is being opened withholds the checkout’s address', async () => {
    let [session, cancelAnswer]: unknown[] = []
    const payments = createPaymentsWith(world, {
      card: {
        async createCheckout(request) {
          cancelAnswer = await cancel(request.paymentId)
          const checkout = await findCardProvider().createCheckout(request)
          if (checkout.status === 'created') session = checkout.sessionId
          return checkout
        },
      },
    })
    const key = randomUUID()
    const pendingDeposit = payments.depositByCard({
      caller: toCaller(alice),
      body: { amount: 1000, currency: 'usd' },
      idempotencyKey: key,
    })
    await expect(pendingDeposit).rejects.toMatchObject({ code: 'payment_refused' })
    expect(cancelAnswer).toEqual({ status: 'failed' })
    expect(await findCardProvider().lookup(String(session))).toMatchObject({ status: 'declined', reason: 'canceled' })
    expect(await loadState(await readId(key))).toBe('failed')
  })
})
