import { randomUUID } from 'node:crypto'
import { notifications } from '@tern/contract/notifications/notifications'
import {
  acceptLink,
  askForNewLink,
  declineLink,
  linkAsPayer,
  openPaymentLink,
  paymentLink,
  priceOfLink,
} from '@tern/contract/requests/payment-links'
import {
  cancelRequest,
  createRequest,
  ownRequests,
  remindPayer,
  requestDetails,
} from '@tern/contract/requests/requests'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { settleCall } from '@tern/testkit/banking'
import { acceptPaymentLink, requestMoney, cancel, decline, loadDetails, pay } from '@tern/testkit/payments'

let rosa: TestPerson
let sam: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  ;[rosa, sam] = await Promise.all([
    world.enroll('rosa', 'Germany', { localName: 'ローザ' }),
    world.enroll('sam', 'United States'),
  ])
})

const dayMs = 86_400_000
const advanceClock = async (ms: number) => {
  const { now, providers, exchange } = world.app.product
  await providers.sandboxClock?.set(new Date(now().getTime() + ms))
  await exchange.refreshRates()
}
const dateInDays = (days: number) =>
  new Date(world.app.product.now().getTime() + days * dayMs).toISOString().slice(0, 10)
const loadNotifications = async (person: TestPerson) =>
  (await person.call(notifications, {})).notifications.filter(({ code }) => code.startsWith('request_'))
const list = (person: TestPerson, direction: 'outgoing' | 'incoming', overrides: object = {}) =>
  person.call(ownRequests, { query: { direction, ...overrides } })

describe('requesting money', () => {
  test('returns a link that shows every visitor the stored request only', async () => {
    const request = await requestMoney(rosa, { amount: '320.5', description: ' Poster print ', name: 'Rosa Studio' })
    expect(request).toMatchObject({
      ...{ state: 'open', direction: 'outgoing', amount: '320.50', currency: 'EUR', remaining_amount: '320.50' },
      ...{ description: 'Poster print', name: 'Rosa Studio', recipient: rosa.username, payer: null, payments: [] },
      url: `${world.url}/pay?data=${request.data}`,
    })
    expect(Date.parse(request.expires_at) - Date.parse(request.created_at)).toBe(30 * dayMs)
    const anonymousView = await (await fetch(`${world.url}/api/payment-links/${request.data}`)).json()
    expect(anonymousView).toEqual({
      ...{ state: 'open', amount: '320.50', remaining_amount: '320.50', currency: 'EUR' },
      ...{ description: 'Poster print', name: 'Rosa Studio', is_addressed: false, allows_parts: false },
      requester: {
        ...{ username: rosa.username, name: 'rosa Tester', local_name: 'ローザ', is_verified: true, country: 'DE' },
      },
      ...{ created_at: request.created_at, expires_at: request.expires_at, closed_at: null },
    })
  })

  test('shows a default text without a description', async () => {
    expect(await requestMoney(rosa, { description: '' })).toMatchObject({ description: 'Payment request', name: null })
  })

  test('repeated under its key requests once; with another body it is refused', async () => {
    const key = randomUUID()
    const [first, second] = [await requestMoney(rosa, {}, key), await requestMoney(rosa, {}, key)]
    expect(second).toEqual(first)
    expect(await settleCall(requestMoney(rosa, { amount: '20.01' }, key))).toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect((await list(rosa, 'outgoing')).requests).toHaveLength(1)
  })

  test.each([
    ['amount', { amount: '0' }],
    ['amount', { amount: '1.001' }],
    ['amount', { amount: 'ten' }],
    ['currency', { currency: 'USD' as const }],
    ['description', { description: 'x'.repeat(201) }],
    ['description', { description: 'Lunch \ud83c' }],
    ['name', { name: 'x'.repeat(81) }],
    ['payer_id', { payer_id: 1_000_000_000 }],
    ['expires_in_days', { expires_in_days: 0 }],
    ['expires_in_days', { expires_in_days: 366 }],
  ])('names the wrong field: %s %o', async (field, request) => {
    const problem = await settleCall(requestMoney(rosa, request))
    expect(problem).toMatchObject({ errors: [{ field }] })
    expect((await list(rosa, 'outgoing')).requests).toEqual([])
  })

  test('from oneself, or before verification, is refused', async () => {
    expect(await settleCall(requestMoney(rosa, { payer_id: rosa.id }))).toMatchObject({ code: 'recipient_is_sender' })
    const unverifiedPerson = await world.enroll('new', null)
    const unverifiedRequest = unverifiedPerson.call(createRequest, {
      body: { amount: '20.00' },
      idempotencyKey: randomUUID(),
    })
    expect(await settleCall(unverifiedRequest)).toMatchObject({ code: 'verification_required' })
    expect(await settleCall(requestMoney(rosa, { payer_id: unverifiedPerson.id }))).toMatchObject({
      code: 'recipient_not_found',
    })
  })

  test('from many strangers a day is refused', async () => {
    const people = await Promise.all(Array.from({ length: 11 }, () => world.enroll('stranger', 'Germany')))
    for (const { id } of people.slice(0, 10)) await requestMoney(rosa, { payer_id: id })
    expect(await settleCall(requestMoney(rosa, { payer_id: people[10]!.id }))).toMatchObject({ code: 'rate_limited' })
  })
})

