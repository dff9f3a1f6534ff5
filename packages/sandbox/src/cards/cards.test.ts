import { describe, expect, test } from 'vitest'
import { passesLuhn, testCards } from './cards.ts'
import { allLines } from '../banks/test-banks.ts'
import {
  cards,
  charge,
  dayMs,
  parseEvents,
  buildForm,
  fetchSession,
  minuteMs,
  moveClock,
  pay,
} from './test-payments.ts'
import { openSession, startReceiver, startTestSandbox, type TestSandbox, listInvalidFields } from '../test-sandbox.ts'

const readToken = ({ card }: Record<string, unknown>): string => (card as { token: string }).token

/** Pays with a card and saves it; returns the saved card's token. */
async function saveCard(sandbox: TestSandbox, number: string, key = `keep-${number}`): Promise<string> {
  const id = await openSession(sandbox, { save_card: true, reference: key }, key)
  await pay(sandbox, id, number)
  if (number === cards.challenge) {
    await sandbox.call('POST', `/api/checkout/${id}/challenge`, { body: { approve: true }, secret: null })
  }
  return readToken(await fetchSession(sandbox, id))
}

test('test cards have valid, distinct numbers and last four digits', () => {
  expect(testCards.filter(({ number }) => !passesLuhn(number))).toEqual([])
  expect(new Set(testCards.map(({ number }) => number.slice(-4))).size).toBe(testCards.length)
})

describe('a declined card', () => {
  test.each([
    ['declined', 'was declined'],
    ['poor', 'enough money'],
    ['expired', 'has expired'],
    ['wrongCode', 'security code is wrong'],
    ['stolen', 'was declined'],
    ['fault', 'could not process'],
  ] as const)('%s takes nothing, sends no event, and leaves the session open', async (name, message) => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const answer = await pay(sandbox, id, cards[name])
    expect(answer.json).toEqual({
      status: 'failed',
      return_url: null,
      message: expect.stringContaining(message) as string,
    })
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'open' })
    expect((await pay(sandbox, id, cards.good)).json['status']).toBe('paid')
    await receiver.waitForEvents(1)
    await sandbox.stop()
    expect(parseEvents(receiver.received).map(({ type }) => type)).toEqual(['checkout.paid'])
  })
})

describe('a challenge', () => {
  const answer = (sandbox: TestSandbox, id: string, approve: unknown) =>
    sandbox.call('POST', `/api/checkout/${id}/challenge`, { body: { approve }, secret: null })

  test('charges only when the payer confirms', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    expect((await pay(sandbox, id, cards.challenge)).json).toEqual({ status: 'challenge', return_url: null })
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'open' })
    expect(await allLines(sandbox)).toEqual([])
    const approvedReply = await answer(sandbox, id, true)
    expect(approvedReply.json).toMatchObject({ status: 'paid' })
    expect(approvedReply.json['return_url']).toContain('payment_success=true')
    expect((await answer(sandbox, id, true)).json).toEqual(approvedReply.json)
    expect((await answer(sandbox, id, false)).json).toEqual(approvedReply.json)
    expect(await allLines(sandbox)).toHaveLength(1)
  })

  test('that fails leaves the hosted page open for another card', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    await pay(sandbox, id, cards.challenge)
    expect((await answer(sandbox, id, false)).json).toMatchObject({ status: 'failed', return_url: null })
    expect((await answer(sandbox, id, true)).status).toBe(409)
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'open' })
    expect((await pay(sandbox, id, cards.good)).json['status']).toBe('paid')
  })

  test('accepts yes or no, only while one is pending', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    expect((await answer(sandbox, id, true)).status).toBe(409)
    await pay(sandbox, id, cards.challenge)
    expect(listInvalidFields(await answer(sandbox, id, 'yes'))).toEqual(['approve'])
    expect(listInvalidFields(await answer(sandbox, id, undefined))).toEqual(['approve'])
    await moveClock(sandbox, 61 * minuteMs)
    expect((await answer(sandbox, id, true)).status).toBe(409)
    expect(await allLines(sandbox)).toEqual([])
  })

  test.each([
    ['approve', 303, 'payment_success=true'],
    ['fail', 200, 'Your bank did not confirm'],
  ])('has its own page, which works without script: %s', async (action, status, message) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    const card = { card_number: cards.challenge, expiry: '12/39', cvc: '123', action: 'pay' }
    const attempt = await sandbox.call('POST', `/checkout/${id}`, buildForm(card))
    expect([attempt.status, attempt.headers.get('location')]).toEqual([303, `/checkout/${id}`])
    const page = await sandbox.call('GET', `/checkout/${id}`, { secret: null })
    expect(page.text).toContain('Your bank asks you to confirm')
    expect(page.text).not.toContain('<script')
    expect(page.text).not.toContain('name="card_number"')
    const answerReply = await sandbox.call('POST', `/checkout/${id}`, buildForm({ action }))
    expect(answerReply.status).toBe(status)
    expect(`${answerReply.headers.get('location')} ${answerReply.text}`).toContain(message)
  })
})

