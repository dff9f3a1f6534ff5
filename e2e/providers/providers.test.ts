import { createHmac } from 'node:crypto'
import { currencyCodes } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { ratio } from '@tern/money/ratio'
import type { CardProvider } from '@tern/providers/collect/port'
import { withCallDeadline } from '@tern/providers/deadline'
import { createSandboxCardProvider } from '@tern/providers/collect/sandbox-card'
import { createSandboxClock } from '@tern/providers/clock/sandbox'
import { SignatureError } from '@tern/providers/events/port'
import { createSandboxEvents } from '@tern/providers/events/sandbox'
import type { IdentityFile } from '@tern/providers/verify/port'
import { createSandboxIdentityProvider } from '@tern/providers/verify/sandbox'
import { createSandboxMailProvider } from '@tern/providers/mail/sandbox'
import { createSandboxRatesProvider } from '@tern/providers/rates/sandbox'
import type { SandboxConnection } from '@tern/providers/sandbox-http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveReply, providerSecret, startServer, startProvider } from '@tern/testkit/providers/provider'

const secret = providerSecret

async function start() {
  const { connection, delivered } = await startProvider({ timeoutMs: 30_000 })
  return { connection, delivered, card: createSandboxCardProvider(connection), events: createSandboxEvents(connection) }
}

const request = {
  paymentId: '019aa3c2-7b1e-7c44-9d0e-2f1c5a7e9b10',
  amount: money('EUR', 2500n),
  description: 'Deposit',
  returnUrl: 'http://localhost:3000/deposit',
  idempotencyKey: 'payment-1',
  saveCard: false,
}

async function openCheckout(card: CardProvider) {
  const result = await card.createCheckout(request)
  if (result.status !== 'created') throw new Error(result.reason)
  return result
}

