import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { cancelTransfer, sendMoney, transferStatus } from '@tern/contract/transfers'
import { money } from '@tern/money/money'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ageSends } from '../../../../../../tools/aging.ts'
import { findQueueEntry, decideAt, send } from '@tern/testkit/compliance/cases'
import { createTestBooks } from '@tern/testkit/books/books'
import type { TestApp, TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { type TestDesk, startTestDesk, type TestOperator } from '@tern/testkit/desk'
import { requestMoney, pay } from '@tern/testkit/payments'
import { raiseLimits } from '@tern/testkit/people'
import { changeMonitoringThresholds } from '@tern/testkit/risk'
import { buildFirstId } from '../../../platform/ids.ts'
import { outlineSql } from '../../compliance/compliance.ts'

let desk: TestDesk
let world: TestApp
let operators: TestOperator[]
let richPerson: TestPerson
let friend: TestPerson
let count = 0

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  world = desk.world
  operators = await Promise.all(Array.from({ length: 2 }, () => desk.createOperator('reviewer')))
  await raiseLimits(world.database.pool)
  richPerson = await world.enroll('rich', 'United States')
  friend = await world.enroll('friend', 'United States')
  await world.fund(richPerson, 9_000_000)
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})
// Restores the default thresholds, which seeding disables.
beforeEach(() => changeMonitoringThresholds(world.database.pool))

const enroll = () => world.enroll(`person${(count += 1)}`, 'United States')

interface Case {
  readonly id: string
  readonly state: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly transfers: string[]
}
const loadCases = async ({ id }: TestPerson): Promise<Case[]> =>
  (
    await world.database.pool.query<Case>(
      `select id, state, evidence, array(select transfer_id from compliance_case_transfer where case_id = c.id) as transfers
         from compliance_case c where user_id = $1 and kind = 'pattern' order by opened_at`,
      [id],
    )
  ).rows
const sendUndoable = (from: TestPerson, to: TestPerson, amount: string) =>
  from.call(sendMoney, {
    body: { source_currency: 'USD', recipient_id: to.id, amount, undo_seconds: 60 },
    idempotencyKey: randomUUID(),
  })
const loadHold = async (person: TestPerson, id: string) => (await person.call(transferStatus, { params: { id } })).hold

/** Waits until every database transaction that was open at the call has ended. */
async function waitForSnapshot(): Promise<void> {
  const { rows } = await world.database.pool.query<{ xid: string }>('select pg_current_xact_id()::text as xid')
  const snapshotPastSql = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_past'
  const queryIsPast = async () =>
    (await world.database.pool.query<{ is_past: boolean }>(snapshotPastSql, [rows[0]?.xid])).rows[0]?.is_past
  await expect.poll(queryIsPast, { timeout: 120_000, interval: 20 }).toBe(true)
}
const followCases = async () => {
  await waitForSnapshot()
  return world.app.product.monitoring.watchMovedTransfers()
}

test('money from a stranger that is sent on at once waits with a case; cleared, it arrives and counts no more', async () => {
  const person = await enroll()
  await send(richPerson, person, '2300.00')
  const { transaction_id: id } = await send(person, friend, '2100.00')
  expect(await loadHold(person, id)).toMatchObject({ reason: 'compliance' })
  const [openedCase] = await loadCases(person)
  expect(openedCase).toMatchObject({
    state: 'open',
    transfers: [id],
    evidence: { rule: 'rapid_in_and_out', hours: 24, in_usd: '230000', out_usd: '210000' },
  })
  // A later payment is held for the same case.
  const { transaction_id: next } = await send(person, friend, '1.00')
  expect((await loadCases(person)).map(({ transfers }) => transfers.toSorted())).toEqual([[id, next].toSorted()])
  const entry = await findQueueEntry(world, openedCase!.id)
  for (const operator of operators) await decideAt(operator, 'cases', entry, 'clear')
  await world.app.product.heldTransfers.followCases()
  expect((await person.call(transferStatus, { params: { id } })).state).toBe('settled')
  // Further payments open no other case.
  for (const amount of ['50.00', '51.00', '52.00']) {
    expect(await loadHold(person, (await send(person, friend, amount)).transaction_id)).toBeNull()
  }
  expect(await loadCases(person)).toHaveLength(1)
})

test('three sends just below 10,000 dollars: the third waits', async () => {
  const person = await enroll()
  await world.fund(person, 3_500_000)
  const ids: string[] = []
  for (const amount of ['9500.00', '9600.00', '9700.00']) ids.push((await send(person, friend, amount)).transaction_id)
  const reasons = await Promise.all(ids.map(async (id) => (await loadHold(person, id))?.reason ?? null))
  expect(reasons).toEqual([null, null, 'compliance'])
  expect((await loadCases(person))[0]?.evidence).toMatchObject({
    ...{ rule: 'structuring', direction: 'out', count: 3, usd: '2880000', threshold_usd: '1000000' },
  })
})

test.each([
  [29, 'compliance'],
  [30, undefined],
])('a payee paid %i days before: %s', async (days, reason) => {
  const person = await enroll()
  await world.fund(person, 1000)
  await send(person, friend, '1.00')
  await ageSends(world.database.pool, { hours: 24 * days, senderId: BigInt(person.id) })
  await send(richPerson, person, '2300.00')
  const { transaction_id: id } = await send(person, friend, '2200.00')
  expect((await loadHold(person, id))?.reason).toBe(reason)
})

