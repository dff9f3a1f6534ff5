import { fiatCodes } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { problem } from '@tern/testkit/providers/adyen'
import { type AdyenCheckoutDouble, adyenMerchant, startAdyenCheckout } from '@tern/testkit/providers/adyen-checkout'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAdyenCards } from '../adyen-cards.ts'
import { withCallDeadline } from '../deadline.ts'
import { foreignExponents } from './adyen-card.ts'
import type { CheckoutRequest } from './port.ts'
import { isSameSession, mergeSessions } from './session.ts'

const paymentId = '01934f5e-8c00-7000-8000-00000000000b'
const request: CheckoutRequest = {
  paymentId,
  amount: money('EUR', 4000n),
  description: 'Tern deposit',
  returnUrl: 'https://tern.example/deposit',
  idempotencyKey: paymentId,
  saveCard: false,
}
const route = 'POST /v71/paymentLinks'

let adyen: AdyenCheckoutDouble
beforeEach(async () => {
  adyen = await startAdyenCheckout()
})
afterEach(() => adyen.close())

function connect(timeoutMs = 30_000) {
  const { collect, check } = createAdyenCards({
    apiKey: 'AQE_checkout_key',
    merchantAccount: adyenMerchant,
    webhookKeys: [],
    checkoutUrl: adyen.url,
    managementUrl: adyen.url,
    isLive: false,
    timeoutMs,
  })
  return { ...collect!.card!, check: check! }
}

async function openPage(overrides: Partial<CheckoutRequest> = {}): Promise<string> {
  const page = await connect().createCheckout({ ...request, ...overrides })
  if (page.status !== 'created') throw new Error(page.status)
  return page.sessionId
}