describe('a bank that does not answer', () => {
  test('keeps the payment in processing, returns the browser with success, and fails after 15 minutes', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const answer = await pay(sandbox, id, cards.timeout)
    expect(answer.json['status']).toBe('processing')
    expect(answer.json['return_url']).toContain('payment_success=true')
    expect((await pay(sandbox, id, cards.good)).json).toEqual(answer.json)
    const canceled = await sandbox.call('POST', `/api/checkout/sessions/${id}/cancel`)
    expect(canceled.json).toMatchObject({ status: 'processing' })
    await moveClock(sandbox, 14 * minuteMs)
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'processing' })
    await moveClock(sandbox, 16 * minuteMs)
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'failed', reason: 'timed_out' })
    await receiver.waitForEvents(1)
    expect(parseEvents(receiver.received)).toMatchObject([{ type: 'checkout.failed', data: { capture_id: null } }])
    expect(await allLines(sandbox)).toEqual([])
  })

  test('may succeed late: the browser returns canceled, and the money arrives after 10 minutes', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const answer = await pay(sandbox, id, cards.late)
    expect(answer.json['status']).toBe('processing')
    expect(answer.json['return_url']).toContain('payment_canceled=true')
    const before = await sandbox.call('POST', `/api/checkout/${id}/cancel`, { secret: null })
    expect(before.json['return_url']).toBe(answer.json['return_url'])
    await moveClock(sandbox, 3 * 60 * minuteMs)
    const { capture_id: captureId, ...session } = await fetchSession(sandbox, id)
    expect(session).toMatchObject({ status: 'paid' })
    await receiver.waitForEvents(1)
    expect(parseEvents(receiver.received)).toMatchObject([{ type: 'checkout.paid', data: { capture_id: captureId } }])
    // The movement has the time at which it was due, not the time at which the clock was moved.
    const [line] = await allLines(sandbox)
    const delayMs = new Date(String(line?.['occurred_at'])).getTime() - Date.now()
    expect(line).toMatchObject({ id: captureId, kind: 'capture', reference: 'payment-1' })
    expect(delayMs).toBeGreaterThan(8 * minuteMs)
    expect(delayMs).toBeLessThan(11 * minuteMs)
  })

  test('shows the payer that it is being processed', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    await pay(sandbox, id, cards.timeout)
    const page = await sandbox.call('GET', `/checkout/${id}`, { secret: null })
    expect(page.text).toContain('Being processed')
    expect(page.text).not.toContain('<form')
  })
})

test('a disputed card pays, and is charged back once, a day later', async () => {
  const receiver = await startReceiver()
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
  const id = await openSession(sandbox)
  expect((await pay(sandbox, id, cards.dispute)).json['status']).toBe('paid')
  await receiver.waitForEvents(1)
  await moveClock(sandbox, dayMs - minuteMs)
  expect(await allLines(sandbox)).toHaveLength(1)
  await moveClock(sandbox, dayMs + minuteMs)
  await moveClock(sandbox, 3 * dayMs)
  const lines = await allLines(sandbox)
  expect(lines.map(({ kind }) => kind)).toEqual(['capture', 'chargeback'])
  await receiver.waitForEvents(2)
  expect(parseEvents(receiver.received).at(-1)).toMatchObject({ type: 'reversal.created', data: lines[1] })
  expect(lines[1]).toMatchObject({ reference: 'payment-1', amount_minor: '10000', currency: 'USD' })
  expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'paid' })
})

