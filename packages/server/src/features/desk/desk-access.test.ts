import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { DeskEndpoint } from '@tern/contract/desk/desk-endpoint'
import { deskEndpoints } from '@tern/contract/desk/endpoints'
import * as declaredOfOperators from '@tern/contract/desk/operators'
import * as declaredOfQueues from '@tern/contract/desk/queues'
import * as declaredOfWatch from '@tern/contract/desk/watch'
import { type DeskQueue, deskQueues, deskRoles } from '@tern/contract/desk/roles'
import { allEndpoints } from '@tern/contract/endpoints'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestPerson } from '../../../../../tools/testing/test-app.ts'
import { startTestDesk, type TestDesk, type TestOperator } from '../../../../../tools/testing/test-desk.ts'

let desk: TestDesk
let customer: TestPerson
let operators: Readonly<Record<string, TestOperator>>
let disabled: TestOperator

beforeAll(async () => {
  desk = await startTestDesk()
  customer = await desk.world.enroll('carla', 'Germany')
  const staff = await Promise.all(deskRoles.map(async (role) => [role, await desk.employ(role)] as const))
  operators = Object.fromEntries(staff)
  disabled = await desk.employ('lead')
  expect(await desk.command('disable', disabled.name, '--because', 'has left the company')).toEqual([
    0,
    `${disabled.name} is disabled.`,
  ])
})
afterAll(() => desk.world.close())

type Name = keyof typeof deskEndpoints

// Who may make each call. A call that is missing here does not compile.
const whoMay: Readonly<Record<Name, 'everybody' | 'signed in' | 'by queue' | readonly string[]>> = {
  beginEnrolment: 'everybody',
  finishEnrolment: 'everybody',
  beginSignIn: 'everybody',
  signIn: 'everybody',
  readMe: 'signed in',
  signOut: 'signed in',
  countQueues: 'signed in',
  listQueue: 'by queue',
  openDeskItem: 'by queue',
  readDeskFile: 'by queue',
  decideDeskItem: 'by queue',
  carryOutDeskItem: 'by queue',
  claimDeskItem: 'by queue',
  handOverDeskItem: 'by queue',
  escalateDeskItem: 'by queue',
  noteDeskItem: 'by queue',
  askProvider: 'by queue',
  lookUpPerson: ['reviewer', 'lead'],
  readTreasury: ['payments', 'lead'],
  listOperators: ['lead'],
  disableOperator: ['lead'],
  readLog: ['lead', 'auditor'],
}
const queuesOf: Readonly<Record<string, readonly DeskQueue[]>> = {
  reviewer: ['verifications', 'holds', 'cases', 'objections'],
  payments: ['exceptions', 'payouts', 'disputes'],
  lead: deskQueues,
  auditor: [],
}

const bodies: Partial<Record<Name, unknown>> = {
  beginEnrolment: { token: 'x'.repeat(43) },
  finishEnrolment: { token: 'x'.repeat(43), ceremony: randomUUID(), response: {} },
  signIn: { ceremony: randomUUID(), response: {} },
  decideDeskItem: { verdict: 'settle', reason: 'long enough a reason' },
  handOverDeskItem: { to: null, reason: 'long enough a reason' },
  escalateDeskItem: { reason: 'long enough a reason' },
  noteDeskItem: { text: 'long enough a note' },
  disableOperator: { reason: 'long enough a reason' },
  lookUpPerson: { who: 'nobody.of.this.name' },
}

const cases = Object.entries(deskEndpoints).flatMap(([name, endpoint]) =>
  (whoMay[name as Name] === 'by queue' ? deskQueues : [undefined]).map((queue) => ({
    name: name as Name,
    endpoint: endpoint as DeskEndpoint,
    queue,
  })),
)
type Case = (typeof cases)[number]

const ask = ({ name, endpoint, queue }: Case, cookie: string | undefined, headers: Record<string, string> = {}) => {
  const path = endpoint.path
    .replace(':queue', queue ?? '')
    .replace(':id', randomUUID())
    .replace(':fileId', randomUUID())
  return desk.call(endpoint.method, path, { cookie, body: bodies[name], headers })
}

function isAllowed({ name, queue }: Case, role: string): boolean {
  const who = whoMay[name]
  if (who === 'everybody' || who === 'signed in') return true
  return who === 'by queue' ? queuesOf[role]?.includes(queue!) === true : who.includes(role)
}