describe('a page', () => {
  test('takes cards only, once, in the merchant account, and captures at once', async () => {
    const page = await connect().createCheckout(request)
    const [link] = adyen.links.values()
    expect(page).toEqual({ status: 'created', sessionId: link!.id, url: `${adyen.url}/pay/${link!.id}` })
    const [call] = adyen.calls
    expect(JSON.parse(call!.text)).toEqual({
      amount: { currency: 'EUR', value: 4000 },
      merchantAccount: adyenMerchant,
      reference: paymentId,
      description: 'Tern deposit',
      returnUrl: `https://tern.example/deposit?payment_success=true&payment_id=${paymentId}`,
      allowedPaymentMethods: ['scheme'],
      reusable: false,
      storePaymentMethodMode: 'disabled',
      manualCapture: false,
      captureDelayHours: 0,
    })
    expect(call!.headers).toMatchObject({ 'idempotency-key': paymentId, 'x-api-key': 'AQE_checkout_key' })
  })

  test('expires an hour after its payment began', async () => {
    const at = Date.now()
    const id = `${at.toString(16).padStart(12, '0')}70008000000000000000`
    const newId = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
    await openPage({ paymentId: newId })
    const { expiresAt } = JSON.parse(adyen.calls[0]!.text)
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(Math.floor(at / 1000) + 3600).toBe(Date.parse(expiresAt) / 1000)
  })

  test('is opened once, with the same bytes, however often it is ordered', async () => {
    const [first, second] = [await openPage(), await openPage()]
    expect(second).toBe(first)
    expect(adyen.calls[1]!.text).toBe(adyen.calls[0]!.text)
    expect(adyen.links.size).toBe(1)
  })

  test('writes an amount exactly that no JavaScript number holds, and the yen without decimals', async () => {
    await openPage({ amount: money('EUR', 9_007_199_254_740_993n) })
    await openPage({ amount: money('JPY', 500n), idempotencyKey: 'yen' })
    expect(adyen.calls[0]!.text).toContain('{"amount":{"currency":"EUR","value":9007199254740993},')
    expect(adyen.calls[1]!.text).toContain('{"amount":{"currency":"JPY","value":500},')
  })

  test('no currency of ours has another minor unit at Adyen', () => {
    expect(fiatCodes.filter((code) => foreignExponents.has(code))).toEqual([])
  })

  test.each([
    ['of crypto', { amount: money('BTC', 1n) }],
    ['of nothing', { amount: money('EUR', 0n) }],
    ['that should save the card', { saveCard: true }],
  ])('%s is refused without a call', async (_name, overrides) => {
    expect(await connect().createCheckout({ ...request, ...overrides })).toMatchObject({ status: 'refused' })
    expect(adyen.calls).toEqual([])
  })

  test.each([
    ['an invalid order', problem(422, '130'), 'refused'],
    ['a request in progress under the same key', problem(422, '704'), 'unknown'],
    [
      'a transient problem',
      { status: 422, headers: { 'transient-error': 'true' }, body: { status: 422, errorCode: '905' } },
      'unknown',
    ],
    ['a malformed request', problem(400, '702'), 'unknown'],
    ['too many calls', problem(429, '29_429'), 'unknown'],
    ['a fault', problem(500, '905'), 'unknown'],
    ['a page of a proxy', { status: 502, body: '<html>' }, 'unknown'],
    ['an empty body', { body: '' }, 'unknown'],
    ['a reply without an address', { body: { id: 'PL1' } }, 'unknown'],
    ['an id that is none', { body: { id: '../x', url: 'https://a.example' } }, 'unknown'],
    ['silence', 'silence', 'unknown'],
  ] as const)('after %s: %s', async (_name, answer, status) => {
    adyen.on(route, answer)
    expect(await connect(answer === 'silence' ? 300 : 30_000).createCheckout(request)).toMatchObject({ status })
  })

  test.each([401, 403])('a rejected key is a configuration fault: %s', async (status) => {
    adyen.on(route, problem(status, '010'))
    expect(await connect().createCheckout(request)).toMatchObject({ status: 'unknown', fault: 'configuration' })
    expect(await connect().check()).toMatch(/ADYEN_CHECKOUT_KEY/)
    adyen.off(route)
    expect(await connect().check()).toBeUndefined()
  })

  test('is not ordered after the deadline of the request', async () => {
    const answer = await withCallDeadline(performance.now() - 1, () => connect().createCheckout(request))
    expect(answer).toMatchObject({ status: 'unknown' })
    expect(adyen.calls).toEqual([])
  })
})

describe('a lookup', () => {
  test.each([
    ['active', { status: 'open', paymentId }],
    ['expired', { status: 'declined', paymentId, reason: 'expired' }],
    ['completed', { status: 'open', paymentId, isProcessing: true }],
    ['paymentPending', { status: 'open', paymentId, isProcessing: true }],
  ])('of a page that is %s', async (status, state) => {
    const id = await openPage()
    adyen.links.get(id)!.status = status
    expect(await connect().lookup(id)).toEqual(state)
  })

  test('of a page whose payment an event has named and called captured', async () => {
    const id = await openPage()
    adyen.pay(id)
    const settled = { status: 'settled', paymentId, amount: request.amount, captureId: 'P1' }
    expect(await connect().lookup(`${id}/P1/captured`)).toEqual(settled)
    expect(await connect().cancel(`${id}/P1/captured`)).toEqual(settled)
    expect(await connect().lookup(`${id}/P1`)).toMatchObject({ status: 'open', isProcessing: true })
  })

  test.each([
    ['another status', { body: { reference: paymentId, status: 'frozen' } }],
    ['no reference', { body: { status: 'expired' } }],
    ['not found', problem(404, '30_004')],
    ['an empty body', { body: '' }],
    ['a fault', problem(503, '905')],
    ['silence', 'silence'],
  ] as const)('is unknown after %s', async (_name, answer) => {
    const id = await openPage()
    adyen.on(`GET /v71/paymentLinks/${id}`, answer)
    expect(await connect(answer === 'silence' ? 300 : 30_000).lookup(id)).toMatchObject({ status: 'unknown' })
  })
})

