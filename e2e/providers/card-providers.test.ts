import { createHmac } from 'node:crypto'
import { money } from '@tern/money/money'
import type { CardProvider, CheckoutRequest } from '@tern/providers/collect/port'
import { createSandboxCard } from '@tern/providers/collect/sandbox-card'
import { createSandboxEvents } from '@tern/providers/events/sandbox'
import { createSandboxReport } from '@tern/providers/report/sandbox'
import { describe, expect, test } from 'vitest'
import { serveReply, providerSecret, startServer, startProvider } from '@tern/testkit/providers/provider'

const secret = providerSecret
const paymentId = '019aa3c2-7b1e-7c44-9d0e-2f1c5a7e9b10'
const patience = { timeout: 120_000 }

/** Starts a sandbox; collects its events as parsed by the adapter, and offers the actions of payers and operators. */
async function start() {
  const { connection, events } = await startProvider({ timeoutMs: 30_000 })
  const post = async (path: string, body: object = {}, method = 'POST'): Promise<void> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
    const response = await fetch(connection.url + path, { method, headers, body: JSON.stringify(body) })
    expect([path, response.status]).toEqual([path, 200])
  }
  return {
    connection,
    card: createSandboxCard(connection),
    events,
    pay: (sessionId: string, number: string) =>
      post(`/api/checkout/${sessionId}/pay`, { card_number: number, expiry: '12/39', cvc: '123' }),
    confirm: (sessionId: string, approve: boolean) => post(`/api/checkout/${sessionId}/challenge`, { approve }),
    moveClock: (offsetMs: number) => post('/api/clock', { offsetMs }, 'PUT'),
    steer: (sessionId: string, action: string) => post(`/api/control/payments/${sessionId}/${action}`),
  }
}

const request = {
  paymentId,
  amount: money('EUR', 2500n),
  description: 'Deposit',
  returnUrl: 'http://localhost:3000/deposit',
  idempotencyKey: 'payment-1',
  saveCard: true,
}

async function open(card: CardProvider, more: Partial<CheckoutRequest> = {}) {
  const result = await card.createCheckout({ ...request, ...more })
  if (result.status !== 'created') throw new Error(result.reason)
  return result.sessionId
}

/** Saves the card with this number, regardless of the bank's answer; returns its token. */
async function keep({ card, pay, steer }: Awaited<ReturnType<typeof start>>, number: string): Promise<string> {
  const sessionId = await open(card, { idempotencyKey: `keep-${number}` })
  await pay(sessionId, number)
  await steer(sessionId, 'settle')
  const state = await card.lookup(sessionId)
  return state.status === 'settled' ? (state.card?.token ?? '') : ''
}

const buildCharge = (cardToken: string, idempotencyKey: string) => {
  const { saveCard: _saveCard, ...order } = request
  return { ...order, cardToken, idempotencyKey }
}

describe('a saved card', () => {
  test('is returned with the settled state and its event, and is charged once per key', async () => {
    const { card, events, pay } = await start()
    const sessionId = await open(card)
    await pay(sessionId, '4242424242424242')
    const state = await card.lookup(sessionId)
    const kept = { brand: 'Visa', last4: '4242', expMonth: 12, expYear: 2039 }
    expect(state).toMatchObject({ status: 'settled', card: kept })
    await expect.poll(() => events.length, patience).toBe(1)
    expect(events[0]).toEqual({ id: events[0]?.id, about: 'payment', sessionId, state })

    const token = state.status === 'settled' ? (state.card?.token ?? '') : ''
    const charged = await card.charge(buildCharge(token, 'charge-1'))
    if (charged.status !== 'created') throw new Error(charged.reason)
    expect(charged.url).toBeNull()
    expect(await card.charge(buildCharge(token, 'charge-1'))).toEqual(charged)
    expect(await card.lookup(charged.sessionId)).toMatchObject({ status: 'settled', paymentId, amount: request.amount })
    const other = { ...buildCharge(token, 'charge-1'), amount: money('EUR', 2501n) }
    // The first request under this key may have been executed.
    expect((await card.charge(other)).status).toBe('unknown')
  })

  test('whose bank challenges the payer returns the address of the challenge', async () => {
    const world = await start()
    const { card, confirm } = world
    const charged = await card.charge(buildCharge(await keep(world, '4000000000003220'), 'charge-1'))
    if (charged.status !== 'created') throw new Error(charged.reason)
    expect(await (await fetch(charged.url ?? '')).text()).toContain('Your bank asks you to confirm')
    expect(await card.lookup(charged.sessionId)).toEqual({ status: 'open', paymentId })
    await confirm(charged.sessionId, false)
    expect(await card.lookup(charged.sessionId)).toEqual({ status: 'declined', paymentId, reason: 'declined' })
  })

  test.each([
    ['4000000000000002', 'declined'],
    ['4000000000009995', 'insufficient_funds'],
    ['4000000000000069', 'declined'],
    ['4000000000000119', 'declined'],
  ])('%s is declined with a known reason: %s', async (number, reason) => {
    const world = await start()
    const { card, events } = world
    const charged = await card.charge(buildCharge(await keep(world, number), 'charge-1'))
    if (charged.status !== 'created') throw new Error(charged.reason)
    const state = await card.lookup(charged.sessionId)
    expect(state).toEqual({ status: 'declined', paymentId, reason })
    await expect.poll(() => events.length, patience).toBe(2)
    // The two may arrive in either order.
    const declined = { about: 'payment', sessionId: charged.sessionId, state }
    expect(events).toContainEqual(expect.objectContaining(declined))
  })

  test('is deleted, idempotently, and then not charged', async () => {
    const world = await start()
    const token = await keep(world, '4242424242424242')
    expect(await world.card.forgetCard(token)).toBe(true)
    expect(await world.card.forgetCard(token)).toBe(true)
    expect(await world.card.forgetCard('card_nobody')).toBe(true)
    expect((await world.card.charge(buildCharge(token, 'charge-1'))).status).toBe('refused')
  })
})

