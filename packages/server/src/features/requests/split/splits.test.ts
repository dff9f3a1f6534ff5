import { randomUUID } from 'node:crypto'
import { notifications } from '@tern/contract/notifications/notifications'
import { cancelRequest, ownRequests, remindPayer } from '@tern/contract/requests/requests'
import { cancelSplit, createSplit, ownSplits, remindSplit, splitDetails } from '@tern/contract/requests/splits'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { cancel, decline, pay, splitBill } from '@tern/testkit/payments'

let rosa: TestPerson
let sam: TestPerson
let tess: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  ;[rosa, sam, tess] = await Promise.all([
    world.enroll('rosa', 'Germany'),
    world.enroll('sam', 'United States'),
    world.enroll('tess', 'United States'),
  ])
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const dayMs = 86_400_000
const advanceClock = async (ms: number) => {
  const { now, providers, exchange } = world.app.product
  await providers.sandboxClock?.set(new Date(now().getTime() + ms))
  await exchange.refreshRates()
}
const loadNotices = async (person: TestPerson) =>
  (await person.call(notifications, {})).notifications
    .filter(({ code }) => code.startsWith('request_'))
    .map(({ code }) => code)
const loadSplit = (person: TestPerson, id: string) => person.call(splitDetails, { params: { id } })
const remind = (person: TestPerson, id: string) => person.call(remindSplit, { params: { id } })
const cancelRemaining = (person: TestPerson, id: string) => person.call(cancelSplit, { params: { id } })
const listSplits = (person: TestPerson, cursor?: string) =>
  person.call(ownSplits, { query: cursor === undefined ? {} : { cursor } })
const loadRequests = async (person: TestPerson, direction: 'incoming' | 'outgoing') =>
  (await person.call(ownRequests, { query: { direction } })).requests
/** Expects no split, request or notification. */
const expectNoSplits = async () => {
  expect((await listSplits(rosa)).splits).toEqual([])
  expect(await loadRequests(rosa, 'outgoing')).toEqual([])
  for (const person of [sam, tess]) expect(await loadNotices(person)).toEqual([])
}

