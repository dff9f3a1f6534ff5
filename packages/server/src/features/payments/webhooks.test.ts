import { randomUUID } from 'node:crypto'
import { deposit, depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { payCheckout } from '@tern/testkit/people'
import { deliver, eventAbout, linkAccount, steer, loadStoredPayment } from '@tern/testkit/payments'

// The sandbox's own events are lost: only events that these tests deliver reach the product.
let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp({ events: 'lost' })
})
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const loadStatus = async (paymentId: string) => (await alice.call(paymentStatus, { params: { id: paymentId } })).status
const loadBalances = async () =>
  [await alice.wallet(), await bruno.wallet()].map(({ fiat_balance: balance }) => balance)

const send = async (paymentSource: 'card' | 'bank' | 'wallet_partial', amount: number): Promise<string> => {
  const body = { amount, currency: 'usd', recipientId: String(bruno.id), paymentSource }
  return (await alice.call(directPayment, { body, idempotencyKey: randomUUID() })).payment_id
}

/** Deposits into alice's wallet by polling, without an event. */
async function depositIntoWallet(minor: number): Promise<void> {
  const payment = await alice.call(depositByCard, { body: { amount: minor, currency: 'usd' } })
  await payCheckout(payment.redirectUrl!)
  await world.app.product.payments.check(payment.payment_id)
}

interface PaymentKind {
  readonly name: string
  readonly family: 'checkout' | 'debit'
  begin(): Promise<string>
  /** Balances of alice and bruno after the payment has settled. */
  readonly balancesAfter: readonly [string, string]
  /** Their balances before the payment, and after it has failed. */
  readonly balancesBefore: readonly [string, string]
}

const paymentKinds: readonly PaymentKind[] = [
  {
    name: 'a deposit by card',
    family: 'checkout',
    begin: async () => (await alice.call(depositByCard, { body: { amount: 10_000, currency: 'usd' } })).payment_id,
    balancesBefore: ['0.00', '0.00'],
    balancesAfter: ['100.00', '0.00'],
  },
  {
    name: 'a deposit by bank debit',
    family: 'debit',
    async begin() {
      await linkAccount(world, alice)
      const body = { amount: '100.00', currency: 'USD', method: 'bank' } as const
      return (await alice.call(deposit, { body, idempotencyKey: randomUUID() })).payment_id
    },
    balancesBefore: ['0.00', '0.00'],
    balancesAfter: ['100.00', '0.00'],
  },
  {
    name: 'a send by card',
    family: 'checkout',
    begin: () => send('card', 2500),
    balancesBefore: ['0.00', '0.00'],
    balancesAfter: ['0.00', '23.25'],
  },
  {
    name: 'a send by bank debit',
    family: 'debit',
    async begin() {
      await linkAccount(world, alice)
      return send('bank', 2500)
    },
    balancesBefore: ['0.00', '0.00'],
    balancesAfter: ['0.00', '23.25'],
  },
  {
    name: 'a send by wallet and card',
    family: 'checkout',
    async begin() {
      await depositIntoWallet(1000)
      return send('wallet_partial', 2500)
    },
    balancesBefore: ['10.00', '0.00'],
    balancesAfter: ['0.00', '23.25'],
  },
]

/** Balances of alice and bruno while the payment is pending; the wallet's part is held. */
const choosePendingBalances = ({ name, balancesBefore }: PaymentKind) =>
  name === 'a send by wallet and card' ? ['0.00', '0.00'] : balancesBefore

