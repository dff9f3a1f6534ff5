import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import type { Refused } from '@tern/contract/protocol/client'
import { cancelPayment, deposit, depositByCard, paymentStatus } from '@tern/contract/payments'
import type { CollectionState } from '@tern/providers/collect/port'
import { stripeKeysKeptMs } from '@tern/providers/stripe-money'
import { beforeEach, describe, expect, test } from 'vitest'
import { agePayments } from '../../../../../../tools/aging.ts'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { failedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { payCheckout } from '@tern/testkit/people'
import {
  toCaller,
  linkAccount,
  paymentsWith,
  findSandbox,
  steer,
  storedPayment,
  untilPayment,
} from '@tern/testkit/payments'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const unknown = () => Promise.resolve({ status: 'unknown', reason: 'no answer' } as const)
const cardOf = () => findSandbox(world).collect.card
const bankOf = () => findSandbox(world).collect.debit
const stateOf = async (id: string) => (await alice.call(paymentStatus, { params: { id } })).status
const heldOf = async () => (await alice.wallet()).assets.find(({ currency }) => currency === 'USD')?.held

async function idOf(key: string, person = alice): Promise<string> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from payment where user_id = $1 and idempotency_key = $2',
    [person.id, key],
  )
  expect(rows).toHaveLength(1)
  return rows[0]!.id
}

/** Backdates the payments. */
const age = (minutes: number) => agePayments(world.database.pool, alice.id, minutes)