describe('a payment that does not end at once', () => {
  test('is open while the bank is silent, and cannot be canceled then', async () => {
    const { card, events, pay, steer } = await start()
    const sessionId = await open(card)
    await pay(sessionId, '4000000000001505')
    expect(await card.lookup(sessionId)).toEqual({ status: 'open', paymentId, isProcessing: true })
    expect(await card.cancel(sessionId)).toEqual({ status: 'open', paymentId, isProcessing: true })
    await steer(sessionId, 'fail')
    const failed = { status: 'declined', paymentId, reason: 'failed' }
    expect(await card.lookup(sessionId)).toEqual(failed)
    expect(await card.cancel(sessionId)).toEqual(failed)
    await expect.poll(() => events.length, patience).toBe(1)
    expect(events[0]).toMatchObject({ sessionId, state: failed })
  })

  test('is canceled while open, and stays settled if already paid', async () => {
    const { card, pay } = await start()
    const regretted = await open(card, { idempotencyKey: 'one' })
    expect(await card.cancel(regretted)).toEqual({ status: 'declined', paymentId, reason: 'canceled' })
    const paid = await open(card, { idempotencyKey: 'two' })
    await pay(paid, '4242424242424242')
    expect(await card.cancel(paid)).toMatchObject({ status: 'settled', paymentId })
    expect((await card.cancel('cs_nobody')).status).toBe('unknown')
  })
})

describe('money that is captured later', () => {
  const later = { capturesLater: true }
  const cardFingerprint = expect.stringMatching(/^fp_/) as string
  const authorized = { status: 'authorized', paymentId, amount: request.amount, cardFingerprint }

  async function authorize(number = '4242424242424242') {
    const world = await start()
    const sessionId = await open(world.card, later)
    await world.pay(sessionId, number)
    const books = async () => {
      const report = await createSandboxReport(world.connection).lines(new Date(0), new Date('2100-01-01T00:00:00Z'))
      return report.status === 'known' ? report.lines : []
    }
    return { ...world, sessionId, books }
  }

  test('is authorized first, and taken once by however many captures', async () => {
    const { card, events, sessionId, books } = await authorize()
    expect(await card.lookup(sessionId)).toEqual(authorized)
    await expect.poll(() => events.length, patience).toBe(1)
    expect(events[0]).toMatchObject({ about: 'payment', sessionId, state: authorized })
    expect(await books()).toEqual([])
    const states = await Promise.all([1, 2, 3].map(() => card.capture(sessionId)))
    expect(states).toEqual(Array(3).fill(expect.objectContaining({ status: 'settled', amount: request.amount })))
    expect((await books()).map(({ kind }) => kind)).toEqual(['capture'])
    await expect.poll(() => events.length, patience).toBe(2)
    expect(await card.cancel(sessionId)).toEqual(states[0])
  })

  test('is released by a cancel, after which nothing can be captured', async () => {
    const { card, sessionId, books } = await authorize()
    const canceled = { status: 'declined', paymentId, reason: 'canceled' }
    expect(await card.cancel(sessionId)).toEqual(canceled)
    expect((await card.capture(sessionId)).status).toBe('unknown')
    expect(await card.lookup(sessionId)).toEqual(canceled)
    expect(await books()).toEqual([])
  })

  test('can neither be captured before it is authorized nor a week after', async () => {
    const { card, sessionId, books, moveClock } = await authorize()
    expect((await card.capture(await open(card, { ...later, idempotencyKey: 'unpaid' }))).status).toBe('unknown')
    await moveClock(7 * 86_400_000 + 60_000)
    expect(await card.lookup(sessionId)).toEqual({ status: 'declined', paymentId, reason: 'expired' })
    expect((await card.capture(sessionId)).status).toBe('unknown')
    expect(await books()).toEqual([])
  })

  test('is charged back a day after its capture by a card that disputes', async () => {
    const { card, sessionId, books, moveClock } = await authorize('4000000000000259')
    await moveClock(2 * 86_400_000)
    expect(await card.capture(sessionId)).toMatchObject({ status: 'settled' })
    await moveClock(4 * 86_400_000)
    await card.lookup(sessionId)
    expect((await books()).map(({ kind }) => kind)).toEqual(['capture', 'chargeback'])
  })

  test('is supported for saved cards', async () => {
    const world = await start()
    const token = await keep(world, '4242424242424242')
    const charged = await world.card.charge({ ...buildCharge(token, 'charge-1'), ...later })
    if (charged.status !== 'created') throw new Error(charged.reason)
    expect(await world.card.lookup(charged.sessionId)).toEqual(authorized)
    expect(await world.card.capture(charged.sessionId)).toMatchObject({ status: 'settled' })
  })
})

