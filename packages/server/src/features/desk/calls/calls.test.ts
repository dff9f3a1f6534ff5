// Calls by operators, as both sides see them, and attacks on them.

import { randomUUID } from 'node:crypto'
import { callStatus, confirmCall, refuseCall, reportCall } from '@tern/contract/calls'
import { allEndpoints } from '@tern/contract/endpoints'
import { currentUser } from '@tern/contract/identity'
import { notifications } from '@tern/contract/notifications/notifications'
import { freezeAccount } from '@tern/contract/security'
import pg from 'pg'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { completeDeletion } from '@tern/testkit/account-deletion'
import type { TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { openTestCase } from '@tern/testkit/compliance/cases'
import { startTestDesk, type TestOperator } from '@tern/testkit/desk'
import { runTask } from '@tern/testkit/processes/tasks'
import { readTopicsSince } from '../../../platform/events/topics.ts'
import { tables } from '../../list.ts'

// Two server processes on one database, each with its own admin port.
const desk = await startTestDesk()
const database = { ...desk.world.database, pool: new pg.Pool({ connectionString: desk.world.database.url }) }
const environment = { TERN_SECRET: desk.world.secret }
const otherDesk = await startTestDesk({ database, environment })
const bruno = await desk.world.enroll('bruno', 'Germany')
const lea = await desk.createOperator('lead')
let alice: TestPerson
let ana: TestOperator
afterAll(async () => {
  await otherDesk.world.close({ keepsDatabase: true })
  await desk.world.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  ana = await desk.createOperator('reviewer')
})

const query = async (sql: string, ...values: unknown[]) => (await desk.world.database.pool.query(sql, values)).rows
const start = (operator: TestOperator, person: TestPerson, about = 'payment') =>
  operator.call('POST', `/people/${person.id}/calls`, { about })
const readOwn = async (operator: TestOperator) => (await operator.call('GET', '/calls/own')).body
const status = (person: TestPerson) => person.call(callStatus, {})
const loadActs = async (person: TestPerson) =>
  (await query(`select act from desk_log where subject = $1 order by number`, String(person.id))).map(({ act }) => act)
const expire = (id: string) =>
  query(`update desk_call set started_at = started_at - interval '1 hour', expires_at = now() where id = $1`, id)

describe('a call', () => {
  test('shows caller, reason and the operator’s code to its person, and to no one else', async () => {
    const { status: code, body: call } = await start(ana, alice)
    expect([code, call]).toMatchObject([200, { person: { id: alice.id }, about: 'payment', confirmed_at: null }])
    const { current } = await status(alice)
    expect(current).toMatchObject({ id: call.id, caller: 'reviewer', about: 'payment', code: call.code })
    expect(call.code).toMatch(/^\d{6}$/)
    expect(await status(bruno)).toMatchObject({ current: null, earlier: [] })
    expect((await desk.world.raw('GET', '/calls')).status).toBe(401)
    expect(await readOwn(lea)).toMatchObject({ call: null })
    expect((await alice.call(currentUser, {})).call_until).toBe(current?.expires_at)
    expect((await bruno.call(currentUser, {})).call_until).toBeNull()
  })

  test('is on for half an hour, and is the same in every process', async () => {
    const { body: call } = await start(ana, alice)
    expect(Date.parse(call.expires_at) - Date.parse(call.started_at)).toBe(30 * 60_000)
    const headers = { authorization: `Bearer ${alice.token}` }
    const ownHere = await otherDesk.call('GET', '/calls/own', { cookie: ana.cookie })
    expect(ownHere.body.call).toEqual(call)
    expect(await status(alice)).toMatchObject({ current: { id: call.id, code: call.code } })
    expect((await fetch(`${desk.world.url}/api/calls`, { headers })).status).toBe(200)
    await otherDesk.call('POST', `/calls/${call.id}/end`, { cookie: ana.cookie })
    expect(await status(alice)).toMatchObject({ current: null, earlier: [{ id: call.id, ended_by: 'operator' }] })
  })

  test('is confirmed by its person in the app, which the operator sees', async () => {
    const { body: call } = await start(ana, alice)
    await alice.call(confirmCall, { params: { id: call.id } })
    await alice.call(confirmCall, { params: { id: call.id } })
    expect((await readOwn(ana)).call.confirmed_at).not.toBeNull()
    expect(await loadActs(alice)).toEqual(['call_started', 'call_confirmed'])
  })

  test('is followed by a notice and a mail, and stays in the history', async () => {
    const { body: call } = await start(ana, alice, 'verification')
    expect((await ana.call('POST', `/calls/${call.id}/end`)).status).toBe(204)
    expect((await ana.call('POST', `/calls/${call.id}/end`)).status).toBe(204)
    expect(await status(alice)).toMatchObject({
      current: null,
      earlier: [{ caller: 'reviewer', about: 'verification', ended_by: 'operator', confirmed_at: null }],
    })
    const notices = (await alice.call(notifications, {})).notifications.filter(({ code }) => code === 'operator_called')
    expect(notices).toMatchObject([{ params: { caller: 'reviewer', about: 'verification' }, subject_id: call.id }])
    const mails = await query(`select template from mail where user_id = $1 and template = 'operator_called'`, alice.id)
    expect(mails.length).toBe(1)
    expect(await loadActs(alice)).toEqual(['call_started', 'call_ended'])
  })

  test('reaches a page that was offline when it began', async () => {
    const positionMs = Date.now() - 1000
    const { body: call } = await start(ana, alice)
    const topics = await readTopicsSince(desk.world.database.pool, BigInt(alice.id), { xid: 0n, atMs: positionMs })
    expect(topics.map(({ topic }) => topic)).toEqual(expect.arrayContaining(['account', 'calls']))
    expect((await status(alice)).current?.id).toBe(call.id)
  })
})

describe('an attacker', () => {
  test('in a role without the right, or at their own account, starts no call', async () => {
    const pam = await desk.createOperator('payments')
    expect((await start(pam, alice)).body).toMatchObject({ code: 'desk_not_permitted' })
    await desk.command('link-account', ana.name, '--account', alice.email)
    expect((await start(ana, alice)).body).toMatchObject({ code: 'desk_involved' })
    expect(await status(alice)).toMatchObject({ current: null, earlier: [] })
    expect(await loadActs(alice)).toEqual(['refused'])
  })

  test('gets one call per person and one per operator, however many processes are asked at once', async () => {
    const ben = await desk.createOperator('reviewer')
    const body = { about: 'payment' }
    const attempts = [ana, ben, lea].flatMap(({ cookie }) =>
      [desk, otherDesk].map((process) => process.call('POST', `/people/${alice.id}/calls`, { cookie, body })),
    )
    const answers = await Promise.all(attempts)
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
    expect(answers.find((answer) => answer.status === 409)?.body).toMatchObject({ code: 'desk_call_open' })
    const callers = [ana, ben, lea]
    const caller = (await Promise.all(callers.map(readOwn))).findIndex(({ call }) => call?.person.id === alice.id)
    expect((await start(callers[caller]!, bruno)).body).toMatchObject({ code: 'desk_call_open' })
    await query(
      `update desk_call set ended_at = now(), ended_by = 'operator', code = null where user_id = $1`,
      alice.id,
    )
  })

  test('cannot try codes: no call of the API takes one, and an operator starts at most twenty calls an hour', async () => {
    const callEndpoints = Object.values(allEndpoints).filter(({ path }) => path.startsWith('/calls'))
    expect(callEndpoints.length).toBe(4)
    expect(callEndpoints.filter((endpoint) => 'body' in endpoint)).toEqual([])
    const { body: call } = await start(ana, alice)
    await ana.call('POST', `/calls/${call.id}/end`)
    await query(
      `insert into desk_call (id, user_id, operator_id, caller, about, started_at, expires_at, ended_at, ended_by)
         select gen_random_uuid(), user_id, operator_id, caller, about, started_at, expires_at, ended_at, ended_by
           from desk_call, generate_series(1, 19) where id = $1`,
      call.id,
    )
    expect((await start(ana, alice)).body).toMatchObject({ code: 'rate_limited' })
  })

  test('finds no code after the end: not in the app, at the desk, in the database or the log', async () => {
    const { body: call } = await start(ana, alice)
    await ana.call('POST', `/calls/${call.id}/end`)
    const [ended] = (await status(alice)).earlier
    expect(Object.keys(ended ?? {})).not.toContain('code')
    expect(await readOwn(ana)).toMatchObject({ call: { id: call.id, code: null } })
    expect(await query('select code from desk_call where id = $1', call.id)).toEqual([{ code: null }])
    const lines = await query(`select before, after, reason from desk_log where subject = $1`, String(alice.id))
    expect(lines).toEqual([
      { before: null, after: 'payment', reason: null },
      { before: null, after: null, reason: null },
    ])
    expect(await settleCall(alice.call(confirmCall, { params: { id: call.id } }))).toMatchObject({ code: 'not_found' })
  })

  test('neither ends nor confirms the call of another person or operator', async () => {
    const { body: call } = await start(ana, alice)
    for (const endpoint of [confirmCall, refuseCall]) {
      const answer = await settleCall(bruno.call(endpoint, { params: { id: call.id } }))
      expect(answer).toMatchObject({ code: 'not_found' })
    }
    expect((await lea.call('POST', `/calls/${call.id}/end`)).body).toMatchObject({ code: 'not_found' })
    expect((await lea.call('POST', `/calls/${randomUUID()}/end`)).body).toMatchObject({ code: 'not_found' })
    expect((await status(alice)).current).toMatchObject({ id: call.id, confirmed_at: null })
  })

  test('who is a disabled operator no longer calls', async () => {
    const { body: call } = await start(ana, alice)
    await desk.command('disable', ana.name, '--because', 'Left the company.')
    expect(await status(alice)).toMatchObject({ current: null, earlier: [{ id: call.id }] })
    expect(await settleCall(alice.call(confirmCall, { params: { id: call.id } }))).toMatchObject({ code: 'not_found' })
  })

  test('learns nothing of a case from a call', async () => {
    await openTestCase(desk.world, { userId: BigInt(alice.id), kind: 'pattern', evidence: { rule: 'test' } })
    await start(ana, alice, 'account')
    const { current } = await status(alice)
    expect(Object.keys(current ?? {}).toSorted()).toEqual(
      ['about', 'caller', 'code', 'confirmed_at', 'expires_at', 'id', 'started_at'].toSorted(),
    )
    const answer = await ana.call('POST', `/people/${bruno.id}/calls`, { about: 'compliance case' })
    expect(answer.status).toBe(422)
  })
})

describe('an end', () => {
  test('by time needs no process, and is told once by two workers', async () => {
    const { body: call } = await start(ana, alice)
    await expire(call.id)
    expect(await status(alice)).toMatchObject({ current: null, earlier: [{ ended_by: 'time' }] })
    expect((await alice.call(currentUser, {})).call_until).toBeNull()
    const products = [desk.world.app.product, otherDesk.world.app.product]
    await Promise.all(products.map((product) => runTask(product, 'end_overdue_calls')))
    const notices = (await alice.call(notifications, {})).notifications.filter(({ code }) => code === 'operator_called')
    expect(notices).toMatchObject([{ params: { ended_by: 'time' } }])
    expect((await start(ana, alice)).status).toBe(200)
  })

  test('an overdue call does not stand in the way of the next', async () => {
    const { body: call } = await start(ana, alice)
    await expire(call.id)
    expect((await start(ana, bruno)).status).toBe(200)
    const own = await readOwn(ana)
    await ana.call('POST', `/calls/${own.call.id}/end`)
  })

  test('by its person alerts the desk: another operator closes the alert, the caller cannot', async () => {
    const { body: call } = await start(ana, alice)
    await alice.call(refuseCall, { params: { id: call.id } })
    expect(await readOwn(ana)).toMatchObject({ call: { id: call.id, ended_by: 'user' } })
    expect((await readOwn(lea)).alerts).toBeGreaterThan(0)
    const { alerts } = (await lea.call('GET', '/calls/alerts')).body
    const alert = alerts.find(({ person }: { person: { id: number } }) => person.id === alice.id)
    expect(alert).toMatchObject({ kind: 'refused', operator: ana.name, about: 'payment' })
    const close = (operator: TestOperator) =>
      operator.call('POST', `/calls/alerts/${alert.id}/seen`, { reason: 'Called the customer back by the app.' })
    expect((await close(ana)).body).toMatchObject({ code: 'desk_involved' })
    expect((await close(lea)).status).toBe(204)
    expect((await close(lea)).body).toMatchObject({ code: 'not_found' })
    expect(await loadActs(alice)).toEqual(['call_started', 'call_refused', 'refused', 'call_alert_closed'])
    expect(await settleCall(alice.call(refuseCall, { params: { id: call.id } }))).toMatchObject({ code: 'not_found' })
  })

  test('of a call by somebody else is a report, which counts once an hour', async () => {
    await Promise.all([alice.call(reportCall, {}), alice.call(reportCall, {})])
    const rows = await query('select call_id from desk_call_alert where user_id = $1', alice.id)
    expect(rows).toEqual([{ call_id: null }])
    const { alerts } = (await ana.call('GET', '/calls/alerts')).body
    expect(alerts).toContainEqual(expect.objectContaining({ kind: 'impostor', operator: null, about: null }))
  })

  test('comes with the account, and a frozen account can still be called', async () => {
    await alice.call(freezeAccount, {})
    const { body: call } = await start(ana, alice)
    expect((await status(alice)).current?.id).toBe(call.id)
    await completeDeletion(desk.world, alice.id)
    expect(await query('select ended_by, code from desk_call where id = $1', call.id)).toEqual([
      { ended_by: 'account', code: null },
    ])
    expect((await start(ana, alice)).body).toMatchObject({ code: 'not_found' })
  })
})

test('an export contains the calls without their codes', async () => {
  const { body: call } = await start(ana, alice)
  const { personal } = tables.desk_call!
  const columns = typeof personal === 'object' && 'columns' in personal ? personal.columns : ''
  const rows = await query(`select ${columns} from desk_call where user_id = $1`, alice.id)
  expect(rows).toMatchObject([{ id: call.id, caller: 'reviewer', about: 'payment' }])
  expect(Object.keys(rows[0])).not.toContain('code')
})
