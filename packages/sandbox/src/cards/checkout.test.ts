import { describe, expect, test } from 'vitest'
import { passesLuhn } from './cards.ts'
import {
  decliningCard,
  goodCard,
  goodSession,
  openSession,
  startReceiver,
  startTestSandbox,
  listInvalidFields,
} from '../test-sandbox.ts'

const keyHeader = { 'idempotency-key': 'key-1' }

describe('opening a session', () => {
  test('returns the session and its page', async () => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('POST', '/api/checkout/sessions', { body: goodSession, headers: keyHeader })
    expect(answer.status).toBe(201)
    const id = String(answer.json['session_id'])
    expect(answer.json['url']).toBe(`${sandbox.url}/checkout/${id}`)
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json).toEqual({
      session_id: id,
      status: 'open',
      amount_minor: '10000',
      currency: 'USD',
      reference: 'payment-1',
    })
  })

  test('is idempotent by key and refuses another request under it', async () => {
    const sandbox = await startTestSandbox()
    expect(await openSession(sandbox)).toBe(await openSession(sandbox))
    expect(await openSession(sandbox, {}, 'key-2')).not.toBe(await openSession(sandbox))
    const other = await sandbox.call('POST', '/api/checkout/sessions', {
      body: { ...goodSession, amount_minor: '10001' },
      headers: keyHeader,
    })
    expect(other.status).toBe(422)
    expect(other.json['error']).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('needs the secret and a key', async () => {
    const sandbox = await startTestSandbox()
    const open = (options: object) => sandbox.call('POST', '/api/checkout/sessions', { body: goodSession, ...options })
    expect((await open({ headers: keyHeader, secret: 'wrong' })).status).toBe(401)
    expect((await open({ headers: keyHeader, secret: null })).status).toBe(401)
    const keylessReply = await open({})
    expect(keylessReply.status).toBe(400)
    expect(keylessReply.json['error']).toMatchObject({ code: 'idempotency_key_missing' })
    expect((await open({ headers: { 'idempotency-key': 'x'.repeat(201) } })).status).toBe(400)
    const id = await openSession(sandbox)
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`, { secret: null })).status).toBe(401)
  })

  test.each([
    ['amount_minor', 100],
    ['amount_minor', '-100'],
    ['amount_minor', '0'],
    ['amount_minor', '1.5'],
    ['amount_minor', '1'.repeat(13)],
    ['amount_minor', undefined],
    ['currency', 'usd'],
    ['currency', 'BTC'],
    ['currency', 'constructor'],
    ['reference', ''],
    ['reference', 'x'.repeat(101)],
    ['reference', 'a\0b'],
    ['description', 'x'.repeat(201)],
    ['return_url', 'javascript:alert(1)'],
    ['return_url', '/deposit'],
    ['return_url', 'https://user:password@example.com/'],
    ['return_url', `https://example.com/${'x'.repeat(2000)}`],
  ])('refuses %s %j by name', async (field, value) => {
    const sandbox = await startTestSandbox()
    const body = { ...goodSession, [field]: value }
    const answer = await sandbox.call('POST', '/api/checkout/sessions', { body, headers: keyHeader })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
  })

  test('refuses anything but a JSON object', async () => {
    const sandbox = await startTestSandbox()
    for (const raw of ['', '{', '[]', '"x"', 'null']) {
      const answer = await sandbox.call('POST', '/api/checkout/sessions', { raw, headers: keyHeader })
      expect([raw, answer.status]).toEqual([raw, 400])
      expect(answer.json['error']).toMatchObject({ code: 'malformed_request' })
    }
    const largeReply = await sandbox.call('POST', '/api/checkout/sessions', { raw: `"${'x'.repeat(1_100_000)}"` })
    expect(largeReply.status).toBe(413)
  })
})

describe('paying', () => {
  test('captures once, however often requested', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const pay = () => sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard, secret: null })
    const answers = await Promise.all([pay(), pay(), pay()])
    for (const { status, json } of answers) {
      expect(status).toBe(200)
      expect(json).toEqual({
        status: 'paid',
        return_url: 'http://localhost:3000/deposit?step=done&payment_success=true&payment_id=payment-1',
      })
    }
    const session = (await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json
    expect(session).toMatchObject({ status: 'paid', capture_id: expect.stringMatching(/^cap_/) as string })
    await receiver.waitForEvents(1)
    await sandbox.stop()
    expect(receiver.received).toHaveLength(1)
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: 'checkout.paid',
      data: {
        session_id: id,
        reference: 'payment-1',
        amount_minor: '10000',
        currency: 'USD',
        capture_id: session['capture_id'],
      },
    })
  })

  test('accepts another card after a decline', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const pay = (body: object) => sandbox.call('POST', `/api/checkout/${id}/pay`, { body, secret: null })
    const declinedReply = await pay(decliningCard)
    expect(declinedReply.status).toBe(200)
    expect(declinedReply.json).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('declined') as string,
    })
    const declinedPayment = await pay({ ...goodCard, card_number: '4000000000009995' })
    expect(declinedPayment.json).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('enough money') as string,
    })
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json['status']).toBe('open')
    expect((await pay(goodCard)).json['status']).toBe('paid')
    await receiver.waitForEvents(1)
    await sandbox.stop()
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['checkout.paid'])
  })

  test.each([
    ['card_number', '4242 4242 4242 4241'],
    ['card_number', '5555 5555 5555 4444'],
    ['card_number', ''],
    ['card_number', 'x'.repeat(50)],
    ['card_number', 4_242_424_242_424_242],
    ['expiry', '13/39'],
    ['expiry', '1239'.repeat(4)],
    ['expiry', '01/20'],
    ['expiry', undefined],
    ['cvc', '12'],
    ['cvc', '12345'],
    ['cvc', 'abc'],
  ])('refuses %s %j by name and takes nothing', async (field, value) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    const answer = await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: { ...goodCard, [field]: value } })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json['status']).toBe('open')
  })

  test('accepts a card until the end of its last month', async () => {
    const sandbox = await startTestSandbox()
    await sandbox.call('PUT', '/api/clock', { body: { now: '2032-02-29T23:55:00Z' } })
    const id = await openSession(sandbox)
    const payWithCard = (expiry: string) =>
      sandbox.call('POST', `/api/checkout/${id}/pay`, { body: { ...goodCard, expiry } })
    expect((await payWithCard('01/2032')).status).toBe(422)
    expect((await payWithCard('02/2032')).json['status']).toBe('paid')
  })

  test("checks the card number's check digit", () => {
    expect(passesLuhn('4242424242424242')).toBe(true)
    expect(passesLuhn('4242424242424224')).toBe(false)
  })
})

