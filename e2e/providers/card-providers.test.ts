import { createHmac } from 'node:crypto'
import { money } from '@tern/money/money'
import type { CardProvider, CheckoutRequest } from '@tern/providers/collect/port'
import { createSandboxCardProvider } from '@tern/providers/collect/sandbox-card'
import { createSandboxEvents } from '@tern/providers/events/sandbox'
import { createSandboxReportProvider } from '@tern/providers/report/sandbox'
import { describe, expect, test } from 'vitest'
import { serveReply, providerSecret, startServer, startProvider } from '@tern/testkit/providers/provider'

const secret = providerSecret
const paymentId = '019aa3c2-7b1e-7c44-9d0e-2f1c5a7e9b10'
const longTimeout = { timeout: 120_000 }

/** Starts a sandbox; collects its events, parsed by the adapter, and offers the actions of payers and operators. */
async function start() {
  const { connection, events } = await startProvider({ timeoutMs: 30_000 })
  const post = async (path: string, body: object = {}, method = 'POST'): Promise<void> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
    const response = await fetch(connection.url + path, { method, headers, body: JSON.stringify(body) })
    expect([path, response.status]).toEqual([path, 200])
  }
  return {
    connection,
    card: createSandboxCardProvider(connection),
    events,
    pay: (sessionId: string, number: string) =>
      post(`/api/checkout/${sessionId}/pay`, { card_number: number, expiry: '12/39', cvc: '123' }),
    confirm: (sessionId: string, approve: boolean) => post(`/api/checkout/${sessionId}/challenge`, { approve }),
    moveClock: (offsetMs: number) => post('/api/clock', { offsetMs }, 'PUT'),
    controlPayment: (sessionId: string, action: string) => post(`/api/control/payments/${sessionId}/${action}`),
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

async function openCheckout(card: CardProvider, overrides: Partial<CheckoutRequest> = {}) {
  const result = await card.createCheckout({ ...request, ...overrides })
  if (result.status !== 'created') throw new Error(result.reason)
  return result.sessionId
}

/** Saves the card with this number by a payment that is settled in any case; returns its token. */
async function tokenizeCard(
  { card, pay, controlPayment }: Awaited<ReturnType<typeof start>>,
  number: string,
): Promise<string> {
  const sessionId = await openCheckout(card, { idempotencyKey: `keep-${number}` })
  await pay(sessionId, number)
  await controlPayment(sessionId, 'settle')
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
    const sessionId = await openCheckout(card)
    await pay(sessionId, '4242424242424242')
    const state = await card.lookup(sessionId)
    const savedCard = { brand: 'Visa', last4: '4242', expMonth: 12, expYear: 2039 }
    expect(state).toMatchObject({ status: 'settled', card: savedCard })
    await expect.poll(() => events.length, longTimeout).toBe(1)
    expect(events[0]).toEqual({ id: events[0]?.id, about: 'payment', sessionId, state })

    const token = state.status === 'settled' ? (state.card?.token ?? '') : ''
    const chargeResult = await card.charge(buildCharge(token, 'charge-1'))
    if (chargeResult.status !== 'created') throw new Error(chargeResult.reason)
    expect(chargeResult.url).toBeNull()
    expect(await card.charge(buildCharge(token, 'charge-1'))).toEqual(chargeResult)
    expect(await card.lookup(chargeResult.sessionId)).toMatchObject({
      status: 'settled',
      paymentId,
      amount: request.amount,
    })
    const otherCharge = { ...buildCharge(token, 'charge-1'), amount: money('EUR', 2501n) }
    // An earlier request under this key may have been executed.
    expect((await card.charge(otherCharge)).status).toBe('unknown')
  })

  test('whose bank challenges the payer returns the address of the challenge', async () => {
    const world = await start()
    const { card, confirm } = world
    const chargeResult = await card.charge(buildCharge(await tokenizeCard(world, '4000000000003220'), 'charge-1'))
    if (chargeResult.status !== 'created') throw new Error(chargeResult.reason)
    expect(await (await fetch(chargeResult.url ?? '')).text()).toContain('Your bank asks you to confirm')
    expect(await card.lookup(chargeResult.sessionId)).toEqual({ status: 'open', paymentId })
    await confirm(chargeResult.sessionId, false)
    expect(await card.lookup(chargeResult.sessionId)).toEqual({ status: 'declined', paymentId, reason: 'declined' })
  })

  test.each([
    ['4000000000000002', 'declined'],
    ['4000000000009995', 'insufficient_funds'],
    ['4000000000000069', 'declined'],
    ['4000000000000119', 'declined'],
  ])('%s is declined with a known reason: %s', async (number, reason) => {
    const world = await start()
    const { card, events } = world
    const chargeResult = await card.charge(buildCharge(await tokenizeCard(world, number), 'charge-1'))
    if (chargeResult.status !== 'created') throw new Error(chargeResult.reason)
    const state = await card.lookup(chargeResult.sessionId)
    expect(state).toEqual({ status: 'declined', paymentId, reason })
    await expect.poll(() => events.length, longTimeout).toBe(2)
    // The two events may arrive in either order.
    const declinedEvent = { about: 'payment', sessionId: chargeResult.sessionId, state }
    expect(events).toContainEqual(expect.objectContaining(declinedEvent))
  })

  test('is deleted, idempotently, and then not charged', async () => {
    const world = await start()
    const token = await tokenizeCard(world, '4242424242424242')
    expect(await world.card.forgetCard(token)).toBe(true)
    expect(await world.card.forgetCard(token)).toBe(true)
    expect(await world.card.forgetCard('card_nobody')).toBe(true)
    expect((await world.card.charge(buildCharge(token, 'charge-1'))).status).toBe('refused')
  })
})

