import { createHmac, randomUUID } from 'node:crypto'
import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../tools/test-app.ts'
import { payCheckout } from '../../../../../tools/test-people.ts'
import { audit } from '../../audit.ts'
import { createPayments } from './payments.ts'

let world: TestApp
let alice: TestPerson

beforeAll(async () => {
  world = await startTestApp()
}, 60_000)
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})

interface Begun {
  readonly paymentId: string
  readonly session: string
}

async function begin(minor = 10_000): Promise<Begun> {
  const begun = await alice.call(depositByCard, {
    body: { amount: minor, currency: 'usd', userId: alice.id, depositToWallet: true },
    idempotencyKey: randomUUID(),
  })
  return { paymentId: begun.payment_id, session: new URL(begun.redirectUrl!).pathname.split('/').at(-1)! }
}

const statusOf = async (paymentId: string) => (await alice.call(paymentStatus, { params: { id: paymentId } })).status

function eventBody(
  { paymentId, session }: Begun,
  type: string,
  change: object = {},
  id: string = randomUUID(),
): string {
  return JSON.stringify({
    id,
    type,
    created_at: new Date().toISOString(),
    data: {
      session_id: session,
      reference: paymentId,
      amount_minor: '10000',
      currency: 'USD',
      ...(type === 'checkout.paid' ? { capture_id: `cap_${session}` } : {}),
      ...change,
    },
  })
}

/** Delivers an event as the provider would; `seconds` shifts the signed time, `secret` and `sent` forge it. */
function deliver(body: string, forged: { seconds?: number; secret?: string; sent?: string } = {}) {
  const time = Math.floor(Date.now() / 1000) + (forged.seconds ?? 0)
  const signature = createHmac('sha256', forged.secret ?? world.sandboxSecret)
    .update(`${time}.${body}`)
    .digest('hex')
  return world.raw('POST', '/webhooks/sandbox', {
    body: forged.sent ?? body,
    headers: { 'content-type': 'application/json', 'sandbox-signature': `t=${time},v1=${signature}` },
  })
}

