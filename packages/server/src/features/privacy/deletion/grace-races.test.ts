// Concurrent logins, deletions and workers at one account, each on its own connection: the first one wins entirely.

import { login } from '@tern/contract/sign-in'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { beginToLeave, passGrace } from '@tern/testkit/leaving'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { failedChecks, mailsTo, nextMail, settleCall } from '@tern/testkit/banking'

let world: TestApp
let deletion: TestApp['app']['product']['privacy']['deletion']
beforeAll(async () => {
  world = await startTestApp()
  deletion = world.app.product.privacy.deletion
})
afterAll(() => world.close())

/** User whose deletion is due. */
async function due(name: string): Promise<TestPerson> {
  const person = await world.enroll(name, 'United States')
  await beginToLeave(world, person.id)
  await passGrace(world, person.id)
  return person
}

const logIn = ({ call, email, password }: TestPerson) => settleCall(call(login, { body: { email, password } }))
const finish = ({ id }: TestPerson) => deletion.finish(BigInt(id))

async function stateOf({ id }: TestPerson) {
  const { rows } = await world.database.pool.query(
    `select deletion_due_at is not null as is_leaving, deleted_at is not null as is_deleted,
            (select count(*)::int from session where user_id = $1 and revoked_at is null) as sessions,
            (select bool_or(closed) from ledger.account a join wallet w on split_part(a.name, ':', 2) = w.id::text
              where w.user_id = $1) as is_closed
       from app_user where id = $1`,
    [id],
  )
  return rows[0] as unknown
}

/** Queues calls in this order for an account's lock, then releases it. */
async function inOrder(person: TestPerson, ...calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const { pool } = world.database
  const holder = await pool.connect()
  let isHolding = true
  const letGo = async () => {
    if (!isHolding) return
    isHolding = false
    await holder.query('commit')
    holder.release()
  }
  onTestFinished(letGo)
  await holder.query('begin')
  await holder.query('select from app_user where id = $1 for update', [person.id])
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const answers: Promise<unknown>[] = []
  for (const call of calls) {
    answers.push(call())
    await expect
      .poll(async () => (await pool.query(waiting)).rowCount, { interval: 5 })
      .toBeGreaterThanOrEqual(answers.length)
  }
  await letGo()
  return Promise.all(answers)
}

const there = { is_leaving: false, is_deleted: false, sessions: 1, is_closed: false }
const gone = { is_leaving: false, is_deleted: true, sessions: 0, is_closed: true }

test('a login before the worker keeps the account, open', async () => {
  const nora = await due('nora')
  const [login, outcome] = await inOrder(
    nora,
    () => logIn(nora),
    () => finish(nora),
  )
  expect(login).toMatchObject({ deletion_undone: true })
  expect(outcome).toBeUndefined()
  expect(await stateOf(nora)).toEqual(there)
})

test('a login after the worker finds no account', async () => {
  const otto = await due('otto')
  const [outcome, login] = await inOrder(
    otto,
    () => finish(otto),
    () => logIn(otto),
  )
  expect(outcome).toBe('deleted')
  expect(login).toMatchObject({ code: 'challenge_invalid' })
  expect(await stateOf(otto)).toEqual(gone)
  expect(await failedChecks(world)).toEqual([])
})

test('concurrently, one of the two wins entirely', async () => {
  for (let round = 0; round < 12; round += 1) {
    const person = await due('paula')
    const [login, outcome] = await Promise.all([
      logIn(person),
      new Promise((resolve) => setTimeout(resolve, round * 12)).then(() => finish(person)),
    ])
    const isKept = 'user' in login
    expect(outcome).toBe(isKept ? undefined : 'deleted')
    expect(await stateOf(person)).toEqual(isKept ? there : gone)
  }
  expect(await failedChecks(world)).toEqual([])
})

test('two workers delete an account once, and its owner gets one mail', async () => {
  const quin = await due('quin')
  const outcomes = await inOrder(
    quin,
    () => finish(quin),
    () => finish(quin),
  )
  expect(outcomes).toEqual(['deleted', undefined])
  await nextMail(world, quin, 'Your Tern account is deleted')
  expect(await mailsTo(world, quin, 'Your Tern account is deleted')).toHaveLength(1)
})

test('two concurrent deletions begin once: one date, one mail', async () => {
  const rosa = await world.enroll('rosa', 'United States')
  const begin = () => beginToLeave(world, rosa.id)
  const [one, other] = await inOrder(rosa, begin, begin)
  expect(one).toEqual(other)
  await nextMail(world, rosa, /^Your Tern account will be deleted on/)
  const { rows } = await world.database.pool.query(
    'select template from mail where user_id = $1 and template like $2',
    [rosa.id, 'deletion%'],
  )
  expect(rows).toHaveLength(1)
})