describe('a forged link', () => {
  test('reveals no name, for any kind of forgery', async () => {
    const { data } = await requestMoney(rosa)
    const answers = [
      `${data}A`,
      data.slice(0, -1),
      `${data.slice(0, -1)}=`,
      'x',
      encodeURIComponent('../'),
      data.toLowerCase(),
    ]
    for (const text of answers) {
      const answer = await fetch(`${world.url}/api/payment-links/${text}`)
      const problem = await answer.json()
      expect([text, answer.status, problem]).toEqual([text, 410, expect.objectContaining({ code: 'link_changed' })])
      expect(JSON.stringify(problem)).not.toContain('rosa')
    }
    expect(await settleCall(pay(sam, `${data.slice(0, -2)}${data.endsWith('AA') ? 'BA' : 'AA'}`))).toMatchObject({
      code: 'link_changed',
    })
  })
})

describe('the price of a link', () => {
  test('is public in any currency, fee included, until the request closes', async () => {
    const { data, id } = await requestMoney(rosa)
    const price = await sam.call(priceOfLink, { params: { data }, query: { currency: 'USD' } })
    expect(price).toMatchObject({
      target_amount: '20.00',
      target_currency: 'EUR',
      source_currency: 'USD',
      fee_basis_points: 100,
    })
    await cancel(rosa, id)
    const closedOutcome = settleCall(sam.call(priceOfLink, { params: { data }, query: { currency: 'USD' } }))
    expect(await closedOutcome).toMatchObject({ code: 'request_closed', reason: 'request_cancelled' })
  })
})

describe('an opened link', () => {
  test('is marked as seen once, and its visits are counted', async () => {
    const { data, id } = await requestMoney(rosa)
    for (let visitIndex = 0; visitIndex < 3; visitIndex += 1) await sam.call(openPaymentLink, { params: { data } })
    expect(await loadDetails(rosa, id)).toMatchObject({
      state: 'seen',
      opened: 3,
      seen_at: expect.any(String) as string,
    })
  })

  test('by another site’s page does not count', async () => {
    const { data, id } = await requestMoney(rosa)
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    const answer = await fetch(`${world.url}/api/payment-links/${data}/open`, { method: 'POST', headers })
    expect(answer.status).toBe(403)
    expect(await loadDetails(rosa, id)).toMatchObject({ opened: 0 })
  })
})

describe('an addressed request', () => {
  test('arrives with initials until a payment between the two has arrived', async () => {
    const { id, payer } = await requestMoney(rosa, { payer_id: sam.id, description: 'Tickets' })
    expect(payer).toEqual({ id: sam.id, username: sam.username, name: 'S. T.' })
    const [incomingRequest] = (await list(sam, 'incoming')).requests
    expect(incomingRequest).toMatchObject({
      id,
      direction: 'incoming',
      requester: { name: 'rosa Tester' },
      state: 'open',
    })
    expect(await loadNotifications(sam)).toMatchObject([
      { code: 'request_received', subject_id: id, params: { amount: '20.00' } },
    ])
    expect((await list(rosa, 'incoming')).requests).toEqual([])
  })

  test('is declined with a reason, once, and the requester is notified', async () => {
    const { data, id } = await requestMoney(rosa, { payer_id: sam.id })
    expect(await decline(sam, data, 'I paid in cash.')).toMatchObject({ state: 'declined' })
    expect(await decline(sam, data, 'Again')).toMatchObject({ state: 'declined' })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'declined', decline_reason: 'I paid in cash.' })
    expect(await loadNotifications(rosa)).toMatchObject([
      { code: 'request_declined', params: { reason: 'I paid in cash.' } },
    ])
    expect(await settleCall(cancel(rosa, id))).toMatchObject({ reason: 'request_declined' })
  })

  test('is accepted for a day, on which the payer is reminded once', async () => {
    const { data, id } = await requestMoney(rosa, { payer_id: sam.id })
    expect(await settleCall(acceptPaymentLink(sam, data, dateInDays(0)))).toMatchObject({ errors: [{ field: 'on' }] })
    expect(await settleCall(acceptPaymentLink(sam, data, dateInDays(31)))).toMatchObject({ errors: [{ field: 'on' }] })
    const day = dateInDays(2)
    await acceptPaymentLink(sam, data, day)
    expect(await loadDetails(rosa, id)).toMatchObject({ accepted_for: day })
    const { requests } = world.app.product
    await requests.endDue()
    expect(await loadNotifications(sam)).toMatchObject([{ code: 'request_received' }])
    await advanceClock(2 * dayMs)
    await Promise.all([requests.endDue(), requests.endDue()])
    await requests.endDue()
    expect(await loadNotifications(sam)).toMatchObject([{ code: 'request_reminder' }, { code: 'request_received' }])
  })

  test('is not reminded of while a payment is pending, but after it has failed', async () => {
    const { data, id } = await requestMoney(rosa, { payer_id: sam.id })
    await acceptPaymentLink(sam, data, dateInDays(2))
    const { pool } = world.database
    const reserve = (minor: number) =>
      pool.query('update payment_request set reserved_minor = $2 where id = $1', [id, minor])
    await advanceClock(2 * dayMs)
    const { requests } = world.app.product
    await reserve(2000)
    await requests.endDue()
    expect(await loadNotifications(sam)).toMatchObject([{ code: 'request_received' }])
    await reserve(0)
    await requests.endDue()
    expect(await loadNotifications(sam)).toMatchObject([{ code: 'request_reminder' }, { code: 'request_received' }])
  })

  test('allows a reminder every three days', async () => {
    const { id } = await requestMoney(rosa, { payer_id: sam.id })
    const remind = () => settleCall(rosa.call(remindPayer, { params: { id } }))
    expect(await remind()).toMatchObject({ reminded_at: expect.any(String) as string })
    expect(await remind()).toMatchObject({ code: 'reminder_too_soon' })
    await advanceClock(3 * dayMs)
    expect(await remind()).toMatchObject({ state: 'open' })
    expect((await loadNotifications(sam)).map(({ code }) => code)).toEqual([
      'request_reminder',
      'request_reminder',
      'request_received',
    ])
  })

  test('is hidden from other users', async () => {
    const { id, data } = await requestMoney(rosa, { payer_id: sam.id })
    const tess = await world.enroll('tess', 'Germany')
    for (const endpoint of [requestDetails, cancelRequest, remindPayer]) {
      expect(await settleCall(tess.call(endpoint, { params: { id } }))).toMatchObject({ code: 'not_found' })
    }
    expect(await settleCall(cancel(sam, id))).toMatchObject({ code: 'not_found' })
    const declineOutcome = tess.call(declineLink, { params: { data }, body: {} })
    expect(await settleCall(declineOutcome)).toMatchObject({ code: 'request_not_for_you' })
    const acceptance = tess.call(acceptLink, { params: { data }, body: { on: dateInDays(1) } })
    expect(await settleCall(acceptance)).toMatchObject({ code: 'request_not_for_you' })
    expect(await loadDetails(sam, id)).toMatchObject({ state: 'open', direction: 'incoming' })
  })
})