describe('a payment that does not end at once', () => {
  test('is open while the bank is silent, and cannot be canceled then', async () => {
    const { card, events, pay, controlPayment } = await start()
    const sessionId = await openCheckout(card)
    await pay(sessionId, '4000000000001505')
    expect(await card.lookup(sessionId)).toEqual({ status: 'open', paymentId, isProcessing: true })
    expect(await card.cancel(sessionId)).toEqual({ status: 'open', paymentId, isProcessing: true })
    await controlPayment(sessionId, 'fail')
    const failedState = { status: 'declined', paymentId, reason: 'failed' }
    expect(await card.lookup(sessionId)).toEqual(failedState)
    expect(await card.cancel(sessionId)).toEqual(failedState)
    await expect.poll(() => events.length, longTimeout).toBe(1)
    expect(events[0]).toMatchObject({ sessionId, state: failedState })
  })

  test('is canceled while open, and stays settled if already paid', async () => {
    const { card, pay } = await start()
    const canceledSessionId = await openCheckout(card, { idempotencyKey: 'one' })
    expect(await card.cancel(canceledSessionId)).toEqual({ status: 'declined', paymentId, reason: 'canceled' })
    const paidSessionId = await openCheckout(card, { idempotencyKey: 'two' })
    await pay(paidSessionId, '4242424242424242')
    expect(await card.cancel(paidSessionId)).toMatchObject({ status: 'settled', paymentId })
    expect((await card.cancel('cs_nobody')).status).toBe('unknown')
  })
})