describe('splitting a bill', () => {
  test('requests each other person’s part, and keeps the own one', async () => {
    const split = await splitBill(rosa, [sam, tess], { description: ' Dinner ' })
    expect(split).toMatchObject({
      ...{ total: '30.00', currency: 'EUR', description: 'Dinner', split_by: 'equal' },
      own: { amount: '10.00', shares: null },
      ...{ asked_amount: '20.00', paid_amount: '0.00', remaining_amount: '20.00' },
      parts: [sam, tess].map(({ id }) => ({
        shares: null,
        request: { payer: { id }, amount: '10.00', state: 'open', description: 'Dinner', allows_parts: false },
      })),
    })
    expect(await loadRequests(tess, 'incoming')).toMatchObject([
      { amount: '10.00', requester: { name: 'rosa Tester' } },
    ])
    expect(await loadNotices(tess)).toEqual(['request_received'])
    expect(await loadSplit(rosa, split.id)).toEqual(split)
  })

  test('distributes odd cents down the list, the own part first', async () => {
    const uma = await world.enroll('uma', 'Germany')
    const people = [sam, tess, uma].map(({ id }, index) => ({ user_id: id, amount: index === 0 ? '0.34' : '0.33' }))
    const total = { total: '1.34', own: { amount: '0.34' }, people }
    expect(await splitBill(rosa, [], total)).toMatchObject({ asked_amount: '1.00' })
  })

  test('by shares, and by amounts without the own part', async () => {
    const people = [
      { user_id: sam.id, amount: '15.00', shares: 2 },
      { user_id: tess.id, amount: '7.50', shares: 1 },
    ]
    const sharesSplit = await splitBill(rosa, [], { split_by: 'shares', own: { amount: '7.50' }, people })
    expect(sharesSplit).toMatchObject({ own: { shares: 1 }, parts: [{ shares: 2 }, { shares: 1 }] })
    const namedPeople = [
      { user_id: sam.id, amount: '29.99' },
      { user_id: tess.id, amount: '0.01' },
    ]
    const { own, asked_amount: sum } = await splitBill(rosa, [], {
      split_by: 'amounts',
      own: undefined,
      people: namedPeople,
    })
    expect([own, sum]).toEqual([null, '30.00'])
  })

  test('repeated under its key splits once, also concurrently; with another body it is refused', async () => {
    const key = randomUUID()
    const splits = await Promise.all([1, 2, 3].map(() => splitBill(rosa, [sam, tess], {}, key)))
    expect(new Set(splits.map(({ id }) => id)).size).toBe(1)
    expect(await loadRequests(rosa, 'outgoing')).toHaveLength(2)
    expect(await loadNotices(sam)).toEqual(['request_received'])
    const otherSplit = settleCall(splitBill(rosa, [sam, tess], { description: 'Other' }, key))
    expect(await otherSplit).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('retried after a lost answer does not count again against the limit of strangers', async () => {
    const strangers = await Promise.all(Array.from({ length: 6 }, () => world.enroll('stranger', 'Germany')))
    const key = randomUUID()
    const people = strangers.map(({ id }) => ({ user_id: id, amount: '5.00' }))
    const order = { own: undefined, people, split_by: 'equal' as const }
    const first = await splitBill(rosa, [], order, key)
    expect(await splitBill(rosa, [], order, key)).toEqual(first)
    expect(await settleCall(splitBill(rosa, [], order))).toMatchObject({ code: 'rate_limited' })
    expect((await listSplits(rosa)).splits).toHaveLength(1)
  })
})

describe('no request is made', () => {
  const buildPair = (first: string, second: string) => [
    { user_id: sam.id, amount: first },
    { user_id: tess.id, amount: second },
  ]
  test.each<readonly [string, () => object, code: string, field: string]>([
    [
      'a cent is missing',
      () => ({ split_by: 'amounts', people: buildPair('10.00', '9.99') }),
      'invalid_request',
      'total',
    ],
    [
      'a cent is too much',
      () => ({ split_by: 'amounts', people: buildPair('10.01', '10.00') }),
      'invalid_request',
      'total',
    ],
    ['parts are not equal', () => ({ people: buildPair('9.00', '11.00') }), 'invalid_request', 'people.0.amount'],
    [
      'odd cents go up the list',
      () => ({ total: '30.01', own: { amount: '10.00' }, people: buildPair('10.00', '10.01') }),
      'invalid_request',
      'own.amount',
    ],
    [
      'parts are not what the shares give',
      () => ({ split_by: 'shares', own: { amount: '10.00', shares: 2 } }),
      'invalid_request',
      'own.amount',
    ],
    [
      'somebody has no part',
      () => ({ split_by: 'amounts', people: buildPair('20.00', '0.00') }),
      'invalid_request',
      'people.1.amount',
    ],
    [
      'a part has half cents',
      () => ({ split_by: 'amounts', people: buildPair('9.999', '10.001') }),
      'invalid_request',
      'people.0.amount',
    ],
    ['the total is nothing', () => ({ total: '0' }), 'invalid_request', 'total'],
    ['the total is no amount', () => ({ total: 'ten' }), 'invalid_request', 'total'],
    [
      'somebody is in it twice',
      () => ({ people: [...buildPair('10.00', '10.00').slice(1), ...buildPair('10.00', '10.00').slice(1)] }),
      'invalid_request',
      'people.1.user_id',
    ],
    ['nobody else is in it', () => ({ own: { amount: '30.00' }, people: [] }), 'invalid_request', 'people'],
    [
      'one person is in it',
      () => ({ own: undefined, people: [{ user_id: sam.id, amount: '30.00' }] }),
      'invalid_request',
      'people',
    ],
    [
      'too many are in it',
      () => ({
        people: Array.from({ length: 31 }, (_, index) => ({ user_id: 2_000_000_000 + index, amount: '1.00' })),
      }),
      'invalid_request',
      'people',
    ],
    [
      'shares are halved',
      () => ({ split_by: 'shares', own: { amount: '10.00', shares: 1.5 } }),
      'invalid_request',
      'own.shares',
    ],
    [
      'shares are nothing',
      () => ({ split_by: 'shares', own: { amount: '10.00', shares: 0 } }),
      'invalid_request',
      'own.shares',
    ],
    ['the currency is another', () => ({ currency: 'USD' }), 'currency_not_held', 'currency'],
    [
      'the last of them is unknown',
      () => ({ people: [...buildPair('10.00', '10.00').slice(0, 1), { user_id: 1_000_000_000, amount: '10.00' }] }),
      'recipient_not_found',
      'people.1.user_id',
    ],
    [
      'the caller is among the others',
      () => ({ people: [{ user_id: rosa.id, amount: '10.00' }, ...buildPair('10.00', '10.00').slice(1)] }),
      'recipient_is_sender',
      'people.0.user_id',
    ],
  ])('when %s', async (_, change, code, field) => {
    const problem = await settleCall(splitBill(rosa, [sam, tess], change()))
    expect(problem).toMatchObject({ code, errors: [{ field }] })
    await expectNoSplits()
  })

  test('if there would be too many, of which some could be made', async () => {
    await world.database.pool.query(
      `insert into payment_request (id, requester_id, amount_minor, currency, allows_parts, idempotency_key, request_hash, created_at, expires_at)
         select gen_random_uuid(), $1, 1, 'EUR', false, gen_random_uuid(), '', $2::timestamptz, $2 + interval '30 days' from generate_series(1, 199)`,
      [rosa.id, world.app.product.now()],
    )
    const problem = await settleCall(splitBill(rosa, [sam, tess]))
    expect(problem).toMatchObject({ code: 'rate_limited', reason: 'too_many_open_requests' })
    expect((await listSplits(rosa)).splits).toEqual([])
    expect(await loadNotices(sam)).toEqual([])
  })

  test('before verification', async () => {
    const unverifiedPerson = await world.enroll('new', null)
    expect(await settleCall(splitBill(unverifiedPerson, [sam, tess]))).toMatchObject({ code: 'verification_required' })
  })

  test('if storing one of the requests fails', async () => {
    // A trigger refuses the second part, after both requests have been inserted.
    await world.database.pool.query(
      `create function refuse_second() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse_second before insert on split_part for each row when (new.position = 2) execute function refuse_second()`,
    )
    try {
      const order = { body: { total: '2.00', split_by: 'equal' as const, people: buildPair('1.00', '1.00') } }
      expect(await settleCall(rosa.call(createSplit, { ...order, idempotencyKey: randomUUID() }))).toMatchObject({
        code: 'internal',
      })
    } finally {
      await world.database.pool.query(`drop trigger refuse_second on split_part; drop function refuse_second()`)
    }
    await expectNoSplits()
  })
})

describe('payments of a split', () => {
  test('show in the split and in the list', async () => {
    await world.fund(sam, 10_000)
    const split = await splitBill(rosa, [sam, tess])
    await pay(sam, split.parts[0]!.request.data)
    expect(await loadSplit(rosa, split.id)).toMatchObject({
      ...{ paid_amount: '10.00', remaining_amount: '10.00' },
      parts: [{ request: { state: 'paid', payments: [{ amount: '10.00' }] } }, { request: { state: 'open' } }],
    })
    await decline(tess, split.parts[1]!.request.data)
    const facts = { id: split.id, total: '30.00', asked: 2, paid: 1, waiting: 0, paid_amount: '10.00' }
    expect((await listSplits(rosa)).splits).toMatchObject([{ ...facts, remaining_amount: '0.00' }])
  })

  test('are no longer expected for an expired request', async () => {
    const split = await splitBill(rosa, [sam, tess])
    await advanceClock(31 * dayMs)
    expect(await loadSplit(rosa, split.id)).toMatchObject({ remaining_amount: '0.00', asked_amount: '20.00' })
    expect((await listSplits(rosa)).splits).toMatchObject([{ waiting: 0, remaining_amount: '0.00' }])
  })

  test('show in a list with pages, newest first', async () => {
    await world.fund(sam, 10_000)
    const order = { own: { amount: '15.00' }, people: [{ user_id: sam.id, amount: '15.00' }] }
    const first = await splitBill(rosa, [], order)
    // The limit for strangers does not apply to a user who has paid.
    await pay(sam, first.parts[0]!.request.data)
    const splitIds = [first.id]
    for (let index = 0; index < 21; index += 1) splitIds.push((await splitBill(rosa, [], order)).id)
    const page = await listSplits(rosa)
    const nextPage = await listSplits(rosa, page.next_cursor ?? '')
    expect([...page.splits, ...nextPage.splits].map(({ id }) => id)).toEqual(splitIds.toReversed())
    expect(nextPage.next_cursor).toBeNull()
    expect(await settleCall(listSplits(rosa, 'abc'))).toMatchObject({ errors: [{ field: 'cursor' }] })
  })
})

describe('reminding', () => {
  test('goes to every payer who has not paid, every three days each', async () => {
    await world.fund(sam, 10_000)
    const uma = await world.enroll('uma', 'Germany')
    const split = await splitBill(rosa, [sam, tess, uma])
    const [samRequest, tessRequest] = split.parts.map(({ request }) => request)
    await pay(sam, samRequest!.data)
    await rosa.call(remindPayer, { params: { id: tessRequest!.id } })
    await remind(rosa, split.id)
    expect(await loadNotices(sam)).toEqual(['request_received'])
    // Tess had just been reminded individually, so only Uma is reminded.
    for (const person of [tess, uma])
      expect(await loadNotices(person)).toEqual(['request_reminder', 'request_received'])
    expect(await settleCall(remind(rosa, split.id))).toMatchObject({ code: 'reminder_too_soon' })
    await advanceClock(3 * dayMs)
    await remind(rosa, split.id)
    expect(await loadNotices(uma)).toEqual(['request_reminder', 'request_reminder', 'request_received'])
    expect(await loadNotices(sam)).toEqual(['request_received'])
  })

  test('twice concurrently reminds each once', async () => {
    const split = await splitBill(rosa, [sam, tess])
    const answers = await Promise.all([remind, remind].map((remindOnce) => settleCall(remindOnce(rosa, split.id))))
    expect(answers).toContainEqual(expect.objectContaining({ code: 'reminder_too_soon' }))
    expect(await loadNotices(tess)).toEqual(['request_reminder', 'request_received'])
  })

  test('is refused once all is decided', async () => {
    const split = await splitBill(rosa, [sam, tess])
    await cancelRemaining(rosa, split.id)
    expect(await settleCall(remind(rosa, split.id))).toMatchObject({ code: 'request_closed' })
  })
})

describe('cancelling the rest', () => {
  test('ends unpaid requests, and leaves paid ones', async () => {
    await world.fund(sam, 10_000)
    const split = await splitBill(rosa, [sam, tess])
    await pay(sam, split.parts[0]!.request.data)
    const listPartStates = (view: typeof split) => view.parts.map(({ request }) => request.state)
    expect(listPartStates(await cancelRemaining(rosa, split.id))).toEqual(['paid', 'cancelled'])
    expect(listPartStates(await cancelRemaining(rosa, split.id))).toEqual(['paid', 'cancelled'])
    expect(await settleCall(pay(tess, split.parts[1]!.request.data))).toMatchObject({ code: 'request_closed' })
  })

  test('during a payment has one outcome', async () => {
    await world.fund(sam, 10_000)
    const split = await splitBill(rosa, [sam, tess])
    await Promise.all([settleCall(pay(sam, split.parts[0]!.request.data)), cancelRemaining(rosa, split.id)])
    const { parts, paid_amount: paidAmount } = await loadSplit(rosa, split.id)
    expect(['paid 10.00', 'cancelled 0.00']).toContain(`${parts[0]!.request.state} ${paidAmount}`)
    expect((await rosa.wallet()).fiat_balance).toBe(paidAmount)
  })
})

test('a split is hidden from other users, also from its payers', async () => {
  const split = await splitBill(rosa, [sam, tess])
  const params = { id: split.id }
  for (const endpoint of [splitDetails, remindSplit, cancelSplit]) {
    expect(await settleCall(sam.call(endpoint, { params }))).toMatchObject({ code: 'not_found' })
  }
  expect((await listSplits(sam)).splits).toEqual([])
  expect(await settleCall(cancel(sam, split.parts[0]!.request.id))).toMatchObject({ code: 'not_found' })
  const { state } = await rosa.call(cancelRequest, { params: { id: split.parts[0]!.request.id } })
  expect(state).toBe('cancelled')
})
