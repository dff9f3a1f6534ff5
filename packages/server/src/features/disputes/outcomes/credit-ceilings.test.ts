import { readDispute } from '@tern/contract/disputes/disputes'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { decideAsOperator, dispute, expireDeadlines, sendTo } from '@tern/testkit/disputes'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail } from '@tern/testkit/banking'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'

let desk: TestDesk
let ana: TestOperator
let bruno: TestPerson

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  ana = await desk.createOperator('payments')
  bruno = await desk.world.enroll('bruno', 'United States')
})
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})
afterEach(() => setCeilings(250_000, 10_000_000))

const setCeilings = (person: number, total: number) =>
  desk.world.database.pool.query(
    'insert into dispute_credit_policy select max(version) + 1, $1, $2 from dispute_credit_policy',
    [person, total],
  )
const loadDispute = (person: TestPerson, id: string) => person.call(readDispute, { params: { id } })
const listCodes = async (person: TestPerson, id: string) =>
  (await loadDispute(person, id)).events.map(({ code }) => code)

async function openDisputes(person: TestPerson, amounts: readonly string[]): Promise<string[]> {
  const ids = []
  for (const amount of amounts) {
    const { id } = await dispute(person, await sendTo(person, bruno, amount))
    await expireDeadlines(desk, id, ['credit_by'])
    ids.push(id)
  }
  return ids
}

async function createPayer(): Promise<TestPerson> {
  const person = await desk.world.enroll('alice', 'United States')
  await desk.world.fund(person, 20_000)
  return person
}

test('a credit above a person’s ceiling waits for an operator, and its holder is notified', async () => {
  await setCeilings(7_000, 10_000_000)
  const person = await createPayer()
  const [first = '', second = ''] = await openDisputes(person, ['50.00', '30.00'])
  const { runDue } = desk.world.app.product.disputes
  await Promise.all([runDue(), runDue()])
  await runDue()
  expect(await listCodes(person, first)).toEqual(['opened', 'credited_provisionally'])
  expect(await listCodes(person, second)).toEqual(['opened', 'credit_waits'])
  expect(await loadDispute(person, second)).toMatchObject({ state: 'open', credit_by: null, credits: [] })
  expect(await nextMail(desk.world, person, 'Your dispute: a person will review your credit')).toContain(
    'would exceed it',
  )
  expect((await decideAsOperator(desk, ana, second, 'give_credit')).body).toMatchObject({ outcome: 'carried_out' })
  expect(await loadDispute(person, second)).toMatchObject({
    state: 'open',
    credits: [{ kind: 'provisional', amount: '30.15' }],
  })
  expect((await decideAsOperator(desk, ana, second, 'give_credit')).body).toMatchObject({
    cause: 'dispute_no_credit_due',
  })
  expect((await decideAsOperator(desk, ana, second, 'dismiss')).body).toMatchObject({ outcome: 'carried_out' })
})

test('a waiting credit is posted automatically once a decided dispute has made room', async () => {
  await setCeilings(7_000, 10_000_000)
  const person = await createPayer()
  const [first = '', second = ''] = await openDisputes(person, ['50.00', '30.00'])
  const { runDue } = desk.world.app.product.disputes
  await runDue()
  await decideAsOperator(desk, ana, first, 'dismiss')
  await runDue()
  expect(await listCodes(person, second)).toEqual(['opened', 'credit_waits', 'credited_provisionally'])
})

test('concurrent credits stay below the installation’s ceiling in total', async () => {
  const { pool } = desk.world.database
  const { rows } = await pool.query<{ given: bigint }>(
    `select coalesce(sum(credit_usd_minor), 0) as given from dispute where state = 'open'`,
  )
  await setCeilings(10_000_000, Number(rows[0]?.given ?? 0n) + 10_000)
  const people = await Promise.all(Array.from({ length: 4 }, createPayer))
  const ids = await Promise.all(people.map((person) => openDisputes(person, ['40.00'])))
  const { runDue } = desk.world.app.product.disputes
  await Promise.all([runDue(), runDue(), runDue()])
  await runDue()
  const events = await Promise.all(people.map((person, index) => listCodes(person, ids[index]?.[0] ?? '')))
  const lastEventCodes = events.map((codes) => codes.at(-1))
  expect(lastEventCodes.filter((code) => code === 'credited_provisionally')).toHaveLength(2)
  expect(lastEventCodes.filter((code) => code === 'credit_waits')).toHaveLength(2)
})

test('a due credit is posted even if 200 older ones wait', async () => {
  await setCeilings(100, 10_000_000)
  const people = await Promise.all(Array.from({ length: 20 }, createPayer))
  const amounts = Array.from({ length: 10 }, () => '2.00')
  await Promise.all(people.map((person) => openDisputes(person, amounts)))
  const lastPayer = await createPayer()
  const [last = ''] = await openDisputes(lastPayer, ['0.50'])
  await desk.world.app.product.disputes.runDue()
  expect(await listCodes(lastPayer, last)).toEqual(['opened', 'credited_provisionally'])
})