async function actInBrowser({ url }: SandboxConnection, sessionId: string, action: 'pay' | 'cancel'): Promise<void> {
  const response = await fetch(`${url}/api/checkout/${sessionId}/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ card_number: '4242424242424242', expiry: '12/39', cvc: '123' }),
  })
  expect(response.status).toBe(200)
}

describe('cards', () => {
  test('a checkout is opened once, paid, reported by a signed event, and looked up', async () => {
    const { connection, delivered, card, events } = await start()
    const { sessionId, url } = await openCheckout(card)
    expect(await openCheckout(card)).toEqual({ status: 'created', sessionId, url })
    expect((await fetch(url)).status).toBe(200)
    expect(await card.lookup(sessionId)).toEqual({ status: 'open', paymentId: request.paymentId })

    await actInBrowser(connection, sessionId, 'pay')
    const { body, headers } = await delivered
    const event = events.verify(body, headers, new Date())
    const state = await card.lookup(sessionId)
    const { paymentId, amount } = request
    expect(state).toMatchObject({ status: 'settled', paymentId, amount, captureId: expect.stringMatching(/^cap_/) })
    expect(event).toEqual({ id: event.id, about: 'payment', sessionId, state })
  })

  test('a canceled checkout is declined by event and lookup', async () => {
    const { connection, delivered, card, events } = await start()
    const { sessionId } = await openCheckout(card)
    await actInBrowser(connection, sessionId, 'cancel')
    const { body, headers } = await delivered
    const state = { status: 'declined', reason: 'canceled', paymentId: request.paymentId }
    expect(events.verify(Buffer.from(body), headers, new Date())).toMatchObject({ about: 'payment', state })
    expect(await card.lookup(sessionId)).toEqual(state)
  })

  test('an expired checkout is declined', async () => {
    const { connection, delivered, card, events } = await start()
    const { sessionId } = await openCheckout(card)
    const clock = createSandboxClock(connection)
    onTestFinished(() => clock.stop())
    await clock.set(new Date(Date.now() + 2 * 60 * 60 * 1000))
    const { body, headers } = await delivered
    const state = { status: 'declined', reason: 'expired' }
    expect(events.verify(body, headers, new Date())).toMatchObject({ state })
    expect(await card.lookup(sessionId)).toMatchObject(state)
  })

  test('rejections of the sandbox are refusals, and unknown sessions are unknown', async () => {
    const { card } = await start()
    expect((await card.createCheckout({ ...request, amount: money('BTC', 1n) })).status).toBe('refused')
    await openCheckout(card)
    // An earlier request under this key may have been executed.
    expect((await card.createCheckout({ ...request, amount: money('EUR', 2501n) })).status).toBe('unknown')
    expect((await card.lookup('cs_nobody')).status).toBe('unknown')
  })

  test('no answer, errors and malformed answers are unknown, never a guess', async () => {
    const silentServer = await startServer(() => {})
    const urls = [
      'http://localhost:9',
      silentServer,
      await serveReply(500, JSON.stringify({ error: { code: 'internal_error' } })),
      await serveReply(503, 'busy'),
      await serveReply(429, JSON.stringify({ error: { code: 'too_many' } })),
      await serveReply(200, 'hello'),
      await serveReply(200, '{}'),
      await serveReply(404, '<html>'),
      await serveReply(200, JSON.stringify({ status: 'paid', reference: 'p', amount_minor: '-5', currency: 'EUR' })),
      await serveReply(200, JSON.stringify({ status: 'paid', reference: 'p', amount_minor: '5', currency: 'XXX' })),
    ]
    for (const url of urls) {
      const card = createSandboxCardProvider({ url, secret, timeoutMs: 200 })
      expect((await card.lookup('cs_1')).status).toBe('unknown')
      expect((await card.createCheckout(request)).status).toBe('unknown')
    }
  })

  test('a wrong secret counts as a configuration fault, not as a refusal', async () => {
    const { connection } = await start()
    const card = createSandboxCardProvider({ ...connection, secret: 'another' })
    const fault = { status: 'unknown', fault: 'configuration', reason: expect.stringContaining('SANDBOX_SECRET') }
    expect(await card.createCheckout(request)).toEqual(fault)
    expect(await card.lookup('cs_1')).toEqual(fault)
  })

  test('a request past its deadline makes no call', async () => {
    const { connection } = await start()
    const card = createSandboxCardProvider(connection)
    const lateResult = await withCallDeadline(performance.now(), () => card.createCheckout(request))
    expect(lateResult).toEqual({ status: 'unknown', reason: 'The request has no time left for its provider' })
    expect(await withCallDeadline(performance.now() + 60_000, () => card.createCheckout(request))).toMatchObject({
      status: 'created',
    })
  })
})

describe('signed events', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const seconds = now.getTime() / 1000
  const events = createSandboxEvents({ url: 'http://localhost:9', secret })
  const paid = {
    id: 'evt_1',
    type: 'checkout.paid',
    created_at: '2026-01-05T08:00:00.000Z',
    data: { session_id: 'cs_1', reference: 'payment-1', amount_minor: '2500', currency: 'EUR', capture_id: 'cap_1' },
  }
  const body = JSON.stringify(paid)
  const sign = (text: string, at = seconds, key = secret) =>
    `t=${at},v1=${createHmac('sha256', key).update(`${at}.${text}`).digest('hex')}`
  const verifyEvent = (text: string, signature?: string | string[]) =>
    events.verify(text, signature === undefined ? {} : { 'sandbox-signature': signature }, now)

  test('are accepted with a valid signature up to five minutes old', () => {
    expect(verifyEvent(body, sign(body))).toMatchObject({
      id: 'evt_1',
      state: { status: 'settled', captureId: 'cap_1' },
    })
    expect(verifyEvent(body, sign(body, seconds - 300))).toMatchObject({ state: { status: 'settled' } })
    expect(verifyEvent(body, sign(body, seconds + 300))).toMatchObject({ state: { status: 'settled' } })
    // During a secret rotation, an event may carry both signatures.
    const rotatedSignature = `${sign(body, seconds, 'old')},${sign(body).split(',')[1]}`
    expect(verifyEvent(body, rotatedSignature)).toMatchObject({ state: { status: 'settled' } })
  })

  test.each([
    ['no signature', undefined],
    ['two headers', [sign(body), sign(body)]],
    ['an empty signature', ''],
    ['another secret', sign(body, seconds, 'another')],
    ['too old', sign(body, seconds - 301)],
    ['too far ahead', sign(body, seconds + 301)],
    ['a renewed timestamp', sign(body, seconds - 900).replace(`t=${seconds - 900}`, `t=${seconds}`)],
    ['a cut signature', sign(body).slice(0, -2)],
    ['no timestamp', sign(body).split(',')[1]],
    ['a timestamp that is no number', sign(body).replace(/t=\d+/, 't=soon')],
  ])('are refused with %s', (_case, signature) => {
    expect(() => verifyEvent(body, signature)).toThrow(SignatureError)
  })

  test('are refused when one byte of the body changed', () => {
    const signature = sign(body)
    for (let index = 0; index < body.length; index += 1) {
      const tamperedBody =
        body.slice(0, index) + String.fromCharCode(body.charCodeAt(index) ^ 1) + body.slice(index + 1)
      expect(() => verifyEvent(tamperedBody, signature)).toThrow(SignatureError)
    }
  })

  test('of unhandled types are acknowledged, and incomplete ones are an error', () => {
    const unknownEvent = JSON.stringify({ ...paid, type: 'weather.changed' })
    expect(verifyEvent(unknownEvent, sign(unknownEvent))).toEqual({
      id: 'evt_1',
      about: 'unhandled',
      type: 'weather.changed',
    })
    for (const missingField of ['session_id', 'reference', 'amount_minor', 'currency', 'capture_id']) {
      const text = JSON.stringify({ ...paid, data: { ...paid.data, [missingField]: undefined } })
      expect(() => verifyEvent(text, sign(text))).toThrow('evt_1')
    }
  })
})

describe('rates', () => {
  test('are exact values for every currency', async () => {
    const { connection } = await start()
    const timeBefore = Date.now()
    const result = await createSandboxRatesProvider(connection).latest()
    if (result.status !== 'known') throw new Error(result.reason)
    const byCode = new Map(result.fixes.map((fix) => [fix.base, fix]))
    expect([...byCode.keys(), 'USD'].toSorted()).toEqual([...currencyCodes].toSorted())
    expect(byCode.get('EUR')).toMatchObject({ quote: 'USD', rate: ratio(100n, 93n) })
    expect(byCode.get('JPY')).toMatchObject({ quote: 'USD', rate: ratio(67n, 10_000n) })
    for (const { asOf } of result.fixes) {
      expect([asOf.getTime() >= timeBefore, asOf.getTime() <= Date.now()]).toEqual([true, true])
    }
  })

  test('leave out a currency that is missing or invalid, and are unknown without an answer', async () => {
    const unitRate = { numerator: '1', denominator: '1' }
    const values: Record<string, unknown> = Object.fromEntries(currencyCodes.map((code) => [code, unitRate]))
    const feed = (usd_per_unit: object) => JSON.stringify({ as_of: '2026-03-01T00:00:00Z', base: 'USD', usd_per_unit })
    const latest = async (url: string) => {
      const result = await createSandboxRatesProvider({ url, secret }).latest()
      if (result.status !== 'known') return result.status
      return result.fixes.some(({ base }) => base === 'ETH') ? 'known' : 'known without ETH'
    }
    expect(await latest(await serveReply(200, feed(values)))).toBe('known')
    expect(await latest(await serveReply(200, feed({ ...values, ETH: undefined })))).toBe('known without ETH')
    expect(await latest(await serveReply(200, feed({ ...values, ETH: { ...unitRate, numerator: '0' } })))).toBe(
      'known without ETH',
    )
    expect(await latest('http://localhost:9')).toBe('unknown')
  })
})

describe('identity checks', () => {
  const person = {
    firstName: 'Ines',
    lastName: 'Okafor',
    dateOfBirth: '1990-05-17',
    country: 'United States',
    nationality: 'American',
    idNumber: '123-45-6789',
    documentType: 'passport',
    documentNumber: 'X1234567',
  }

  test('return the verdict, with reasons under our field names', async () => {
    const identity = createSandboxIdentityProvider((await start()).connection)
    /** Returns the outcome of an identity check once it is decided. */
    async function check(reference: string, details: typeof person, files: readonly IdentityFile[] = []) {
      const returnUrl = 'http://localhost:3000/profile'
      const startedCheck = await identity.create({ reference, details, files, returnUrl })
      if (startedCheck.status === 'unknown') throw new Error(startedCheck.reason)
      expect(startedCheck).toMatchObject({ status: 'pending', reasons: [] })
      await expect.poll(async () => (await identity.lookup(startedCheck.checkId, details)).status).not.toBe('pending')
      return identity.lookup(startedCheck.checkId, details)
    }
    expect(await check('user-1', person)).toMatchObject({ status: 'verified', reasons: [] })
    expect(await check('user-2', { ...person, lastName: 'Review' })).toMatchObject({ status: 'in_review' })
    expect(await check('user-3', { ...person, lastName: 'Rejected' })).toMatchObject({ status: 'rejected' })
    expect(await check('user-4', { ...person, documentNumber: '0000' })).toMatchObject({
      status: 'needs_information',
      reasons: [{ field: 'documentNumber' }],
    })
    const documented = { ...person, lastName: 'Document' }
    expect(await check('user-5', documented)).toMatchObject({
      reasons: [{ field: 'document', code: 'document_missing' }],
    })
    const read = () => Promise.resolve(Buffer.alloc(2_000_000, 7))
    const photo = { documentType: 'passport', side: 'front', contentType: 'image/jpeg', read } as const
    expect(await check('user-6', documented, [photo, photo])).toMatchObject({ status: 'verified' })
  })

  test('that cannot be made are unknown, never a verdict', async () => {
    const { connection } = await start()
    const invalidPerson = { ...person, dateOfBirth: 'yesterday' }
    const order = { reference: 'user-1', details: person, files: [], returnUrl: 'http://localhost:3000/profile' }
    const { create } = createSandboxIdentityProvider(connection)
    expect((await create({ ...order, details: invalidPerson })).status).toBe('unknown')
    const unreachableIdentity = createSandboxIdentityProvider({ url: 'http://localhost:9', secret })
    expect((await unreachableIdentity.create(order)).status).toBe('unknown')
    expect((await unreachableIdentity.lookup('ck_1', person)).status).toBe('unknown')
  })
})

test('mail arrives once per key, is refused when unsendable, and is unknown without an answer', async () => {
  const { connection } = await start()
  const mailer = createSandboxMailProvider(connection)
  const mail = {
    to: 'ines@example.com',
    subject: 'Hello',
    text: 'Hello',
    html: '<p>Hello</p>',
    idempotencyKey: 'mail-1',
  }
  const sendResult = await mailer.send(mail)
  expect(sendResult.status).toBe('sent')
  expect(await mailer.send(mail)).toEqual(sendResult)
  const list = (await (await fetch(`${connection.url}/api/mail?to=ines@example.com`)).json()) as unknown[]
  expect(list).toHaveLength(1)
  expect((await mailer.send({ ...mail, to: 'nobody', idempotencyKey: 'mail-2' })).status).toBe('refused')
  expect((await createSandboxMailProvider({ url: 'http://localhost:9', secret }).send(mail)).status).toBe('unknown')
})

describe('the clock', () => {
  test('follows the sandbox on request and periodically', async () => {
    const { connection } = await start()
    const movingClock = createSandboxClock(connection)
    const followingClock = createSandboxClock(connection, 30)
    onTestFinished(() => {
      movingClock.stop()
      followingClock.stop()
    })
    const newTime = new Date('2026-02-01T09:00:00Z')
    const timeBefore = Date.now()
    await movingClock.set(newTime)
    /** Returns whether the clock runs from `newTime`, no faster than the local clock. */
    const hasMoved = (clock: { now(): Date }) => {
      const elapsedMs = clock.now().getTime() - newTime.getTime()
      return elapsedMs >= 0 && elapsedMs <= Date.now() - timeBefore
    }
    expect(hasMoved(movingClock)).toBe(true)
    await expect.poll(() => hasMoved(followingClock)).toBe(true)
    const lateClock = createSandboxClock(connection)
    onTestFinished(() => lateClock.stop())
    expect(await lateClock.sync()).toBe('synced')
    expect(hasMoved(lateClock)).toBe(true)
  })

  test('keeps the last offset when the sandbox is away, and reports when it cannot be set', async () => {
    const clock = createSandboxClock({ url: 'http://localhost:9', secret })
    onTestFinished(() => clock.stop())
    expect(await clock.sync()).toBe('unknown')
    const timeBefore = Date.now()
    const shownTime = clock.now().getTime()
    expect([shownTime >= timeBefore, shownTime <= Date.now()]).toEqual([true, true])
    await expect(clock.set(new Date())).rejects.toThrow('did not confirm')
  })
})
