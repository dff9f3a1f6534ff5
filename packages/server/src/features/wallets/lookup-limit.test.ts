import { randomInt, randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { searchUsers, userProfile } from '@tern/contract/identity'
import { addFavorite } from '@tern/contract/identity/favorites'
import { createPayment, directPayment } from '@tern/contract/payments'
import { createRequest } from '@tern/contract/requests/requests'
import { createSchedule } from '@tern/contract/schedules/schedules'
import { transactionsOfUser } from '@tern/contract/transactions'
import { cancelTransfer, sendMoney, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { walletByUser } from '@tern/contract/wallets'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ageSends } from '../../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { settleCall } from '@tern/testkit/banking'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { isUserNumber } from '../identity/identity.ts'
import { hasPaid, type KnownArrivals } from './payees.ts'
import { findTransaction } from './wallets.ts'

let alice: TestPerson

const world = await openTestApp()
const bruno = await world.enroll('bruno', 'Germany')
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})
afterEach(() => void vi.restoreAllMocks())

const chooseUnknownNumber = (): number => {
  const tenDigitBase = randomInt(100_000_000, 1_000_000_000) * 10
  for (let number = tenDigitBase; ; number += 1) if (isUserNumber(BigInt(number))) return number
}
const readCode = async (call: Promise<unknown>): Promise<string> => {
  const outcome = await settleCall(call)
  return (outcome as { code?: string }).code ?? 'done'
}