test('reversals are reported as in the books', async () => {
  const { connection, card, events, pay, steer } = await start()
  const sessionId = await open(card)
  await pay(sessionId, '4242424242424242')
  for (const action of ['dispute', 'win_dispute', 'refund']) await steer(sessionId, action)
  await expect.poll(() => events.length, patience).toBe(4)
  const books = await createSandboxReport(connection).lines(new Date(0), new Date('2100-01-01T00:00:00Z'))
  if (books.status !== 'known') throw new Error(books.reason)
  expect(books.lines.map(({ kind }) => kind)).toEqual(['capture', 'chargeback', 'chargeback_reversal', 'refund'])
  const told = events.flatMap((event) => (event.about === 'reversal' ? [event.line] : []))
  expect(new Set(told)).toEqual(new Set(books.lines.slice(1)))
})

describe('events', () => {
  const read = (type: string, data: object) => {
    const body = JSON.stringify({ id: 'evt_1', type, data })
    const seconds = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    const headers = { 'sandbox-signature': `t=${seconds},v1=${signature}` }
    return createSandboxEvents({ url: '', secret }).verify(body, headers, new Date())
  }
  const order = { reference: paymentId, amount_minor: '2500', currency: 'EUR' }
  const account = { token: 't', fingerprint: 'f', bank_name: 'B', last4: '1', currency: 'EUR', country: 'DE' }
  const occurred_at = '2026-03-02T09:00:00.000Z'

  test.each([
    ['checkout.paid', { ...order, session_id: 's', capture_id: 'c' }, 'payment'],
    ['checkout.authorized', { ...order, session_id: 's' }, 'payment'],
    ['checkout.declined', { reference: paymentId, session_id: 's' }, 'payment'],
    ['checkout.expired', { reference: paymentId, session_id: 's' }, 'payment'],
    ['debit.paid', { ...order, session_id: 's', capture_id: 'c' }, 'payment'],
    ['debit.canceled', { reference: paymentId, session_id: 's' }, 'payment'],
    ['payout.paid', { ...order, payout_id: 'p', paid_id: 'c' }, 'payout'],
    ['payout.returned', { ...order, payout_id: 'p', paid_id: 'c', return_id: 'r' }, 'payout'],
    ['bank_link.linked', { reference: paymentId, session_id: 's', account }, 'link'],
    ['reversal.created', { id: 'r', kind: 'refund', amount_minor: '5', currency: 'EUR', occurred_at }, 'reversal'],
  ])('of the type %s are read, and are an error when incomplete', (type, data, about) => {
    expect(read(type, data)).toMatchObject({ id: 'evt_1', about })
    for (const name of Object.keys(data)) {
      expect(() => read(type, { ...data, [name]: undefined })).toThrow('evt_1')
    }
  })

  test('of other types are ignored', () => {
    for (const type of ['checkout.opened', 'payout.', 'debit.paid.twice', 'xcheckout.paid']) {
      expect(read(type, order)).toEqual({ id: 'evt_1', about: 'unhandled', type })
    }
  })
})

test('no answer, errors and malformed answers are unknown, never a guess', async () => {
  const urls = [
    'http://localhost:9',
    await startServer(() => undefined),
    await serveReply(500, JSON.stringify({ error: { code: 'internal_error' } })),
    await serveReply(200, 'hello'),
  ]
  for (const url of urls) {
    const card = createSandboxCard({ url, secret, timeoutMs: 300 })
    expect((await card.charge(buildCharge('card_1', 'charge-1'))).status).toBe('unknown')
    expect((await card.cancel('cs_1')).status).toBe('unknown')
    expect(await card.forgetCard('card_1')).toBe(false)
  }
})