describe('a cancellation', () => {
  test('closes an open page', async () => {
    const id = await openPage()
    expect(await connect().cancel(id)).toEqual({ status: 'declined', paymentId, reason: 'canceled' })
    expect(adyen.links.get(id)!.status).toBe('expired')
  })

  test('leaves a page that has been paid', async () => {
    const id = await openPage()
    adyen.pay(id)
    expect(await connect().cancel(id)).toEqual({ status: 'open', paymentId, isProcessing: true })
  })
})

describe('an authorization', () => {
  const payment = 'QFQTPCQ8HXSKGK82'
  const authorize = async () => {
    const id = await openPage({ capturesLater: true })
    adyen.pay(id)
    return `${id}/${payment}`
  }

  test('is requested by its reference and without a capture', async () => {
    await authorize()
    expect(JSON.parse(adyen.calls[0]!.text)).toMatchObject({ reference: `${paymentId}.later`, manualCapture: true })
    expect(JSON.parse(adyen.calls[0]!.text)).not.toHaveProperty('captureDelayHours')
  })

  test('is found by the page and the payment together', async () => {
    const session = await authorize()
    expect(await connect().lookup(session)).toEqual({ status: 'authorized', paymentId, amount: request.amount })
    expect(await connect().lookup(session.split('/')[0]!)).toMatchObject({ status: 'open' })
  })

  test.each(['capture', 'cancel'] as const)('%s is ordered once, and its event reports the outcome', async (call) => {
    const session = await authorize()
    expect(await connect()[call](session)).toEqual({ status: 'open', paymentId })
    expect(await connect()[call](session)).toEqual({ status: 'open', paymentId })
    const orders = adyen.calls.filter((each) => each.route === `POST /v71/payments/${payment}/${call}s`)
    expect(orders.map(({ headers }) => headers['idempotency-key'])).toEqual([
      `${payment}-${call}s`,
      `${payment}-${call}s`,
    ])
    expect(JSON.parse(orders[0]!.text)).toEqual({
      ...(call === 'capture' ? { amount: { currency: 'EUR', value: 4000 } } : {}),
      merchantAccount: adyenMerchant,
      reference: `${paymentId}.later`,
    })
  })

  test('a capture that Adyen refuses is unknown', async () => {
    const session = await authorize()
    adyen.on(`POST /v71/payments/${payment}/captures`, problem(422, '167'))
    expect(await connect().capture(session)).toMatchObject({ status: 'unknown' })
  })
})

test('no card is charged again', async () => {
  const cards = connect()
  expect(await cards.charge({ ...request, cardToken: 'card_1' })).toMatchObject({ status: 'refused' })
  expect(await cards.forgetCard('card_1')).toBe(true)
  expect(adyen.calls).toEqual([])
})

test('sessions are the same if the parts that both name agree', () => {
  expect(isSameSession('cs_1', 'cs_1')).toBe(true)
  expect(isSameSession('cs_1', 'cs_2')).toBe(false)
  expect(isSameSession('PL1', 'PL1/P1')).toBe(true)
  expect(isSameSession('PL1/P1', '/P1')).toBe(true)
  expect(isSameSession('PL1/P1', '/P2')).toBe(false)
  expect(isSameSession('PL1', 'PL2/P1')).toBe(false)
  expect(isSameSession('PL1/P1', '/P1/captured')).toBe(true)
  expect(mergeSessions('PL1', '/P1')).toBe('PL1/P1')
  expect(mergeSessions('PL1/P1', 'PL1')).toBe('PL1/P1')
  expect(mergeSessions('PL1', '/P1/captured')).toBe('PL1/P1/captured')
  expect(mergeSessions('PL1/P1/captured', 'PL1/P1')).toBe('PL1/P1/captured')
  expect(mergeSessions('cs_1', 'cs_1')).toBe('cs_1')
})