describe('a card is saved', () => {
  test('when product and payer agree, under a token and without its number', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox, { save_card: true })
    await pay(sandbox, id, cards.good, { save_card: true })
    const { card } = await fetchSession(sandbox, id)
    expect(card).toEqual({
      token: expect.stringMatching(/^card_/) as string,
      fingerprint: expect.stringMatching(/^fp_/) as string,
      brand: 'Visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2039,
    })
    await receiver.waitForEvents(1)
    expect(parseEvents(receiver.received)).toMatchObject([{ data: { card } }])
  })

  test.each([
    ['the payer does not agree', true, false],
    ['the product did not ask', false, true],
  ])('not when %s', async (_case, isRequested, hasConsent) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { save_card: isRequested })
    await pay(sandbox, id, cards.good, { save_card: hasConsent })
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'paid' })
    expect(await fetchSession(sandbox, id)).not.toHaveProperty('card')
  })

  test('with one fingerprint per number, under different tokens', async () => {
    const sandbox = await startTestSandbox()
    const savedCards = await Promise.all(
      ['one', 'two', 'other'].map(async (key) => {
        const id = await openSession(sandbox, { save_card: true }, key)
        await pay(sandbox, id, key === 'other' ? cards.dispute : cards.good)
        return (await fetchSession(sandbox, id))['card'] as { token: string; fingerprint: string }
      }),
    )
    expect(new Set(savedCards.map(({ token }) => token)).size).toBe(3)
    expect(savedCards[0]?.fingerprint).toBe(savedCards[1]?.fingerprint)
    expect(savedCards[2]?.fingerprint).not.toBe(savedCards[1]?.fingerprint)
  })

  test.each([
    ['ticked', { save_card: 'yes' }, true],
    ['not ticked', {}, false],
  ])('by a checkbox that is %s', async (_case, checkboxState, isSaved) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { save_card: true })
    const page = await sandbox.call('GET', `/checkout/${id}`, { secret: null })
    expect(page.text).toMatch(/name="save_card"\s+type="checkbox"\s+value="yes"\s+checked/)
    const card = { card_number: cards.good, expiry: '12/39', cvc: '123', action: 'pay', ...checkboxState }
    await sandbox.call('POST', `/checkout/${id}`, buildForm(card))
    expect('card' in (await fetchSession(sandbox, id))).toBe(isSaved)
    const plainSession = await openSession(sandbox, {}, 'plain')
    expect((await sandbox.call('GET', `/checkout/${plainSession}`, { secret: null })).text).not.toContain('save_card')
  })

  test.each([
    ['yes', true],
    ['', false],
  ])('by the payer’s choice before a failed challenge: %j', async (choice, isTicked) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { save_card: true })
    const card = { card_number: cards.challenge, expiry: '12/39', cvc: '123', action: 'pay', save_card: choice }
    await sandbox.call('POST', `/checkout/${id}`, buildForm(card))
    const failed = await sandbox.call('POST', `/checkout/${id}`, buildForm({ action: 'fail' }))
    expect(/value="yes"\s+checked/.test(failed.text)).toBe(isTicked)
    const invalidReply = await sandbox.call('POST', `/checkout/${id}`, buildForm({ ...card, cvc: '' }))
    expect(/value="yes"\s+checked/.test(invalidReply.text)).toBe(isTicked)
  })

  test('only as the first idempotent request states', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { save_card: true })
    expect(await openSession(sandbox, { save_card: true })).toBe(id)
    expect(await openSession(sandbox)).toBe('undefined')
    expect(await openSession(sandbox, { save_card: 'yes' }, 'other')).toBe('undefined')
  })
})