test('an unaddressed link cannot be declined or accepted', async () => {
  const { data } = await requestMoney(rosa)
  expect(await settleCall(decline(sam, data))).toMatchObject({ code: 'request_not_for_you' })
  expect(await settleCall(acceptPaymentLink(sam, data, dateInDays(1)))).toMatchObject({ code: 'request_not_for_you' })
  expect(await sam.call(linkAsPayer, { params: { data } })).toMatchObject({ role: 'payer', request_id: null })
  expect(await rosa.call(linkAsPayer, { params: { data } })).toMatchObject({ role: 'requester', recipient_id: null })
})

describe('an expired request', () => {
  test('is expired at once, and its requester is notified once', async () => {
    const { id, data } = await requestMoney(rosa, { expires_in_days: 1 })
    expect(await settleCall(sam.call(askForNewLink, { params: { data } }))).toMatchObject({
      code: 'request_not_expired',
    })
    await advanceClock(dayMs)
    expect(await sam.call(paymentLink, { params: { data } })).toMatchObject({ state: 'expired' })
    expect((await list(rosa, 'outgoing')).totals).toMatchObject({ waiting: 0, closed: 1, remaining_amount: '0.00' })
    const { requests } = world.app.product
    await Promise.all([requests.endDue(), requests.endDue()])
    expect(await loadNotifications(rosa)).toMatchObject([{ code: 'request_expired', subject_id: id }])
    await sam.call(askForNewLink, { params: { data } })
    expect(await settleCall(sam.call(askForNewLink, { params: { data } }))).toMatchObject({ code: 'rate_limited' })
    expect(await loadNotifications(rosa)).toMatchObject([{ code: 'request_link_wanted' }, { code: 'request_expired' }])
  })
})

describe('the list', () => {
  test('has groups and pages, newest first', async () => {
    const requestIds = []
    for (let index = 0; index < 23; index += 1) requestIds.push((await requestMoney(rosa, { amount: '1.00' })).id)
    await cancel(rosa, requestIds[22]!)
    const first = await list(rosa, 'outgoing', { group: 'waiting' })
    expect(first.totals).toEqual({ waiting: 22, paid: 0, closed: 1, remaining_amount: '22.00', currency: 'EUR' })
    const second = await list(rosa, 'outgoing', { group: 'waiting', cursor: first.next_cursor })
    const ids = [...first.requests, ...second.requests].map(({ id }) => id)
    expect(ids).toEqual(requestIds.slice(0, 22).toReversed())
    expect(second.next_cursor).toBeNull()
    expect((await list(rosa, 'outgoing', { group: 'closed' })).requests.map(({ id }) => id)).toEqual([requestIds[22]])
    expect(await settleCall(list(rosa, 'outgoing', { cursor: 'abc' }))).toMatchObject({ errors: [{ field: 'cursor' }] })
  })
})