test.each([
  [29, 'compliance'],
  [30, undefined],
])('money sent on from a sender first seen %i days before: %s', async (days, reason) => {
  const [payer, person] = [await enroll(), await enroll()]
  await world.fund(payer, 300_000)
  await send(payer, person, '1.00')
  await ageSends(world.database.pool, { hours: 24 * days, senderId: BigInt(payer.id) })
  await send(payer, person, '2300.00')
  const { transaction_id: id } = await send(person, friend, '2200.00')
  expect((await loadHold(person, id))?.reason).toBe(reason)
})

test('money that pays a request counts like any other', async () => {
  const person = await enroll()
  const { data } = await requestMoney(person, { amount: '2300.00' })
  await pay(richPerson, data)
  const { transaction_id: id } = await send(person, friend, '2200.00')
  expect(await loadHold(person, id)).toBeNull()
})

test('cancelled sends and exchanges do not count', async () => {
  const person = await enroll()
  await world.fund(person, 3_500_000)
  for (const amount of ['9500.00', '9600.00', '9700.00']) {
    const { transaction_id: id } = await sendUndoable(person, friend, amount)
    await person.call(cancelTransfer, { params: { id } })
  }
  for (const amount of ['9500.00', '9600.00', '9700.00']) {
    const quoteBody = { source_currency: 'USD', target_currency: 'BTC', side: 'source', amount } as const
    const { quote_id } = await person.call(createQuote, { body: quoteBody })
    await person.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
  }
  // Makes three payments in each direction, none near a threshold.
  for (const amountCents of [100, 200, 300]) await world.fund(person, amountCents)
  for (const amount of ['1.00', '2.00', '3.00']) {
    expect(await loadHold(person, (await send(person, friend, amount)).transaction_id)).toBeNull()
  }
})

test('money that a card takes back does not count as sent on', async () => {
  const person = await enroll()
  const { paymentId } = await world.fund(person, 230_000)
  await send(richPerson, person, '2300.00')
  await createTestBooks(world).write({ kind: 'chargeback', amount: money('USD', 220_000n), reference: paymentId })
  const returnedWithdrawalSql = `select from transaction where user_id = $1 and kind = 'WITHDRAW' and status = 'COMPLETED'`
  await expect.poll(async () => (await world.database.pool.query(returnedWithdrawalSql, [person.id])).rowCount).toBe(1)
  await followCases()
  expect(await loadCases(person)).toEqual([])
})

test('the thresholds are those of the country, of the newest row in force', async () => {
  const person = await world.enroll('greta', 'Germany')
  await send(richPerson, person, '20000.00')
  await ageSends(world.database.pool, { hours: 25, senderId: BigInt(richPerson.id) })
  const insertThreshold = (from: string, minor: bigint) =>
    world.database.pool.query(
      `insert into reporting_threshold values ('DE', 'eu_2024_1624', current_date + $1::interval, 'EUR', $2)`,
      [from, minor],
    )
  const body = { source_currency: 'EUR', recipient_id: friend.id, amount: '2450.00' } as const
  const sendBackdated = async () => {
    const { transaction_id: id } = await person.call(sendMoney, { body, idempotencyKey: randomUUID() })
    return (await loadHold(person, id))?.reason
  }
  expect(
    [await sendBackdated(), await sendBackdated(), await sendBackdated()],
    'below what the United States report',
  ).toEqual([undefined, undefined, undefined])
  await insertThreshold('2 days', 260_000n)
  expect(await sendBackdated(), 'not in force yet').toBeUndefined()
  await insertThreshold('-1 days', 260_000n)
  expect(await sendBackdated()).toBe('compliance')
})

test('concurrent payments that do not see each other open one case, found by any worker, and the next waits', async () => {
  const person = await enroll()
  await world.fund(person, 4_000_000)
  await changeMonitoringThresholds(world.database.pool, { structuring_count: 1_000_000 })
  for (const amount of ['9500.00', '9600.00', '9700.00']) await send(person, friend, amount)
  await changeMonitoringThresholds(world.database.pool)
  await waitForSnapshot()
  const counts = await Promise.all([followCases(), followCases()])
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(1)
  expect(await followCases()).toBe(0)
  expect(await loadCases(person)).toMatchObject([{ state: 'open', transfers: [] }])
  const { transaction_id: id } = await send(person, friend, '1.00')
  expect(await loadHold(person, id)).toMatchObject({ reason: 'compliance' })
  // Simulates a restored database, where all payments are checked again.
  await world.database.pool.query('update monitoring_position set cluster = 1')
  await followCases()
  expect(await loadCases(person), 'while it is open nothing further is looked for').toHaveLength(1)
})

test('a send adds one lookup, by an index', async () => {
  const { pool } = world.database
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local enable_seqscan = off')
    const from = new Date(Date.now() - 7 * 86_400_000)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${outlineSql}`, [
      richPerson.id,
      buildFirstId(from),
      from,
    ])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/transaction_pkey[^\n]*\n\s*Index Cond: \(\(user_id = u\.id\) AND \(id >= /)
    expect(plan).toContain('compliance_case_of_user')
    expect(plan).not.toContain('Seq Scan on transaction')
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('a repeated request is the same held send', async () => {
  const person = await enroll()
  const payee = await enroll()
  await send(richPerson, person, '2300.00')
  const key = randomUUID()
  const body = { source_currency: 'USD', recipient_id: payee.id, amount: '2200.00' } as const
  const first = await person.call(sendMoney, { body, idempotencyKey: key })
  const repeatedSend = await person.call(sendMoney, { body, idempotencyKey: key })
  expect(repeatedSend.transaction_id).toBe(first.transaction_id)
  expect(await loadCases(person)).toHaveLength(1)
})