describe.each(paymentKinds)('events of $name', (kind) => {
  test('move the money once: 100 concurrent duplicates, and 20 others with the same content', async () => {
    const id = await kind.begin()
    const body = await eventAbout(world, id, `${kind.family}.paid`)
    const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(world, body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(204))
    const otherAnswers = await Promise.all(
      Array.from({ length: 20 }, async () => deliver(world, await eventAbout(world, id, `${kind.family}.paid`))),
    )
    expect(otherAnswers.map(({ status }) => status)).toEqual(Array(20).fill(204))
    expect(await loadBalances()).toEqual(kind.balancesAfter)
    expect(await loadStatus(id)).toBe('completed')
    const { rows } = await world.database.pool.query('select * from settlement_line where reference = $1', [id])
    expect(rows).toHaveLength(1)
    const transactions = await alice.transactions()
    expect(transactions.filter(({ payment_id: paymentId }) => paymentId === id)).toMatchObject([
      { status: 'COMPLETED', transaction_id: (await loadStoredPayment(world, id)).transaction_id },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('in the wrong order: money that has come stays', async () => {
    const first = await kind.begin()
    await deliver(world, await eventAbout(world, first, `${kind.family}.paid`))
    await deliver(world, await eventAbout(world, first, `${kind.family}.failed`, { reason: 'failed' }))
    expect(await loadStatus(first)).toBe('completed')
    expect(await loadBalances()).toEqual(kind.balancesAfter)
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('after a cancellation: a deposit arrives late, a send fails and its money is the payer’s', async () => {
    const id = await kind.begin()
    await deliver(world, await eventAbout(world, id, `${kind.family}.failed`, { reason: 'failed' }))
    expect(await loadStatus(id)).toBe('failed')
    expect(await loadBalances()).toEqual(kind.balancesBefore)
    expect(await loadFailedChecks(world)).toEqual([])
    for (let repetition = 0; repetition < 3; repetition += 1)
      await deliver(world, await eventAbout(world, id, `${kind.family}.paid`))
    const isSendKind = kind.name.includes('send')
    expect(await loadStatus(id)).toBe(isSendKind ? 'failed' : 'completed')
    expect(await loadBalances()).toEqual(isSendKind ? ['25.25', '0.00'] : kind.balancesAfter)
    const { transaction_id: transactionId } = await alice.call(paymentStatus, { params: { id } })
    const transactions = await alice.transactions()
    const isUnfundedSend = kind.name === 'a send by bank debit' || kind.name === 'a send by wallet and card'
    expect(transactions.find((transaction) => transaction.id === transactionId)).toMatchObject(
      isUnfundedSend
        ? { transaction_type: 'SEND', status: 'FAILED' }
        : { transaction_type: 'DEPOSIT', status: 'COMPLETED' },
    )
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('with a wrong, old or missing signature, or a changed body, move nothing', async () => {
    const id = await kind.begin()
    const body = await eventAbout(world, id, `${kind.family}.paid`)
    const { amount_minor: minor } = await loadStoredPayment(world, id)
    const forgedEvents = [
      await deliver(world, body, { secret: 'x'.repeat(40) }),
      await deliver(world, body, { seconds: -330 }),
      await deliver(world, body, { seconds: 330 }),
      await deliver(world, body, { sent: body.replace(`"${minor}"`, '"90000"') }),
      await world.raw('POST', '/webhooks/sandbox', { body, headers: { 'content-type': 'application/json' } }),
    ]
    for (const answer of forgedEvents) expect([answer.status, answer.body.code]).toEqual([400, 'signature_invalid'])
    expect(await loadStatus(id)).toBe('pending')
    expect(await loadBalances()).toEqual(choosePendingBalances(kind))
  })

  test.each([{ amount_minor: '99999' }, { amount_minor: '1' }, { currency: 'EUR' }])(
    'with %j, which was not ordered, move nothing and open a case',
    async (otherFields) => {
      const id = await kind.begin()
      const paidEvent = `${kind.family}.paid`
      await deliver(world, await eventAbout(world, id, paidEvent, otherFields))
      for (const type of [paidEvent, `${kind.family}.failed`]) await deliver(world, await eventAbout(world, id, type))
      await deliver(world, await eventAbout(world, id, paidEvent, otherFields))
      expect(await loadStatus(id)).toBe('pending')
      expect(await loadBalances()).toEqual(choosePendingBalances(kind))
      const { rows } = await world.database.pool.query(
        'select outcome, count(*) from provider_event where subject_id = $1 group by outcome order by outcome',
        [id],
      )
      // The first report opens the case; the later ones change nothing.
      expect(rows).toEqual([
        { outcome: 'already_in_review', count: 3n },
        { outcome: 'amount_differs', count: 1n },
      ])
      const cases = await world.database.pool.query(
        'select kind, subject from reconciliation_exception where reference = $1',
        [id],
      )
      expect(cases.rows).toEqual([
        { kind: 'unmatched', subject: `cap_${(await loadStoredPayment(world, id)).session_id}` },
      ])
      await world.app.product.payments.check(id)
      expect(await loadStoredPayment(world, id)).toMatchObject({ status: 'needs_review' })
      expect(await loadFailedChecks(world)).toEqual([])
    },
  )

  test('that never came are made up for by polling the provider', async () => {
    const id = await kind.begin()
    const { payments } = world.app.product
    await payments.check(id)
    expect(await loadStatus(id)).toBe('pending')
    await steer(world, id, 'settle')
    await payments.checkPending()
    expect(await loadStatus(id), 'asked a moment ago').toBe('pending')
    const oneSecondLater = new Date(world.app.product.now().getTime() + 1000)
    await Promise.all([payments.checkPending(oneSecondLater), payments.check(id)])
    expect(await loadStatus(id)).toBe('completed')
    expect(await loadBalances()).toEqual(kind.balancesAfter)
  })

  test('of a session that is not the payment’s own decide nothing', async () => {
    const id = await kind.begin()
    await deliver(world, await eventAbout(world, id, `${kind.family}.failed`, { session_id: 'cs_another' }))
    expect(await loadStatus(id)).toBe('pending')
    const unknownEvent = await eventAbout(world, id, `${kind.family}.paid`, { reference: randomUUID() })
    expect((await deliver(world, unknownEvent)).status).toBe(204)
    expect(await loadBalances()).toEqual(choosePendingBalances(kind))
  })
})

test('a second capture of one payment moves nothing, and opens a case', async () => {
  const id = await send('card', 2500)
  await deliver(world, await eventAbout(world, id, 'checkout.paid'))
  await deliver(world, await eventAbout(world, id, 'checkout.paid', { capture_id: 'cap_again' }))
  expect(await loadBalances()).toEqual(['0.00', '23.25'])
  const { rows } = await world.database.pool.query(
    'select subject from reconciliation_exception where reference = $1',
    [id],
  )
  expect(rows).toEqual([{ subject: 'cap_again' }])
  expect(await loadFailedChecks(world)).toEqual([])
})