describe('money that is captured later', () => {
  const captureLater = { capturesLater: true }
  const cardFingerprint = expect.stringMatching(/^fp_/) as string
  const authorizedState = { status: 'authorized', paymentId, amount: request.amount, cardFingerprint }

  async function authorize(number = '4242424242424242') {
    const world = await start()
    const sessionId = await openCheckout(world.card, captureLater)
    await world.pay(sessionId, number)
    const loadBooks = async () => {
      const report = await createSandboxReportProvider(world.connection).lines(
        new Date(0),
        new Date('2100-01-01T00:00:00Z'),
      )
      return report.status === 'known' ? report.lines : []
    }
    return { ...world, sessionId, loadBooks }
  }

  test('is authorized first, and taken once by however many captures', async () => {
    const { card, events, sessionId, loadBooks } = await authorize()
    expect(await card.lookup(sessionId)).toEqual(authorizedState)
    await expect.poll(() => events.length, longTimeout).toBe(1)
    expect(events[0]).toMatchObject({ about: 'payment', sessionId, state: authorizedState })
    expect(await loadBooks()).toEqual([])
    const states = await Promise.all([1, 2, 3].map(() => card.capture(sessionId)))
    expect(states).toEqual(Array(3).fill(expect.objectContaining({ status: 'settled', amount: request.amount })))
    expect((await loadBooks()).map(({ kind }) => kind)).toEqual(['capture'])
    await expect.poll(() => events.length, longTimeout).toBe(2)
    expect(await card.cancel(sessionId)).toEqual(states[0])
  })

  test('is released by a cancel, after which nothing can be captured', async () => {
    const { card, sessionId, loadBooks } = await authorize()
    const canceledState = { status: 'declined', paymentId, reason: 'canceled' }
    expect(await card.cancel(sessionId)).toEqual(canceledState)
    expect((await card.capture(sessionId)).status).toBe('unknown')
    expect(await card.lookup(sessionId)).toEqual(canceledState)
    expect(await loadBooks()).toEqual([])
  })

  test('can neither be captured before it is authorized nor a week after', async () => {
    const { card, sessionId, loadBooks, moveClock } = await authorize()
    expect((await card.capture(await openCheckout(card, { ...captureLater, idempotencyKey: 'unpaid' }))).status).toBe(
      'unknown',
    )
    await moveClock(7 * 86_400_000 + 60_000)
    expect(await card.lookup(sessionId)).toEqual({ status: 'declined', paymentId, reason: 'expired' })
    expect((await card.capture(sessionId)).status).toBe('unknown')
    expect(await loadBooks()).toEqual([])
  })

  test('is charged back a day after its capture by a card that disputes', async () => {
    const { card, sessionId, loadBooks, moveClock } = await authorize('4000000000000259')
    await moveClock(2 * 86_400_000)
    expect(await card.capture(sessionId)).toMatchObject({ status: 'settled' })
    await moveClock(4 * 86_400_000)
    await card.lookup(sessionId)
    expect((await loadBooks()).map(({ kind }) => kind)).toEqual(['capture', 'chargeback'])
  })

  test('is supported for saved cards', async () => {
    const world = await start()
    const token = await tokenizeCard(world, '4242424242424242')
    const chargeResult = await world.card.charge({ ...buildCharge(token, 'charge-1'), ...captureLater })
    if (chargeResult.status !== 'created') throw new Error(chargeResult.reason)
    expect(await world.card.lookup(chargeResult.sessionId)).toEqual(authorizedState)
    expect(await world.card.capture(chargeResult.sessionId)).toMatchObject({ status: 'settled' })
  })
})

test('reversals are reported as in the books', async () => {
  const { connection, card, events, pay, controlPayment } = await start()
  const sessionId = await openCheckout(card)
  await pay(sessionId, '4242424242424242')
  for (const action of ['dispute', 'win_dispute', 'refund']) await controlPayment(sessionId, action)
  await expect.poll(() => events.length, longTimeout).toBe(4)
  const report = await createSandboxReportProvider(connection).lines(new Date(0), new Date('2100-01-01T00:00:00Z'))
  if (report.status !== 'known') throw new Error(report.reason)
  expect(report.lines.map(({ kind }) => kind)).toEqual(['capture', 'chargeback', 'chargeback_reversal', 'refund'])
  const reportedLines = events.flatMap((event) => (event.about === 'reversal' ? [event.line] : []))
  expect(new Set(reportedLines)).toEqual(new Set(report.lines.slice(1)))
})

describe('events', () => {
  const parseEvent = (type: string, data: object) => {
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
    expect(parseEvent(type, data)).toMatchObject({ id: 'evt_1', about })
    for (const name of Object.keys(data)) {
      expect(() => parseEvent(type, { ...data, [name]: undefined })).toThrow('evt_1')
    }
  })

  test('of other types are ignored', () => {
    for (const type of ['checkout.opened', 'payout.', 'debit.paid.twice', 'xcheckout.paid']) {
      expect(parseEvent(type, order)).toEqual({ id: 'evt_1', about: 'unhandled', type })
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
    const card = createSandboxCardProvider({ url, secret, timeoutMs: 300 })
    expect((await card.charge(buildCharge('card_1', 'charge-1'))).status).toBe('unknown')
    expect((await card.cancel('cs_1')).status).toBe('unknown')
    expect(await card.forgetCard('card_1')).toBe(false)
  }
})
