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
import { linkAccount, steer, untilPayment } from '@tern/testkit/payments'
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

const unknownNumber = (): number => {
  const tens = randomInt(100_000_000, 1_000_000_000) * 10
  for (let number = tens; ; number += 1) if (isUserNumber(BigInt(number))) return number
}
const codeOf = async (call: Promise<unknown>): Promise<string> => {
  const outcome = await settleCall(call)
  return (outcome as { code?: string }).code ?? 'done'
}

const send = (id: number, amount = '1.00', person = alice) =>
  codeOf(
    person.call(sendMoney, {
      body: { recipient_id: id, amount, source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    }),
  )
const quote = (id: number, target: 'EUR' | 'GBP' = 'EUR') =>
  codeOf(
    alice.call(createQuote, {
      body: { source_currency: 'USD', target_currency: target, amount: '1.00', side: 'source', recipient_id: id },
    }),
  )
const pay = (id: number, amount = 100) =>
  codeOf(
    alice.call(directPayment, {
      body: { amount, currency: 'usd', recipientId: String(id), paymentSource: 'card' },
      idempotencyKey: randomUUID(),
    }),
  )
const create = (purpose: 'send' | 'deposit', id?: number) =>
  codeOf(
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
const search = () => codeOf(alice.call(searchUsers, { query: { query: 'bruno' } }))

const times = (count: number, act: () => Promise<string>) => Promise.all(Array.from({ length: count }, act))
const counted = (outcomes: readonly string[]) =>
  Object.fromEntries(
    [...new Set(outcomes)].toSorted().map((code) => [code, outcomes.filter((it) => it === code).length]),
  )

test('a send, a quote and a payment treat a number with a wrong check digit as unknown, even if the database has it', async () => {
  const mistyped = bruno.id % 10 === 9 ? bruno.id - 1 : bruno.id + 1
  const { pool } = world.database
  await pool.query(
    `insert into app_user (id, email, username, kyc_status, created_at) values ($1, 'x@example.com', 'x', 'verified', now())`,
    [mistyped],
  )
  await pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at)
     values (gen_random_uuid(), $1, 'Main wallet', 'EUR', now())`,
    [mistyped],
  )
  const asked = [send(mistyped), quote(mistyped), pay(mistyped), create('send', mistyped)]
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 4 }, () => 'recipient_not_found'))
})

const textOf = (statement: unknown): string => String((statement as { text?: unknown }).text)

test('a newcomer without verification gets the same answer for every number, from the same reads', async () => {
  const newcomer = await world.enroll('newcomer', null)
  const other = await world.enroll('other', null)
  const amounts = { amount: '1.00', source_currency: 'USD', target_currency: 'GBP', side: 'source' } as const
  const once = { recurrence: 'once', next_on: '2027-01-01', time_zone: 'UTC' } as const
  const idempotencyKey = () => randomUUID()
  const asks: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
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
        body: { ...amounts, ...once, recipient_id: id },
        idempotencyKey: idempotencyKey(),
      }),
    request: (id) =>
      newcomer.call(createRequest, { body: { amount: '1.00', payer_id: id }, idempotencyKey: idempotencyKey() }),
    profile: (id) => newcomer.call(userProfile, { params: { id: String(id) } }),
    wallet: (id) => newcomer.call(walletByUser, { params: { userId: String(id) } }),
    search: (id) => newcomer.call(searchUsers, { query: { query: String(id), exact: 'true' } }),
  }
  for (const [name, ask] of Object.entries(asks)) {
    for (const id of [bruno.id, other.id, unknownNumber()]) {
      expect(await codeOf(ask(id)), `${name} of ${id}`).toBe('verification_required')
    }
  }
  const favorite = (id: number) => codeOf(newcomer.call(addFavorite, { params: { id: String(id) } }))
  expect(await Promise.all([favorite(bruno.id), favorite(unknownNumber())])).toEqual(['not_found', 'not_found'])

  const queried = vi.spyOn(world.app.product.pool, 'query')
  const readsFor = async (id: number) => {
    queried.mockClear()
    await codeOf(asks['quote']!(id))
    const texts = queried.mock.calls.map(([sql]: readonly unknown[]) => (typeof sql === 'string' ? sql : textOf(sql)))
    // The app also reads by the clock, but nothing about accounts.
    return texts.filter((text) => /app_user|wallet|kyc/.test(text))
  }
  await readsFor(unknownNumber())
  expect(await readsFor(bruno.id)).toEqual(await readsFor(unknownNumber()))
  expect(await codeOf(newcomer.call(createQuote, { body: amounts })), 'a price alone').toBe('done')
})

test('sends, quotes and payments to unknown numbers share the search limit', async () => {
  const outcomes = [
    ...(await times(40, () => send(unknownNumber()))),
    ...(await times(40, () => quote(unknownNumber()))),
    ...(await times(15, () => pay(unknownNumber()))),
    ...(await times(10, () => create('send', unknownNumber()))),
  ]
  expect(counted(outcomes)).toEqual({ recipient_not_found: 105 })
  expect(counted(await times(20, search))).toEqual({ done: 15, rate_limited: 5 })
  expect(
    await Promise.all([
      send(unknownNumber()),
      quote(unknownNumber()),
      pay(unknownNumber()),
      create('send', unknownNumber()),
    ]),
  ).toEqual(Array.from({ length: 4 }, () => 'rate_limited'))
  // Success or insufficient funds would reveal an existing number.
  expect(await Promise.all([send(bruno.id), quote(bruno.id), pay(bruno.id), create('send', bruno.id)])).toEqual(
    Array.from({ length: 4 }, () => 'rate_limited'),
  )
  expect(await create('deposit')).toBe('done')
})

test('step-up names strangers in a send at most 100 times a day, also concurrently', async () => {
  // Below the value that quotes may lock.
  expect(counted(await times(140, () => send(bruno.id, '150.00')))).toEqual({ step_up_required: 100, rate_limited: 40 })
  const { rows } = await world.database.pool.query('select from step_up_confirmation where user_id = $1', [alice.id])
  expect(rows).toHaveLength(120)
  expect(await search()).toBe('rate_limited')
  // Not even a minute later, through another call.
  await world.database.pool.query(`update rate_limit set ends_at = now() where key not like 'name %'`)
  const later = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  const profile = (id: number) => codeOf(alice.call(userProfile, { params: { id: String(id) } }))
  expect(await search()).toBe('done')
  expect(await profile(bruno.id)).toBe('rate_limited')
  expect(await profile(alice.id)).toBe('done')
})

test('the currency of a recipient shares that limit', async () => {
  expect(counted(await times(125, () => quote(bruno.id, 'GBP')))).toEqual({ currency_not_held: 120, rate_limited: 5 })
})

test('successful sends do not count, and known payees can be paid at the limit', async () => {
  await world.fund(alice, 100_000)
  expect(await send(bruno.id)).toBe('done')
  await ageSends(world.database.pool)
  expect(counted(await times(130, () => send(bruno.id)))).toEqual({ done: 130 })
  expect(counted(await times(130, () => quote(bruno.id)))).toEqual({ done: 130 })
  expect(counted(await times(125, search))).toEqual({ done: 120, rate_limited: 5 })
  expect(await Promise.all([send(bruno.id), quote(bruno.id), pay(bruno.id)])).toEqual(['done', 'done', 'done'])
  const carol = await world.enroll('carol', 'Germany')
  expect(await send(carol.id)).toBe('rate_limited')
})

test('paying someone again needs no lookup; a new payee costs two statements', async () => {
  await world.fund(alice, 10_000)
  const asked = vi.spyOn(world.app.product.pool, 'query')
  const questions = () =>
    asked.mock.calls.filter(([query]) => (query as { name?: string }).name === 'rate_limit').length
  expect(await send(bruno.id)).toBe('done')
  await expect.poll(questions).toBe(2)
  for (let sent = 0; sent < 5; sent += 1) expect(await send(bruno.id)).toBe('done')
  expect(questions()).toBe(2)
})

test('the first lookup over the limit says how long to wait, and works a minute later', async () => {
  expect(counted(await times(120, search))).toEqual({ done: 120 })
  const refused = await fetch(`${world.url}/api/user/search?query=bruno`, {
    headers: { authorization: `Bearer ${alice.token}` },
  })
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  await world.database.pool.query('update rate_limit set ends_at = now()')
  const later = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  expect(await search()).toBe('done')
})

test('concurrent lookups of paid users share a query; each gets the answer of its own pair and time', async () => {
  const ordered = new Date()
  await world.fund(alice, 10_000)
  expect(await send(bruno.id)).toBe('done')
  const later = new Date(Date.now() + 60_000)
  const { pool } = world.database
  const known: KnownArrivals = new Map()
  const query = vi.spyOn(pool, 'query')
  const hasPaidBy = (from: number, to: number, before: Date) =>
    hasPaid(known, pool, { senderId: BigInt(from), recipientId: BigInt(to), before })
  const answers = [
    hasPaidBy(unknownNumber(), bruno.id, later),
    hasPaidBy(alice.id, bruno.id, later),
    hasPaidBy(alice.id, bruno.id, ordered),
    hasPaidBy(bruno.id, alice.id, later),
    hasPaidBy(alice.id, unknownNumber(), later),
  ]
  expect(await Promise.all(answers)).toEqual([false, true, false, false, false])
  expect(query).toHaveBeenCalledTimes(1)
  expect(await hasPaidBy(alice.id, bruno.id, later)).toBe(true)
  expect(query, 'an arrival is permanent').toHaveBeenCalledTimes(1)
  expect(await hasPaidBy(alice.id, bruno.id, ordered), 'not before it arrived').toBe(false)
})

describe('the name of a payee', () => {
  const review = (id: number) => codeOf(alice.call(userProfile, { params: { id: String(id) } }))
  const hold = (id: number, amount = '1.00') => {
    const body = { recipient_id: id, amount, source_currency: 'USD', undo_seconds: 1800 } as const
    return alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  }
  const listed = async (search?: string) =>
    (await alice.call(transactionsOfUser, { params: { userId: String(alice.id) }, query: { search } })).transactions
  const namesOf = async (id: string) => {
    const { transaction } = await alice.call(transferStatus, { params: { id } })
    const inList = (await listed()).find((row) => row.id === id)
    return [transaction.counterparty?.name, inList?.counterparty?.name]
  }
  const whole = ['bruno Tester', 'bruno Tester']
  const initials = ['B. T.', 'B. T.']
  const newName = (name: string) =>
    world.database.pool.query('update app_user set name = $2 where id = $1', [bruno.id, name])

  test('stays whole for the sender of a send whose review showed it, in every state', async () => {
    await world.fund(alice, 10_000)
    expect(await review(bruno.id)).toBe('done')
    const { transaction, transaction_id: id } = await hold(bruno.id)
    expect([transaction.status, transaction.counterparty?.name]).toEqual(['PENDING', 'bruno Tester'])
    expect(await namesOf(id)).toEqual(whole)
    await alice.call(cancelTransfer, { params: { id } })
    expect(await namesOf(id), 'undone').toEqual(whole)
    const bankAccountId = await linkAccount(world, alice)
    const { payment_id: paymentId, transaction_id: funded } = await alice.call(directPayment, {
      body: { amount: 100, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'bank', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    expect(await namesOf(funded), 'before the bank has paid').toEqual(whole)
    await steer(world, paymentId, 'fail')
    await untilPayment(alice, paymentId, 'failed')
    expect(await namesOf(funded), 'the bank did not pay').toEqual(whole)
    expect((await listed('tester')).map((row) => row.id).toSorted()).toEqual([id, funded].toSorted())
    const sent = await hold(bruno.id)
    await alice.call(settleTransfer, { params: { id: sent.transaction_id } })
    expect(await namesOf(sent.transaction_id), 'arrived').toEqual(whole)
  })

  test('is shown by the lookup that counted it, to its reader only, until it changes', async () => {
    await world.fund(alice, 10_000)
    const { transaction_id: unseen } = await hold(bruno.id)
    const other = await world.enroll('other', 'United States')
    await other.call(userProfile, { params: { id: String(bruno.id) } })
    expect(await namesOf(unseen), 'no review').toEqual(initials)
    await review(bruno.id)
    const { transaction_id: seen } = await hold(bruno.id)
    await alice.call(cancelTransfer, { params: { id: unseen } })
    await alice.call(cancelTransfer, { params: { id: seen } })
    expect(await namesOf(unseen), 'reviewed afterwards').toEqual(initials)
    expect(await namesOf(seen)).toEqual(whole)
    expect((await listed('tester')).map((row) => row.id)).toEqual([seen])
    await newName('Bea Newname')
    expect(await namesOf(seen), 'a name that no review showed').toEqual(['B. N.', 'B. N.'])
    await newName('bruno Tester')
  })

  test('is kept by a confirmation that showed it', async () => {
    await world.fund(alice, 100_000)
    expect(await send(bruno.id, '150.00')).toBe('step_up_required')
    const { transaction_id: id } = await hold(bruno.id)
    expect(await namesOf(id)).toEqual(whole)
  })

  test('is shown for at most 100 of 101 users in a day by sends that are reviewed, begun and undone', async () => {
    await world.fund(alice, 10_000)
    const payees = new Map<number, string>()
    while (payees.size < 101) payees.set(unknownNumber(), `Payee Number${payees.size}`)
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
    expect(counted(await Promise.all(ids.map(review)))).toEqual({ done: 100, rate_limited: 1 })
    const sendAndUndo = async (id: number) => {
      const { transaction_id: held } = await hold(id, '0.50')
      await world.app.product.heldTransfers.cancel({ userId: BigInt(alice.id), id: held })
    }
    // Sends on their way count as lookups, of which nineteen are left this minute.
    while (ids.length > 0) await Promise.all(ids.splice(0, 10).map(sendAndUndo))
    const { rows } = await pool.query<{ id: string }>('select id from transaction where user_id = $1 and kind = $2', [
      alice.id,
      'SEND',
    ])
    expect(rows).toHaveLength(101)
    const undone = await Promise.all(rows.map(({ id }) => findTransaction(pool, { userId: BigInt(alice.id), id })))
    const names = undone.map((transaction) => transaction?.counterparty?.name)
    expect(names.filter((name) => [...payees.values()].includes(name ?? ''))).toHaveLength(100)
    expect(names.filter((name) => name === 'P. N.')).toHaveLength(1)
  })
})
