// Concurrent logins, deletions and workers on one account, each over its own connection: the first one prevails.

import { login } from '@tern/contract/sign-in'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { beginDeletion, endGracePeriod } from '@tern/testkit/account-deletion'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, loadMails, nextMail, settleCall } from '@tern/testkit/banking'

let world: TestApp
let deletion: TestApp['app']['product']['privacy']['deletion']
beforeAll(async () => {
  world = await startTestApp()
  deletion = world.app.product.privacy.deletion
})
afterAll(() => world.close())

/** Enrolls a user, and makes the deletion of their account due. */
async function enrollDueForDeletion(name: string): Promise<TestPerson> {
  const person = await world.enroll(name, 'United States')
  await beginDeletion(world, person.id)
  await endGracePeriod(world, person.id)
  return person
}

const logIn = ({ call, email, password }: TestPerson) => settleCall(call(login, { body: { email, password } }))
const finishDeletion = ({ id }: TestPerson) => deletion.finish(BigInt(id))

async function loadState({ id }: TestPerson) {
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

/** Starts calls so that they wait for an account's lock in this order, then releases the lock. */
async function runInOrder(person: TestPerson, ...calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const { pool } = world.database
  const holder = await pool.connect()
  let isHolding = true
  const releaseAccounts = async () => {
    if (!isHolding) return
    isHolding = false
    await holder.query('commit')
    holder.release()
  }
  onTestFinished(releaseAccounts)
  await holder.query('begin')
  await holder.query('select from app_user where id = $1 for update', [person.id])
  const blockedSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const answers: Promise<unknown>[] = []
  for (const call of calls) {
    answers.push(call())
    await expect
      .poll(async () => (await pool.query(blockedSql)).rowCount, { interval: 5 })
      .toBeGreaterThanOrEqual(answers.length)
  }
  await releaseAccounts()
  return Promise.all(answers)
}

const keptState = { is_leaving: false, is_deleted: false, sessions: 1, is_closed: false }
const deletedState = { is_leaving: false, is_deleted: true, sessions: 0, is_closed: true }

test('a login before the worker keeps the account, open', async () => {
  const nora = await enrollDueForDeletion('nora')
  const [login, outcome] = await runInOrder(
    nora,
    () => logIn(nora),
    () => finishDeletion(nora),
  )
  expect(login).toMatchObject({ deletion_undone: true })
  expect(outcome).toBeUndefined()
  expect(await loadState(nora)).toEqual(keptState)
})

test('a login after the worker finds no account', async () => {
  const otto = await enrollDueForDeletion('otto')
  const [outcome, login] = await runInOrder(
    otto,
    () => finishDeletion(otto),
    () => logIn(otto),
  )
  expect(outcome).toBe('deleted')
  expect(login).toMatchObject({ code: 'challenge_invalid' })
  expect(await loadState(otto)).toEqual(deletedState)
  expect(await loadFailedChecks(world)).toEqual([])
})

test('concurrently, one of the two wins entirely', async () => {
  for (let round = 0; round < 12; round += 1) {
    const person = await enrollDueForDeletion('paula')
    const [login, outcome] = await Promise.all([
      logIn(person),
      new Promise((resolve) => setTimeout(resolve, round * 12)).then(() => finishDeletion(person)),
    ])
    const isAccountKept = 'user' in login
    expect(outcome).toBe(isAccountKept ? undefined : 'deleted')
    expect(await loadState(person)).toEqual(isAccountKept ? keptState : deletedState)
  }
  expect(await loadFailedChecks(world)).toEqual([])
})

test('two workers delete an account once, and its owner gets one mail', async () => {
  const quin = await enrollDueForDeletion('quin')
  const outcomes = await runInOrder(
    quin,
    () => finishDeletion(quin),
    () => finishDeletion(quin),
  )
  expect(outcomes).toEqual(['deleted', undefined])
  await nextMail(world, quin, 'Your Tern account is deleted')
  expect(await loadMails(world, quin, 'Your Tern account is deleted')).toHaveLength(1)
})

test('two concurrent deletions begin once: one date, one mail', async () => {
  const rosa = await world.enroll('rosa', 'United States')
  const startDeletion = () => beginDeletion(world, rosa.id)
  const [firstDeletion, secondDeletion] = await runInOrder(rosa, startDeletion, startDeletion)
  expect(firstDeletion).toEqual(secondDeletion)
  await nextMail(world, rosa, /^Your Tern account will be deleted on/)
  const { rows } = await world.database.pool.query(
    'select template from mail where user_id = $1 and template like $2',
    [rosa.id, 'deletion%'],
  )
  expect(rows).toHaveLength(1)
})