describe('ending without money', () => {
  test('canceling redirects the payer, notifies the product once, and refuses later cards', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    const cancel = () => sandbox.call('POST', `/api/checkout/${id}/cancel`, { secret: null })
    const address = 'http://localhost:3000/deposit?step=done&payment_canceled=true&payment_id=payment-1'
    expect((await cancel()).json).toEqual({ return_url: address })
    expect((await cancel()).json).toEqual({ return_url: address })
    const latePayment = await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
    expect(latePayment.status).toBe(409)
    expect(latePayment.json['error']).toMatchObject({ code: 'session_ended' })
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json).toMatchObject({ status: 'canceled' })
    await receiver.waitForEvents(1)
    await sandbox.stop()
    expect(receiver.received).toHaveLength(1)
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: 'checkout.canceled',
      data: { session_id: id, capture_id: null, reason: 'canceled' },
    })
  })

  test('a paid session cannot be canceled', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
    const answer = await sandbox.call('POST', `/api/checkout/${id}/cancel`)
    expect(answer.json['return_url']).toContain('payment_success=true')
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json).toMatchObject({ status: 'paid' })
  })

  test('an hour on the sandbox clock ends it, and notifies the product', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await openSession(sandbox)
    await sandbox.call('PUT', '/api/clock', { body: { offsetMs: 59 * 60 * 1000 } })
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json).toMatchObject({ status: 'open' })
    await sandbox.call('PUT', '/api/clock', { body: { offsetMs: 61 * 60 * 1000 } })
    await receiver.waitForEvents(1)
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: 'checkout.failed',
      data: { reason: 'expired' },
    })
    const latePayment = await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
    expect(latePayment.status).toBe(409)
    expect(latePayment.json['error']).toMatchObject({ code: 'session_expired' })
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json).toMatchObject({ status: 'expired' })
  })

  test('an unknown session is not found by any call', async () => {
    const sandbox = await startTestSandbox()
    const answers = await Promise.all([
      sandbox.call('GET', '/api/checkout/sessions/cs_nobody'),
      sandbox.call('POST', '/api/checkout/cs_nobody/pay', { body: goodCard }),
      sandbox.call('POST', '/api/checkout/cs_nobody/cancel'),
      sandbox.call('GET', '/checkout/cs_nobody'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})

describe('the hosted page', () => {
  const form = (fields: object): { raw: string; headers: Record<string, string>; secret: null } => ({
    raw: new URLSearchParams(Object.entries(fields)).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    secret: null,
  })

  test('shows merchant, exact amount and description as text, under a strict policy', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { amount_minor: '123456789012', description: '<b>"rent" & more</b>' })
    const page = await sandbox.call('GET', `/checkout/${id}`, { secret: null })
    expect(page.status).toBe(200)
    expect(page.text).toContain('$1,234,567,890.12')
    expect(page.text).toContain('&lt;b&gt;&quot;rent&quot; &amp; more&lt;/b&gt;')
    expect(page.text).toContain('no real money')
    expect(page.text).not.toMatch(/<script(?! src=)|style=|onclick/)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`form-action 'self' http://localhost:3000;`)
    expect(policy).not.toContain('unsafe')
  })

  test.each([
    ['JPY', '10000', '¥10,000'],
    ['EUR', '5', '€0.05'],
  ])('shows %s with its own decimals', async (currency, minor, expected) => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { currency, amount_minor: minor })
    expect((await sandbox.call('GET', `/checkout/${id}`)).text).toContain(`Pay ${expected}<`)
  })

  test('works without script: errors, a declined card, then payment', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    const invalidReply = await sandbox.call('POST', `/checkout/${id}`, form({ ...goodCard, cvc: '', action: 'pay' }))
    expect(invalidReply.status).toBe(422)
    expect(invalidReply.text).toContain('Enter the security code.')
    const declinedReply = await sandbox.call('POST', `/checkout/${id}`, form({ ...decliningCard, action: 'pay' }))
    expect(declinedReply.text).toContain('Your card was declined.')
    expect(declinedReply.text).not.toContain('4000 0000 0000 0002" ')
    const paidReply = await sandbox.call('POST', `/checkout/${id}`, form({ ...goodCard, action: 'pay' }))
    expect(paidReply.status).toBe(303)
    expect(paidReply.headers.get('location')).toContain('payment_success=true')
    const reloaded = await sandbox.call('GET', `/checkout/${id}`)
    expect(reloaded.text).toContain('This payment is complete.')
    expect(reloaded.text).not.toContain('<form')
  })

  test('cancels without script', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    const canceled = await sandbox.call('POST', `/checkout/${id}`, form({ action: 'cancel' }))
    expect(canceled.status).toBe(303)
    expect(canceled.headers.get('location')).toContain('payment_canceled=true')
  })
})