describe.each(cases)('$name $queue', (one) => {
  test.each<[string, () => [string | undefined, Record<string, string>]]>([
    ['nobody', () => [undefined, {}]],
    ['a disabled operator', () => [disabled.cookie, {}]],
    [
      'a customer',
      () => [`rt=${customer.token}; desk=${customer.token}`, { authorization: `Bearer ${customer.token}` }],
    ],
  ])('%s', async (_who, credentials) => {
    const { status, body } = await ask(one, ...credentials())
    if (whoMay[one.name] === 'everybody') expect(status).not.toBe(401)
    else expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  test.each(deskRoles)('%s', async (role) => {
    // Whoever signs out does so in a session of their own.
    const { cookie } = one.name === 'signOut' ? await desk.signIn(operators[role]!.authenticator) : operators[role]!
    const { status, body } = await ask(one, cookie)
    if (isAllowed(one, role)) expect([401, 403, 500]).not.toContain(status)
    else expect([status, body.code]).toEqual([403, 'desk_not_permitted'])
  })

  test('another site', async () => {
    const { cookie } = operators.lead!
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: desk.world.url },
    ]) {
      expect((await ask(one, cookie, headers)).body).toMatchObject({ code: 'cross_site_request' })
    }
  })
})

test('every call that the contract declares is listed, and so tried above', () => {
  const declared = { ...declaredOfOperators, ...declaredOfQueues, ...declaredOfWatch }
  expect(Object.keys(deskEndpoints).toSorted()).toEqual(Object.keys(declared).toSorted())
})

test('what changes something names where it comes from', async () => {
  const response = await fetch(`${desk.origin}/desk/api/session/options`, { method: 'POST' })
  expect(response.status).toBe(403)
})

describe('the public port', () => {
  const statusAt = async (path: string, headers: Record<string, string>) => {
    const request = httpRequest(desk.world.url, { path, headers }).end()
    const [response] = await once(request, 'response')
    response.resume()
    return response.statusCode
  }

  test.each([
    '/desk',
    '/desk/',
    '/desk/api/session',
    '/desk/api/queues',
    '/api/desk/queues',
    '//desk/api/queues',
    '/%64esk/api/queues',
    '/DESK/api/queues',
    '/x/../desk/api/queues',
    '/desk/api/log?port=admin',
  ])('has no %s', async (path) => {
    const { cookie } = operators.lead!
    const { host } = new URL(desk.origin)
    for (const headers of [
      { cookie },
      { cookie, host: new URL(desk.world.url).host, 'x-forwarded-host': host, forwarded: `host=${host}` },
      { cookie, 'x-forwarded-port': new URL(desk.origin).port, 'x-original-url': '/desk/api/queues' },
    ]) {
      expect(await statusAt(path, headers)).toBe(404)
    }
    expect(await statusAt(path, { cookie, host })).toBeGreaterThanOrEqual(404)
  })

  test('accepts no session of the desk', async () => {
    const token = operators.lead!.cookie.split('=')[1]!
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `rt=${token}; desk=${token}` }]) {
      expect(await desk.world.raw('GET', '/user/user', { headers })).toMatchObject({ status: 401 })
      const refreshed = await desk.world.raw('POST', '/user/refresh', { headers })
      expect(refreshed.status).toBeGreaterThanOrEqual(400)
    }
  })

  test('knows no call of the desk', () => {
    const addresses = new Set(Object.values(allEndpoints).map(({ path }) => path))
    expect(Object.values(deskEndpoints).filter(({ path }) => addresses.has(path as never))).toEqual([])
    expect(JSON.stringify(allEndpoints)).not.toContain('desk')
  })
})

test('the desk answers under its own name alone', async () => {
  const at = async (host: string, path = '/desk/api/session') => {
    const request = httpRequest(new URL(path, desk.origin.replace('localhost', '127.0.0.1')), {
      headers: { host },
    }).end()
    const [response] = await once(request, 'response')
    response.resume()
    return [response.statusCode, response.headers.location]
  }
  const { host, port } = new URL(desk.origin)
  expect((await at(host))[0]).toBe(401)
  for (const other of ['attacker.example', `127.0.0.1:${port}`, `localhost.attacker.example:${port}`]) {
    expect((await at(other))[0]).toBe(421)
  }
  expect(await at(`127.0.0.1:${port}`, '/desk')).toEqual([302, `${desk.origin}/desk`])
})