describe('an idempotency key', () => {
  test('begins one payment, however often and concurrently; other users and requests do not share it', async () => {
    const idempotencyKey = randomUUID()
    const body = { amount: 5000, currency: 'usd' }
    const begun = await Promise.all(
      Array.from({ length: 10 }, () => alice.call(depositByCard, { body, idempotencyKey })),
    )
    expect(new Set(begun.map((one) => JSON.stringify(one))).size).toBe(1)
    const others = [{ amount: 6000 }, { currency: 'eur' }, { saveCard: true }, { quote_id: randomUUID() }]
    for (const other of others) {
      const answer = await world.raw('POST', '/payment/deposit/card', {
        token: alice.token,
        body: { ...body, ...other },
        headers: { 'idempotency-key': idempotencyKey },
      })
      expect([answer.status, answer.body.code], JSON.stringify(other)).toEqual([422, 'idempotency_key_reused'])
    }
    const same = await alice.call(deposit, {
      body: { amount: '50.00', currency: 'USD', method: 'card' },
      idempotencyKey,
    })
    expect(same).toEqual(begun[0])
    const carol = await world.enroll('carol', 'United States')
    const hers = await carol.call(depositByCard, { body, idempotencyKey })
    expect(hers.payment_id).not.toBe(same.payment_id)
  })

  test('of a refused payment repeats the refusal for good, in our own words', async () => {
    let asked = 0
    const payments = paymentsWith(world, {
      card: {
        createCheckout: () => {
          asked += 1
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
    for (let again = 0; again < 2; again += 1) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'payment_refused',
        details: { reason: 'payment_not_accepted', errors: [{ field: 'amount', code: 'payment_not_accepted' }] },
      })
    }
    expect(asked).toBe(1)
    expect(await stateOf(await idOf(key))).toBe('failed')
  })
})

describe('a saved card', () => {
  const kept = async () => {
    const begun = await alice.call(depositByCard, { body: { amount: 1000, currency: 'usd', saveCard: true } })
    await payCheckout(begun.redirectUrl!)
    await untilPayment(alice, begun.payment_id, 'completed')
    return (await alice.call(paymentMethods, {})).cards[0]!.id
  }
  const charged = (answer: { url: string | null; state: 'declined' | 'open' }) => {
    const asked: string[] = []
    const payments = paymentsWith(world, {
      card: {
        charge: ({ paymentId }) => {
          asked.push(paymentId)
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
    return { payments, asked }
  }

  test('that is declined fails the payment with the reason, and is not charged again for the same key', async () => {
    const paymentMethodId = await kept()
    const { payments, asked } = charged({ url: null, state: 'declined' })
    const key = randomUUID()
    const attempt = () =>
      payments.depositByCard({
        caller: toCaller(alice),
        body: { amount: 2000, currency: 'usd', paymentMethodId },
        idempotencyKey: key,
      })
    for (let tried = 0; tried < 2; tried += 1) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'payment_refused',
        details: { reason: 'payment_insufficient_funds' },
      })
    }
    expect(asked).toHaveLength(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '10.00' })
  })

  test('whose bank requires authentication leads to its page', async () => {
    const paymentMethodId = await kept()
    const { payments } = charged({ url: 'https://bank.example/confirm', state: 'open' })
    const begun = await payments.depositByCard({
      caller: toCaller(alice),
      body: { amount: 2000, currency: 'usd', paymentMethodId },
      idempotencyKey: randomUUID(),
    })
    expect(begun).toMatchObject({ status: 'pending', redirectUrl: 'https://bank.example/confirm' })
  })
})

describe('a crash, or a lost answer,', () => {
  test('before the checkout leaves a payment that its key resumes with the same request', async () => {
    const asked: string[] = []
    const payments = paymentsWith(world, {
      card: {
        async createCheckout(request) {
          asked.push(request.idempotencyKey)
          const answer = await cardOf().createCheckout(request)
          return asked.length < 3 ? { status: 'unknown', reason: 'lost on the way' } : answer
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
    for (let tried = 0; tried < 2; tried += 1) {
      await expect(attempt()).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect(await stateOf(await idOf(key))).toBe('pending')
    }
    const begun = await attempt()
    expect(new Set(asked)).toEqual(new Set([begun.payment_id]))
    await payCheckout(begun.redirectUrl!)
    await untilPayment(alice, begun.payment_id, 'completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
  })

  test('that leaves a checkout without a reader releases the reserved money after a while', async () => {
    await world.fund(alice, 1000)
    const payments = paymentsWith(world, { card: { createCheckout: unknown } })
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
    const id = await idOf(key)
    expect([await stateOf(id), await heldOf()]).toEqual(['pending', '10.00'])
    await age(5)
    await payments.checkPending()
    expect([await stateOf(id), await heldOf()]).toEqual(['pending', '10.00'])
    await age(20)
    await payments.checkPending()
    expect([await stateOf(id), await heldOf()]).toEqual(['failed', '0.00'])
    expect(await failedChecks(world)).toEqual([])
  })

  test('that leaves a debit is made up for with the same key, and debits once', async () => {
    await linkAccount(world, alice)
    const asked: string[] = []
    const payments = paymentsWith(world, {
      bank: {
        async debit(request) {
          asked.push(request.idempotencyKey)
          await bankOf().debit(request)
          return { status: 'unknown', reason: 'lost on the way' }
        },
      },
    })
    const key = randomUUID()
    const body = { amount: '30.00', currency: 'USD', method: 'bank' } as const
    await expect(
      payments.deposit({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' })
    const id = await idOf(key)
    await age(2)
    await world.app.product.payments.checkPending()
    const { session_id: session } = await storedPayment(world, id)
    expect(session).toMatch(/^bd/)
    expect(asked).toEqual([id])
    await steer(world, id, 'settle')
    await untilPayment(alice, id, 'completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '30.00' })
    expect(await failedChecks(world)).toEqual([])
  })

  test('opens a case once the provider may have forgotten the key, and the payment stays pending', async () => {
    await linkAccount(world, alice)
    const payments = paymentsWith(world, { bank: { debit: unknown } })
    const key = randomUUID()
    const body = { amount: '30.00', currency: 'USD', method: 'bank' } as const
    await expect(
      payments.deposit({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' })
    await age(24 * 60)
    // The sandbox never forgets a key.
    await world.database.pool.query(`update payment set provider = 'stripe' where user_id = $1`, [alice.id])
    let asked = 0
    const later = paymentsWith(world, {
      name: 'stripe',
      keysKeptMs: stripeKeysKeptMs,
      bank: {
        debit: () => {
          asked += 1
          return unknown()
        },
      },
    })
    await later.checkPending()
    await expect(
      later.deposit({ caller: toCaller(alice), body, idempotencyKey: key, confirmation: undefined }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' })
    const id = await idOf(key)
    await expect(later.cancel({ userId: BigInt(alice.id), paymentId: id })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    expect([asked, await stateOf(id)]).toEqual([0, 'pending'])
    const { rows } = await world.database.pool.query('select kind from reconciliation_exception where reference = $1', [
      id,
    ])
    expect(rows).toEqual([{ kind: 'unmatched' }])
    expect(await failedChecks(world)).toEqual([])
  })

  test('of many payments delays no other', async () => {
    const { pool, now } = world.app.product
    const begun = await alice.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })
    const { session_id: session } = await storedPayment(world, begun.payment_id)
    await pool.query(
      `insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, session_id, idempotency_key,
         request_hash, created_at, updated_at, last_polled_at)
       select gen_random_uuid(), $1, 'deposit', 'card', 'pending', 3, 'USD', 'sandbox', 'stale' || n, gen_random_uuid(), '',
         $2::timestamptz, $2, $2::timestamptz - interval '1 day' from generate_series(1, 500) n`,
      [alice.id, now()],
    )
    const answers = new Map<string, CollectionState>([
      [session, { status: 'declined', paymentId: begun.payment_id, reason: 'expired' }],
    ])
    const payments = paymentsWith(world, {
      card: {
        lookup(sessionId) {
          if (sessionId === 'stale7') throw new Error('an answer nobody can read')
          return Promise.resolve(answers.get(sessionId) ?? { status: 'unknown', reason: 'no answer' })
        },
      },
    })
    const soon = new Date(now().getTime() + 1000)
    await payments.checkPending(soon)
    expect(await stateOf(begun.payment_id)).toBe('pending')
    await payments.checkPending(soon)
    expect(await stateOf(begun.payment_id)).toBe('failed')
    await world.database.pool.query(`delete from payment where session_id like 'stale%'`)
  })
})

describe('cancelling a payment', () => {
  const cancel = (id: string, person = alice) =>
    person.call(cancelPayment, { params: { id } }).catch((error: unknown) => (error as Refused).code)

  test('cancels it at the provider first, so that it cannot be paid afterwards', async () => {
    const begun = await alice.call(depositByCard, { body: { amount: 1000, currency: 'usd' } })
    expect(await cancel(begun.payment_id, bruno)).toBe('not_found')
    expect(await cancel(begun.payment_id)).toEqual({ status: 'failed' })
    await expect(payCheckout(begun.redirectUrl!)).rejects.toThrow('refused the card')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
  })

  test('is refused once it was paid, and the money is used as ordered', async () => {
    const deaf = await startTestApp({ events: 'lost' })
    try {
      const dora = await deaf.enroll('dora', 'United States')
      const begun = await dora.call(depositByCard, { body: { amount: 1000, currency: 'usd' } })
      await payCheckout(begun.redirectUrl!)
      expect(await cancel(begun.payment_id, dora)).toBe('not_cancelable')
      expect(await dora.wallet()).toMatchObject({ fiat_balance: '10.00' })
      expect(await cancel(begun.payment_id, dora)).toBe('not_cancelable')
    } finally {
      await deaf.close()
    }
  })

  test('is refused while the provider does not answer', async () => {
    const begun = await alice.call(depositByCard, { body: { amount: 1000, currency: 'usd' } })
    const payments = paymentsWith(world, { card: { cancel: unknown } })
    await expect(payments.cancel({ userId: BigInt(alice.id), paymentId: begun.payment_id })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    expect(await stateOf(begun.payment_id)).toBe('pending')
  })

  test('stops a debit that has not gone to the bank, and no other', async () => {
    await linkAccount(world, alice)
    const body = { amount: '30.00', currency: 'USD', method: 'bank' } as const
    const [one, other] = [
      await alice.call(deposit, { body, idempotencyKey: randomUUID() }),
      await alice.call(deposit, { body, idempotencyKey: randomUUID() }),
    ]
    expect(await cancel(one.payment_id)).toEqual({ status: 'failed' })
    const { now, providers } = world.app.product
    await providers.sandboxClock!.set(new Date(now().getTime() + 2 * 3_600_000))
    try {
      const open = await world.app.product.payments
        .cancel({ userId: BigInt(alice.id), paymentId: other.payment_id })
        .catch((error: unknown) => (error as Refused).code)
      expect(open).toBe('not_cancelable')
    } finally {
      await providers.sandboxClock!.set(new Date())
    }
  })

  test('while its checkout is being opened withholds the checkout’s address', async () => {
    let [session, canceled]: unknown[] = []
    const payments = paymentsWith(world, {
      card: {
        async createCheckout(request) {
          canceled = await cancel(request.paymentId)
          const checkout = await cardOf().createCheckout(request)
          if (checkout.status === 'created') session = checkout.sessionId
          return checkout
        },
      },
    })
    const key = randomUUID()
    const begun = payments.depositByCard({
      caller: toCaller(alice),
      body: { amount: 1000, currency: 'usd' },
      idempotencyKey: key,
    })
    await expect(begun).rejects.toMatchObject({ code: 'payment_refused' })
    expect(canceled).toEqual({ status: 'failed' })
    expect(await cardOf().lookup(String(session))).toMatchObject({ status: 'declined', reason: 'canceled' })
    expect(await stateOf(await idOf(key))).toBe('failed')
  })
})