const send = (id: number, amount = '1.00', person = alice) =>
  readCode(
    person.call(sendMoney, {
      body: { recipient_id: id, amount, source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    }),
  )
const quote = (id: number, target: 'EUR' | 'GBP' = 'EUR') =>
  readCode(
    alice.call(createQuote, {
      body: { source_currency: 'USD', target_currency: target, amount: '1.00', side: 'source', recipient_id: id },
    }),
  )
const pay = (id: number, amount = 100) =>
  readCode(
    alice.call(directPayment, {
      body: { amount, currency: 'usd', recipientId: String(id), paymentSource: 'card' },
      idempotencyKey: randomUUID(),
    }),
  )
const create = (purpose: 'send' | 'deposit', id?: number) =>
  readCode(
    alice.call(createPayment, {
      body: {
        purpose,
        method: 'card',
        amount: '1.00',
        currency: 'USD',
        ...(id === undefined ? {} : { recipient_id: id }),
      },
      idempotencyKey: randomUUID(),
    }),
  )
const searchByName = () => readCode(alice.call(searchUsers, { query: { query: 'bruno' } }))

const repeatCall = (count: number, operation: () => Promise<string>) =>
  Promise.all(Array.from({ length: count }, operation))
const countByCode = (outcomes: readonly string[]) =>
  Object.fromEntries(
    [...new Set(outcomes)].toSorted().map((code) => [code, outcomes.filter((outcome) => outcome === code).length]),
  )

test('a send, a quote and a payment treat a number with a wrong check digit as unknown, even if the database has it', async () => {
  const mistypedId = bruno.id % 10 === 9 ? bruno.id - 1 : bruno.id + 1
  const { pool } = world.database
  await pool.query(
    `insert into app_user (id, email, username, kyc_status, created_at) values ($1, 'x@example.com', 'x', 'verified', now())`,
    [mistypedId],
  )
  await pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at)
     values (gen_random_uuid(), $1, 'Main wallet', 'EUR', now())`,
    [mistypedId],
  )
  const outcomes = [send(mistypedId), quote(mistypedId), pay(mistypedId), create('send', mistypedId)]
  expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 4 }, () => 'recipient_not_found'))
})

const readStatement = (statement: unknown): string => String((statement as { text?: unknown }).text)

test('a newcomer without verification gets the same answer for every number, from the same reads', async () => {
  const newcomer = await world.enroll('newcomer', null)
  const otherPerson = await world.enroll('other', null)
  const amounts = { amount: '1.00', source_currency: 'USD', target_currency: 'GBP', side: 'source' } as const
  const onceTerms = { recurrence: 'once', next_on: '2027-01-01', time_zone: 'UTC' } as const
  const idempotencyKey = () => randomUUID()
  const requests: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
    quote: (id) => newcomer.call(createQuote, { body: { ...amounts, recipient_id: id } }),
    send: (id) =>
      newcomer.call(sendMoney, {
        body: { recipient_id: id, amount: '1.00', source_currency: 'USD' },
        idempotencyKey: idempotencyKey(),
      }),
    pay: (id) =>
      newcomer.call(directPayment, {
        body: { amount: 100, currency: 'usd', recipientId: String(id), paymentSource: 'card' },
        idempotencyKey: idempotencyKey(),
      }),
    schedule: (id) =>
      newcomer.call(createSchedule, {
        body: { ...amounts, ...onceTerms, recipient_id: id },
        idempotencyKey: idempotencyKey(),
      }),
    request: (id) =>
      newcomer.call(createRequest, { body: { amount: '1.00', payer_id: id }, idempotencyKey: idempotencyKey() }),
    profile: (id) => newcomer.call(userProfile, { params: { id: String(id) } }),
    wallet: (id) => newcomer.call(walletByUser, { params: { userId: String(id) } }),
    search: (id) => newcomer.call(searchUsers, { query: { query: String(id), exact: 'true' } }),
  }
  for (const [name, request] of Object.entries(requests)) {
    for (const id of [bruno.id, otherPerson.id, chooseUnknownNumber()]) {
      expect(await readCode(request(id)), `${name} of ${id}`).toBe('verification_required')
    }
  }
  const addFavoriteCode = (id: number) => readCode(newcomer.call(addFavorite, { params: { id: String(id) } }))
  expect(await Promise.all([addFavoriteCode(bruno.id), addFavoriteCode(chooseUnknownNumber())])).toEqual([
    'not_found',
    'not_found',
  ])

  const querySpy = vi.spyOn(world.app.product.pool, 'query')
  const listReads = async (id: number) => {
    querySpy.mockClear()
    await readCode(requests['quote']!(id))
    const texts = querySpy.mock.calls.map(([sql]: readonly unknown[]) =>
      typeof sql === 'string' ? sql : readStatement(sql),
    )
    // Ignores the app's periodic queries, which read nothing about accounts.
    return texts.filter((text) => /app_user|wallet|kyc/.test(text))
  }
  await listReads(chooseUnknownNumber())
  expect(await listReads(bruno.id)).toEqual(await listReads(chooseUnknownNumber()))
  expect(await readCode(newcomer.call(createQuote, { body: amounts })), 'a price alone').toBe('done')
})

test('sends, quotes and payments to unknown numbers share the search limit', async () => {
  const outcomes = [
    ...(await repeatCall(40, () => send(chooseUnknownNumber()))),
    ...(await repeatCall(40, () => quote(chooseUnknownNumber()))),
    ...(await repeatCall(15, () => pay(chooseUnknownNumber()))),
    ...(await repeatCall(10, () => create('send', chooseUnknownNumber()))),
  ]
  expect(countByCode(outcomes)).toEqual({ recipient_not_found: 105 })
  expect(countByCode(await repeatCall(20, searchByName))).toEqual({ done: 15, rate_limited: 5 })
  expect(
    await Promise.all([
      send(chooseUnknownNumber()),
      quote(chooseUnknownNumber()),
      pay(chooseUnknownNumber()),
      create('send', chooseUnknownNumber()),
    ]),
  ).toEqual(Array.from({ length: 4 }, () => 'rate_limited'))
  // An existing number is refused too: any other answer would reveal that it exists.
  expect(await Promise.all([send(bruno.id), quote(bruno.id), pay(bruno.id), create('send', bruno.id)])).toEqual(
    Array.from({ length: 4 }, () => 'rate_limited'),
  )
  expect(await create('deposit')).toBe('done')
})

test('step-up names strangers in a send at most 100 times a day, also concurrently', async () => {
  // The sends stay below the value that quotes may lock.
  expect(countByCode(await repeatCall(140, () => send(bruno.id, '150.00')))).toEqual({
    step_up_required: 100,
    rate_limited: 40,
  })
  const { rows } = await world.database.pool.query('select from step_up_confirmation where user_id = $1', [alice.id])
  expect(rows).toHaveLength(120)
  expect(await searchByName()).toBe('rate_limited')
  // Resets the limits of a minute: the daily one still applies to profiles.
  await world.database.pool.query(`update rate_limit set ends_at = now() where key not like 'name %'`)
  const minuteLater = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => minuteLater)
  const loadProfileCode = (id: number) => readCode(alice.call(userProfile, { params: { id: String(id) } }))
  expect(await searchByName()).toBe('done')
  expect(await loadProfileCode(bruno.id)).toBe('rate_limited')
  expect(await loadProfileCode(alice.id)).toBe('done')
})

test('the currency of a recipient shares that limit', async () => {
  expect(countByCode(await repeatCall(125, () => quote(bruno.id, 'GBP')))).toEqual({
    currency_not_held: 120,
    rate_limited: 5,
  })
})

test('successful sends do not count, and known payees can be paid at the limit', async () => {
  await world.fund(alice, 100_000)
  expect(await send(bruno.id)).toBe('done')
  await ageSends(world.database.pool)
  expect(countByCode(await repeatCall(130, () => send(bruno.id)))).toEqual({ done: 130 })
  expect(countByCode(await repeatCall(130, () => quote(bruno.id)))).toEqual({ done: 130 })
  expect(countByCode(await repeatCall(125, searchByName))).toEqual({ done: 120, rate_limited: 5 })
  expect(await Promise.all([send(bruno.id), quote(bruno.id), pay(bruno.id)])).toEqual(['done', 'done', 'done'])
  const carol = await world.enroll('carol', 'Germany')
  expect(await send(carol.id)).toBe('rate_limited')
})

test('paying someone again needs no lookup; a new payee costs two statements', async () => {
  await world.fund(alice, 10_000)
  const querySpy = vi.spyOn(world.app.product.pool, 'query')
  const countLimitQueries = () =>
    querySpy.mock.calls.filter(([query]) => (query as { name?: string }).name === 'rate_limit').length
  expect(await send(bruno.id)).toBe('done')
  await expect.poll(countLimitQueries).toBe(2)
  for (let sendIndex = 0; sendIndex < 5; sendIndex += 1) expect(await send(bruno.id)).toBe('done')
  expect(countLimitQueries()).toBe(2)
})

test('the first lookup over the limit says how long to wait, and works a minute later', async () => {
  expect(countByCode(await repeatCall(120, searchByName))).toEqual({ done: 120 })
  const refusedSearch = await fetch(`${world.url}/api/user/search?query=bruno`, {
    headers: { authorization: `Bearer ${alice.token}` },
  })
  expect(refusedSearch.status).toBe(429)
  const seconds = Number(refusedSearch.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  await world.database.pool.query('update rate_limit set ends_at = now()')
  const minuteLater = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => minuteLater)
  expect(await searchByName()).toBe('done')
})

test('concurrent lookups of paid users share a query; each gets the answer of its own pair and time', async () => {
  const orderedAt = new Date()
  await world.fund(alice, 10_000)
  expect(await send(bruno.id)).toBe('done')
  const laterDate = new Date(Date.now() + 60_000)
  const { pool } = world.database
  const knownArrivals: KnownArrivals = new Map()
  const query = vi.spyOn(pool, 'query')
  const hasPaidBy = (from: number, to: number, before: Date) =>
    hasPaid(knownArrivals, pool, { senderId: BigInt(from), recipientId: BigInt(to), before })
  const answers = [
    hasPaidBy(chooseUnknownNumber(), bruno.id, laterDate),
    hasPaidBy(alice.id, bruno.id, laterDate),
    hasPaidBy(alice.id, bruno.id, orderedAt),
    hasPaidBy(bruno.id, alice.id, laterDate),
    hasPaidBy(alice.id, chooseUnknownNumber(), laterDate),
  ]
  expect(await Promise.all(answers)).toEqual([false, true, false, false, false])
  expect(query).toHaveBeenCalledTimes(1)
  expect(await hasPaidBy(alice.id, bruno.id, laterDate)).toBe(true)
  expect(query, 'an arrival is permanent').toHaveBeenCalledTimes(1)
  expect(await hasPaidBy(alice.id, bruno.id, orderedAt), 'not before it arrived').toBe(false)
})

describe('the name of a payee', () => {
  const reviewProfile = (id: number) => readCode(alice.call(userProfile, { params: { id: String(id) } }))
  const hold = (id: number, amount = '1.00') => {
    const body = { recipient_id: id, amount, source_currency: 'USD', undo_seconds: 1800 } as const
    return alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  }
  const searchTransactions = async (search?: string) =>
    (await alice.call(transactionsOfUser, { params: { userId: String(alice.id) }, query: { search } })).transactions
  const loadPartyNames = async (id: string) => {
    const { transaction } = await alice.call(transferStatus, { params: { id } })
    const listedRow = (await searchTransactions()).find((row) => row.id === id)
    return [transaction.counterparty?.name, listedRow?.counterparty?.name]
  }
  const fullNames = ['bruno Tester', 'bruno Tester']
  const initials = ['B. T.', 'B. T.']
  const setName = (name: string) =>
    world.database.pool.query('update app_user set name = $2 where id = $1', [bruno.id, name])

  test('stays whole for the sender of a send whose review showed it, in every state', async () => {
    await world.fund(alice, 10_000)
    expect(await reviewProfile(bruno.id)).toBe('done')
    const { transaction, transaction_id: id } = await hold(bruno.id)
    expect([transaction.status, transaction.counterparty?.name]).toEqual(['PENDING', 'bruno Tester'])
    expect(await loadPartyNames(id)).toEqual(fullNames)
    await alice.call(cancelTransfer, { params: { id } })
    expect(await loadPartyNames(id), 'undone').toEqual(fullNames)
    const bankAccountId = await linkAccount(world, alice)
    const { payment_id: paymentId, transaction_id: fundedId } = await alice.call(directPayment, {
      body: { amount: 100, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'bank', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    expect(await loadPartyNames(fundedId), 'before the bank has paid').toEqual(fullNames)
    await steer(world, paymentId, 'fail')
    await waitForPayment(alice, paymentId, 'failed')
    expect(await loadPartyNames(fundedId), 'the bank did not pay').toEqual(fullNames)
    expect((await searchTransactions('tester')).map((row) => row.id).toSorted()).toEqual([id, fundedId].toSorted())
    const heldSend = await hold(bruno.id)
    await alice.call(settleTransfer, { params: { id: heldSend.transaction_id } })
    expect(await loadPartyNames(heldSend.transaction_id), 'arrived').toEqual(fullNames)
  })

  test('is shown by the lookup that counted it, to its reader only, until it changes', async () => {
    await world.fund(alice, 10_000)
    const { transaction_id: undoneId } = await hold(bruno.id)
    const otherPerson = await world.enroll('other', 'United States')
    await otherPerson.call(userProfile, { params: { id: String(bruno.id) } })
    expect(await loadPartyNames(undoneId), 'no review').toEqual(initials)
    await reviewProfile(bruno.id)
    const { transaction_id: reviewedId } = await hold(bruno.id)
    await alice.call(cancelTransfer, { params: { id: undoneId } })
    await alice.call(cancelTransfer, { params: { id: reviewedId } })
    expect(await loadPartyNames(undoneId), 'reviewed afterwards').toEqual(initials)
    expect(await loadPartyNames(reviewedId)).toEqual(fullNames)
    expect((await searchTransactions('tester')).map((row) => row.id)).toEqual([reviewedId])
    await setName('Bea Newname')
    expect(await loadPartyNames(reviewedId), 'a name that no review showed').toEqual(['B. N.', 'B. N.'])
    await setName('bruno Tester')
  })

  test('is kept by a confirmation that showed it', async () => {
    await world.fund(alice, 100_000)
    expect(await send(bruno.id, '150.00')).toBe('step_up_required')
    const { transaction_id: id } = await hold(bruno.id)
    expect(await loadPartyNames(id)).toEqual(fullNames)
  })

  test('is shown for at most 100 of 101 users in a day by sends that are reviewed, begun and undone', async () => {
    await world.fund(alice, 10_000)
    const payees = new Map<number, string>()
    while (payees.size < 101) payees.set(chooseUnknownNumber(), `Payee Number${payees.size}`)
    const { pool } = world.database
    await pool.query(
      `with payee as (
         insert into app_user (id, email, username, name, kyc_status, created_at)
         select id, id || '@example.com', 'payee' || id, name, 'verified', now()
           from unnest($1::bigint[], $2::text[]) as p (id, name) returning id)
       insert into wallet (id, user_id, name, base_currency, created_at)
       select gen_random_uuid(), id, 'Main wallet', 'USD', now() from payee`,
      [[...payees.keys()], [...payees.values()]],
    )
    const ids = [...payees.keys()]
    expect(countByCode(await Promise.all(ids.map(reviewProfile)))).toEqual({ done: 100, rate_limited: 1 })
    const sendThenUndo = async (id: number) => {
      const { transaction_id: heldId } = await hold(id, '0.50')
      await world.app.product.heldTransfers.cancel({ userId: BigInt(alice.id), id: heldId })
    }
    // Sends in progress count as lookups, and nineteen are left in this minute: ten run at a time.
    while (ids.length > 0) await Promise.all(ids.splice(0, 10).map(sendThenUndo))
    const { rows } = await pool.query<{ id: string }>('select id from transaction where user_id = $1 and kind = $2', [
      alice.id,
      'SEND',
    ])
    expect(rows).toHaveLength(101)
    const undoneRows = await Promise.all(rows.map(({ id }) => findTransaction(pool, { userId: BigInt(alice.id), id })))
    const names = undoneRows.map((transaction) => transaction?.counterparty?.name)
    expect(names.filter((name) => [...payees.values()].includes(name ?? ''))).toHaveLength(100)
    expect(names.filter((name) => name === 'P. N.')).toHaveLength(1)
  })
})