describe('a card deposit', () => {
  test('arrives by the provider’s event, though the browser never comes back', async () => {
    await world.fund(alice, 10_000)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect((await audit(world.database.pool)).checks.filter((check) => !check.ok)).toEqual([])
  })

  test('an event that comes 100 times at once credits once', async () => {
    const begun = await begin()
    const body = eventBody(begun, 'checkout.paid')
    const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(body)))
    expect(answers.map((answer) => answer.status)).toEqual(Array(100).fill(204))
    const others = await Promise.all(Array.from({ length: 20 }, () => deliver(eventBody(begun, 'checkout.paid'))))
    expect(others.map((answer) => answer.status)).toEqual(Array(20).fill(204))
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await statusOf(begun.paymentId)).toBe('completed')
  })

  test('events in the wrong order: money that came stays, and money that comes late still comes', async () => {
    const paidFirst = await begin()
    await deliver(eventBody(paidFirst, 'checkout.paid'))
    await deliver(eventBody(paidFirst, 'checkout.failed'))
    expect(await statusOf(paidFirst.paymentId)).toBe('completed')
    const failedFirst = await begin()
    await deliver(eventBody(failedFirst, 'checkout.failed'))
    expect(await statusOf(failedFirst.paymentId)).toBe('failed')
    await deliver(eventBody(failedFirst, 'checkout.paid'))
    expect(await statusOf(failedFirst.paymentId)).toBe('completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '200.00' })
  })

  test('an event with a wrong, old or missing signature, or a changed body, moves nothing', async () => {
    const begun = await begin()
    const body = eventBody(begun, 'checkout.paid')
    const forged = [
      await deliver(body, { secret: 'x'.repeat(40) }),
      await deliver(body, { seconds: -301 }),
      await deliver(body, { sent: body.replace('10000', '90000') }),
      await world.raw('POST', '/webhooks/sandbox', { body, headers: { 'content-type': 'application/json' } }),
    ]
    for (const answer of forged) expect([answer.status, answer.body.code]).toEqual([400, 'signature_invalid'])
    expect(await statusOf(begun.paymentId)).toBe('pending')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
  })

  test.each([{ amount_minor: '99999' }, { currency: 'EUR' }])(
    'an authentic event about %j, which was not asked for, credits nothing and leaves it to a person',
    async (other) => {
      const begun = await begin()
      await deliver(eventBody(begun, 'checkout.paid', other))
      for (const type of ['checkout.paid', 'checkout.failed']) await deliver(eventBody(begun, type))
      await deliver(eventBody(begun, 'checkout.paid', other))
      expect(await statusOf(begun.paymentId)).toBe('pending')
      expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
      const { rows } = await world.database.pool.query(
        'select status, capture_id, asked_at from payment where id = $1',
        [begun.paymentId],
      )
      expect(rows[0]).toMatchObject({ status: 'needs_review', capture_id: `cap_${begun.session}` })
      const events = await world.database.pool.query(
        'select outcome, count(*) from provider_event where subject_id = $1 group by outcome order by outcome',
        [begun.paymentId],
      )
      // Only the first of these outcomes is logged.
      expect(events.rows).toEqual([
        { outcome: 'already in review', count: 3n },
        { outcome: 'amount differs', count: 1n },
      ])
      await world.app.product.payments.check(begun.paymentId)
      const asked = await world.database.pool.query('select asked_at from payment where id = $1', [begun.paymentId])
      expect(asked.rows[0]?.asked_at).toEqual(rows[0]?.asked_at)
    },
  )

  test('one the provider refuses has failed, and its key answers so for good', async () => {
    let asked = 0
    const { pool, providers } = world.app.product
    const payments = createPayments({
      ...world.app.product,
      provider: {
        ...providers.money,
        card: {
          ...providers.money.card,
          createCheckout: () => {
            asked += 1
            return Promise.resolve({ status: 'refused', reason: 'The amount is too large for us.' })
          },
        },
      },
      publicUrl: world.url,
      log: { warn() {}, error() {} },
    })
    const key = randomUUID()
    const caller = { userId: BigInt(alice.id), sessionId: randomUUID(), verified: true }
    const attempt = () => payments.depositByCard(caller, { amount: 10_000, currency: 'usd' }, key)
    await expect(attempt()).rejects.toThrow('The amount is too large for us.')
    await expect(attempt()).rejects.toMatchObject({ code: 'payment_refused' })
    expect(asked).toBe(1)
    const { rows } = await pool.query('select id, status from payment where idempotency_key = $1', [key])
    expect(rows).toMatchObject([{ status: 'failed' }])
    expect(await statusOf(rows[0]!.id)).toBe('failed')
  })

  test('payments that fail or stay unknown, however many, keep no other waiting', async () => {
    const { pool, now, providers } = world.app.product
    const begun = await begin()
    await pool.query(
      `insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, session_id, idempotency_key,
         request_hash, created_at, updated_at, asked_at)
       select gen_random_uuid(), $1, 'deposit', 'card', 'pending', 1, 'USD', 'sandbox', 'stale' || n, gen_random_uuid(), '',
         $2::timestamptz, $2, $2::timestamptz - interval '1 day' from generate_series(1, 500) n`,
      [alice.id, now()],
    )
    const errors: object[] = []
    const payments = createPayments({
      ...world.app.product,
      provider: {
        ...providers.money,
        card: {
          ...providers.money.card,
          lookup(sessionId) {
            if (sessionId === 'stale7') throw new Error('an answer nobody can read')
            return Promise.resolve(
              sessionId === begun.session
                ? { status: 'declined', paymentId: begun.paymentId, reason: 'expired' }
                : { status: 'unknown', reason: 'no answer' },
            )
          },
        },
      },
      publicUrl: world.url,
      log: { warn() {}, error: (details) => errors.push(details) },
    })
    const soon = new Date(now().getTime() + 1000)
    await payments.checkPending(soon)
    expect(errors).toMatchObject([{ err: { message: 'an answer nobody can read' } }])
    expect(await statusOf(begun.paymentId)).toBe('pending')
    await payments.checkPending(soon)
    expect(await statusOf(begun.paymentId)).toBe('failed')
    await pool.query(`delete from payment where session_id like 'stale%'`)
  })

  test('begins 30 times a minute at most', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 31 }, () =>
        world.raw('POST', '/payment/deposit/card', {
          token: alice.token,
          body: { amount: 1000, currency: 'usd' },
          headers,
        }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(30)
    expect(answers.find((answer) => answer.status !== 200)?.body.code).toBe('rate_limited')
  })

  test('coming back with payment_success=true, and asking, moves nothing', async () => {
    const begun = await begin()
    await fetch(`${world.url}/deposit?payment_success=true&payment_id=${begun.paymentId}`)
    for (let asked = 0; asked < 5; asked += 1) expect(await statusOf(begun.paymentId)).toBe('pending')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
  })

  test('a lost event is made up for by asking the provider', async () => {
    const deaf = await startTestApp({ events: 'lost' })
    try {
      const dora = await deaf.enroll('dora', 'United States')
      const { payments } = deaf.app.product
      const begun = await dora.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })
      const status = async () => (await dora.call(paymentStatus, { params: { id: begun.payment_id } })).status
      await payments.check(begun.payment_id)
      expect(await status()).toBe('pending')
      await payCheckout(begun.redirectUrl!)
      await payments.checkPending()
      expect(await status()).toBe('pending')
      const soon = new Date(Date.now() + 1000)
      await Promise.all([payments.checkPending(soon), payments.check(begun.payment_id)])
      expect(await status()).toBe('completed')
      expect(await dora.wallet()).toMatchObject({ fiat_balance: '100.00' })
    } finally {
      await deaf.close()
    }
  })

  test('the same key begins one payment; with another amount it is refused', async () => {
    const idempotencyKey = randomUUID()
    const body = { amount: 5000, currency: 'usd' }
    const begun = await Promise.all(
      Array.from({ length: 10 }, () => alice.call(depositByCard, { body, idempotencyKey })),
    )
    expect(new Set(begun.map((one) => one.redirectUrl)).size).toBe(1)
    const other = await world.raw('POST', '/payment/deposit/card', {
      token: alice.token,
      body: { ...body, amount: 6000 },
      headers: { 'idempotency-key': idempotencyKey },
    })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('for somebody else, in another currency or before verification it does not begin', async () => {
    const dora = await world.enroll('dora', null)
    const post = (token: string, body: object) => world.raw('POST', '/payment/deposit/card', { token, body })
    const asked = { amount: 1000, currency: 'usd' }
    expect((await post(alice.token, { ...asked, userId: dora.id })).body.code).toBe('not_your_account')
    expect((await post(alice.token, { ...asked, currency: 'jpy' })).body.code).toBe('currency_not_supported')
    expect((await post(alice.token, { ...asked, currency: 'eur' })).body.errors[0].field).toBe('quote_id')
    expect((await post(dora.token, asked)).body.code).toBe('verification_required')
    expect((await world.raw('GET', `/payment/${(await begin()).paymentId}/status`, { token: dora.token })).status).toBe(
      404,
    )
  })
})