describe('a saved card is charged', () => {
  test('once per key, without the payer', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const token = await saveCard(sandbox, cards.good)
    await receiver.waitForEvents(1)
    const answers = await Promise.all(
      [1, 2, 3].map(() => charge(sandbox, token, 'charge-1', { reference: 'charge-1' })),
    )
    const { status, json } = answers[0]!
    expect(answers.map((answer) => answer.json)).toEqual([json, json, json])
    expect(status).toBe(201)
    expect(json).toEqual({ session_id: expect.stringMatching(/^cs_/) as string, status: 'paid', url: null })
    const session = await fetchSession(sandbox, String(json['session_id']))
    expect(session).toMatchObject({ status: 'paid', reference: 'charge-1' })
    expect(session).not.toHaveProperty('card')
    await receiver.waitForEvents(2)
    await sandbox.stop()
    expect(parseEvents(receiver.received).map(({ data }) => data['reference'])).toEqual([
      'keep-4242424242424242',
      'charge-1',
    ])
  })

  test('after a challenge, if its bank requires one', async () => {
    const sandbox = await startTestSandbox()
    const token = await saveCard(sandbox, cards.challenge)
    for (const [key, approve, status] of [
      ['yes', true, 'paid'],
      ['no', false, 'declined'],
    ] as const) {
      const { json } = await charge(sandbox, token, key)
      const id = String(json['session_id'])
      expect(json).toEqual({ session_id: id, status: 'open', url: `${sandbox.url}/checkout/${id}` })
      const page = await sandbox.call('GET', `/checkout/${id}`, { secret: null })
      expect(page.text).toContain('Your bank asks you to confirm')
      expect((await pay(sandbox, id, cards.good)).status).toBe(409)
      const answer = await sandbox.call('POST', `/api/checkout/${id}/challenge`, { body: { approve }, secret: null })
      expect(answer.json).toMatchObject({ status })
      expect(answer.json['return_url']).toContain(approve ? 'payment_success=true' : 'payment_canceled=true')
      expect(await fetchSession(sandbox, id)).toMatchObject({ status })
    }
  })

  test.each([
    ['timeout', 'processing'],
    ['late', 'processing'],
    ['dispute', 'paid'],
  ] as const)('with the behavior of its number: %s', async (name, status) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { save_card: true })
    await pay(sandbox, id, cards[name])
    if (status === 'processing') await sandbox.call('POST', `/api/control/payments/${id}/settle`)
    const token = readToken(await fetchSession(sandbox, id))
    expect((await charge(sandbox, token, 'charge')).json).toMatchObject({ status, url: null })
  })

  test('or declined with an event, also when expired', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const decliningSession = await openSession(sandbox, { save_card: true }, 'declining')
    await pay(sandbox, decliningSession, cards.poor)
    await sandbox.call('POST', `/api/control/payments/${decliningSession}/settle`)
    await receiver.waitForEvents(1)
    const token = readToken(await fetchSession(sandbox, decliningSession))
    const { json } = await charge(sandbox, token, 'charge', { reference: 'charge' })
    expect(json).toMatchObject({ status: 'declined', url: null })
    expect(await fetchSession(sandbox, String(json['session_id']))).toMatchObject({ reason: 'insufficient_funds' })
    await receiver.waitForEvents(2)
    expect(parseEvents(receiver.received).at(-1)).toMatchObject({
      type: 'checkout.declined',
      data: { reference: 'charge', status: 'declined', reason: 'insufficient_funds', capture_id: null },
    })
    const goodToken = await saveCard(sandbox, cards.good)
    await sandbox.call('PUT', '/api/clock', { body: { now: '2040-01-01T00:00:00Z' } })
    expect((await charge(sandbox, goodToken, 'late')).json).toMatchObject({ status: 'declined' })
  })

  test('no more once deleted; deleting is idempotent', async () => {
    const sandbox = await startTestSandbox()
    const token = await saveCard(sandbox, cards.good)
    const forgetCard = (name: string) => sandbox.call('POST', `/api/cards/${name}/forget`)
    expect((await forgetCard(token)).status).toBe(200)
    expect((await forgetCard(token)).status).toBe(200)
    expect((await forgetCard('card_nobody')).status).toBe(404)
    expect((await charge(sandbox, token, 'charge')).status).toBe(404)
    expect((await charge(sandbox, 'card_nobody', 'charge')).status).toBe(404)
    expect(await allLines(sandbox)).toHaveLength(1)
  })

  test('only with the secret, a key and a complete request', async () => {
    const sandbox = await startTestSandbox()
    const token = await saveCard(sandbox, cards.good)
    expect((await sandbox.call('POST', '/api/charges', { body: {}, secret: null })).status).toBe(401)
    expect((await sandbox.call('POST', `/api/cards/${token}/forget`, { secret: null })).status).toBe(401)
    expect((await sandbox.call('POST', '/api/charges', { body: {} })).status).toBe(400)
    expect(listInvalidFields(await charge(sandbox, '', 'one', { amount_minor: '0' }))).toEqual([
      'amount_minor',
      'card_token',
    ])
    await charge(sandbox, token, 'two')
    expect((await charge(sandbox, token, 'two', { amount_minor: '10001' })).status).toBe(422)
  })
})

describe('the product cancels a session', () => {
  test('that is open, once', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const cancel = () => sandbox.call('POST', `/api/checkout/sessions/${id}/cancel`)
    expect((await cancel()).json).toEqual(await fetchSession(sandbox, id))
    expect((await cancel()).json).toMatchObject({ status: 'canceled', reason: 'canceled' })
    expect((await pay(sandbox, id, cards.good)).status).toBe(409)
    await receiver.waitForEvents(1)
    await sandbox.stop()
    expect(receiver.received).toHaveLength(1)
  })

  test('but not a paid one, nor without the secret', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    const path = `/api/checkout/sessions/${id}/cancel`
    expect((await sandbox.call('POST', path, { secret: null })).status).toBe(401)
    await pay(sandbox, id, cards.good)
    expect((await sandbox.call('POST', path)).json).toMatchObject({ status: 'paid' })
  })
})
