import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { DeskEndpoint } from '@tern/contract/desk/desk-endpoint'
import { deskEndpoints } from '@tern/contract/desk/endpoints'
import * as callEndpoints from '@tern/contract/desk/calls'
import * as operatorEndpoints from '@tern/contract/desk/operators'
import * as queueEndpoints from '@tern/contract/desk/queues'
import * as watchEndpoints from '@tern/contract/desk/watch'
import { type DeskQueue, deskQueues, deskRoles } from '@tern/contract/desk/roles'
import { directPayment } from '@tern/contract/payments'
import { sendMoney } from '@tern/contract/transfers'
import { allEndpoints } from '@tern/contract/endpoints'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { findQueueEntry, openTestCase } from '@tern/testkit/compliance/cases'
import { dispute, findReview, withdrawToBank } from '@tern/testkit/disputes'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'

let desk: TestDesk
let customer: TestPerson
let operators: Readonly<Record<string, TestOperator>>
let disabledOperator: TestOperator

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  customer = await desk.world.enroll('carla', 'United States')
  const staffEntries = await Promise.all(
    deskRoles.map(async (role) => [role, await desk.createOperator(role)] as const),
  )
  operators = Object.fromEntries(staffEntries)
  disabledOperator = await desk.createOperator('lead')
  expect(await desk.command('disable', disabledOperator.name, '--because', 'has left the company')).toEqual([
    0,
    `${disabledOperator.name} is disabled.`,
  ])
})
afterAll(() => desk.world.close())

type Name = keyof typeof deskEndpoints

// Roles that may make each call; the type requires an entry for every call.
const allowedCallers: Readonly<Record<Name, 'everybody' | 'signed in' | 'by queue' | readonly string[]>> = {
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
  startCall: ['reviewer', 'lead'],
  readOwnCall: ['reviewer', 'lead'],
  endCall: ['reviewer', 'lead'],
  listCallAlerts: ['reviewer', 'lead'],
  closeCallAlert: ['reviewer', 'lead'],
  readTreasury: ['payments', 'lead'],
  listOperators: ['lead'],
  disableOperator: ['lead'],
  readLog: ['lead', 'auditor'],
}
const queuesByRole: Readonly<Record<string, readonly DeskQueue[]>> = {
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
  startCall: { about: 'question' },
  closeCallAlert: { reason: 'long enough a reason' },
}

const cases = Object.entries(deskEndpoints).flatMap(([name, endpoint]) =>
  (allowedCallers[name as Name] === 'by queue' ? deskQueues : [undefined]).map((queue) => ({
    name: name as Name,
    endpoint: endpoint as DeskEndpoint,
    queue,
  })),
)
type Case = (typeof cases)[number]

const callEndpoint = (
  { name, endpoint, queue }: Case,
  cookie: string | undefined,
  headers: Record<string, string> = {},
) => {
  const path = endpoint.path
    .replace(':queue', queue ?? '')
    .replace(':id', randomUUID())
    .replace(':fileId', randomUUID())
  return desk.call(endpoint.method, path, { cookie, body: bodies[name], headers })
}

function isAllowed({ name, queue }: Case, role: string): boolean {
  const allowedRoles = allowedCallers[name]
  if (allowedRoles === 'everybody' || allowedRoles === 'signed in') return true
  return allowedRoles === 'by queue' ? queuesByRole[role]?.includes(queue!) === true : allowedRoles.includes(role)
}

describe.each(cases)('$name $queue', (testCase) => {
  test.each<[string, () => [string | undefined, Record<string, string>]]>([
    ['nobody', () => [undefined, {}]],
    ['a disabled operator', () => [disabledOperator.cookie, {}]],
    [
      'a customer',
      () => [`rt=${customer.token}; desk=${customer.token}`, { authorization: `Bearer ${customer.token}` }],
    ],
  ])('%s', async (_case, credentials) => {
    const { status, body } = await callEndpoint(testCase, ...credentials())
    if (allowedCallers[testCase.name] === 'everybody') expect(status).not.toBe(401)
    else expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  test.each(deskRoles)('%s', async (role) => {
    // Signing out ends its session, so it gets a separate one.
    const { cookie } =
      testCase.name === 'signOut' ? await desk.signIn(operators[role]!.authenticator) : operators[role]!
    const { status, body } = await callEndpoint(testCase, cookie)
    if (isAllowed(testCase, role)) expect([401, 403, 500]).not.toContain(status)
    else expect([status, body.code]).toEqual([403, 'desk_not_permitted'])
  })

  test('another site', async () => {
    const { cookie } = operators.lead!
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: desk.world.url },
    ]) {
      expect((await callEndpoint(testCase, cookie, headers)).body).toMatchObject({ code: 'cross_site_request' })
    }
  })
})

describe('an entry that concerns an account of an operator’s own', () => {
  const reason = 'Compared with the papers we have.'
  const query = async (sql: string, ...values: unknown[]) => (await desk.world.database.pool.query(sql, values)).rows
  const sendFrom = (sender: TestPerson, overrides: object = {}) => {
    const body = { recipient_id: customer.id, amount: '10.00', source_currency: 'USD', ...overrides } as const
    return sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  }
  const openCase = async (userId: number) => {
    const { transaction_id: transferId } = await sendFrom(payer, { undo_seconds: 1800 })
    const evidence = { rule: 'test' }
    return openTestCase(desk.world, { userId: BigInt(userId), kind: 'pattern', evidence, transferId })
  }

  let owner: TestOperator
  let payer: TestPerson
  beforeAll(async () => {
    payer = await desk.world.enroll('piet', 'United States')
    await desk.world.fund(payer, 50_000)
    owner = await desk.createOperator('lead')
    expect((await desk.command('link-account', owner.name, '--account', customer.email))[0]).toBe(0)
  })

  const verdicts: Readonly<Record<DeskQueue, string>> = {
    ...{ verifications: 'reject', holds: 'reject', exceptions: 'close', payouts: 'settle' },
    ...{ cases: 'clear', objections: 'dismiss', disputes: 'dismiss' },
  }
  // Creates an open entry of each queue that concerns the customer; most are about another person too.
  const entries: Readonly<Record<DeskQueue, () => Promise<string>>> = {
    verifications: async () => {
      const sql = `update kyc_submission set status = 'in_review' where user_id = $1 returning id`
      return (await query(sql, customer.id))[0].id
    },
    holds: async () => {
      const { transaction_id: id } = await sendFrom(payer, { undo_seconds: 1800 })
      await query(`update transfer set hold_reason = 'review' where id = $1 and state = 'held'`, id)
      return id
    },
    exceptions: async () => {
      const { payment_id: payment } = await payer.call(directPayment, {
        body: { amount: 2500, currency: 'usd', recipientId: String(customer.id), paymentSource: 'card' },
        idempotencyKey: randomUUID(),
      })
      const sql = `insert into reconciliation_exception (id, kind, provider, subject, reference, detail, opened_at)
        values (gen_random_uuid(), 'missing_internal', 'sandbox', 'movement', $1, 'missing_internal', now()) returning id`
      return (await query(sql, payment))[0].id
    },
    payouts: async () => {
      await desk.world.fund(customer, 5000)
      const { id } = await withdrawToBank(desk, customer, '5.00', 'harbour')
      await query(`update payout set expected_on = '2020-01-01' where id = $1`, id)
      return id
    },
    cases: async () => findQueueEntry(desk.world, await openCase(payer.id)),
    objections: async () => {
      const sql = `insert into compliance_objection (id, case_id, user_id, text, made_at, decide_by)
        values ($1, $2, $3, 'I am somebody else.', now(), now() + interval '1 day') returning id`
      return (await query(sql, randomUUID(), await openCase(payer.id), payer.id))[0].id
    },
    disputes: async () => {
      const { transaction_id: id } = await sendFrom(payer)
      return findReview(desk, (await dispute(payer, id)).id)
    },
  }

  test.each(deskQueues)('in %s is neither shown to them nor changed by them', async (queue) => {
    const id = await entries[queue]()
    const isSecret = queue === 'cases' || queue === 'objections'
    const expectedRefusal = isSecret ? [404, 'not_found'] : [403, 'desk_involved']
    const path = `/queues/${queue}/${id}`
    const verdict = verdicts[queue]
    const calls = [
      ['POST', 'decision', { verdict, reason }],
      ['POST', 'claim'],
      ['POST', 'hand-over', { to: null, reason }],
      ['POST', 'escalation', { reason }],
      ['POST', 'notes', { text: reason }],
      ['POST', 'question'],
      ['POST', 'carry-out'],
      ['GET', `files/${randomUUID()}`],
    ] as const
    for (const [method, action, body] of calls) {
      const answer = await owner.call(method, `${path}/${action}`, body)
      expect([action, answer.status, answer.body.code]).toEqual([action, ...expectedRefusal])
    }
    const findListItem = async (operator: TestOperator) =>
      (await operator.call('GET', `/queues/${queue}`)).body.items.find((item: { id: string }) => item.id === id)
    const openAnswer = await owner.call('GET', path)
    if (isSecret) {
      expect([openAnswer.status, await findListItem(owner)]).toEqual([404, undefined])
    } else {
      const emptyEntry = { who: null, amount: null, barred: 'involved', claimed_by: null }
      expect(openAnswer.body).toMatchObject({ ...emptyEntry, sections: [], verdicts: [], decisions: [], timeline: [] })
      expect(await findListItem(owner)).toMatchObject(emptyEntry)
    }
    // Other operators see the entry in full, and the length of the list equals the queue's count.
    expect(await findListItem(operators.lead!)).toMatchObject({ barred: null })
    expect((await operators.lead!.call('GET', path)).body.sections).not.toEqual([])
    const { counts } = (await owner.call('GET', '/queues')).body
    expect((await owner.call('GET', `/queues/${queue}`)).body.items).toHaveLength(counts[queue])
    const [line] = await query(
      `select count(*) from desk_log where queue = $1 and subject = $2 and act = 'refused' and actor = $3`,
      ...[queue, id, owner.name],
    )
    expect(Number(line.count)).toBeGreaterThan(7)
  })
})

test('every call of the contract is listed, and so tested above', () => {
  const declaredEndpoints = { ...operatorEndpoints, ...queueEndpoints, ...watchEndpoints, ...callEndpoints }
  expect(Object.keys(deskEndpoints).toSorted()).toEqual(Object.keys(declaredEndpoints).toSorted())
})

test('every changing call is sent with its origin', async () => {
  const response = await fetch(`${desk.origin}/desk/api/session/options`, { method: 'POST' })
  expect(response.status).toBe(403)
})

describe('the public port', () => {
  const requestStatus = async (path: string, headers: Record<string, string>) => {
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
  ])('does not serve %s', async (path) => {
    const { cookie } = operators.lead!
    const { host } = new URL(desk.origin)
    for (const headers of [
      { cookie },
      { cookie, host: new URL(desk.world.url).host, 'x-forwarded-host': host, forwarded: `host=${host}` },
      { cookie, 'x-forwarded-port': new URL(desk.origin).port, 'x-original-url': '/desk/api/queues' },
    ]) {
      expect(await requestStatus(path, headers)).toBe(404)
    }
    expect(await requestStatus(path, { cookie, host })).toBeGreaterThanOrEqual(404)
  })

  test('accepts no session of the desk', async () => {
    const token = operators.lead!.cookie.split('=')[1]!
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `rt=${token}; desk=${token}` }]) {
      expect(await desk.world.raw('GET', '/user/user', { headers })).toMatchObject({ status: 401 })
      const refreshReply = await desk.world.raw('POST', '/user/refresh', { headers })
      expect(refreshReply.status).toBeGreaterThanOrEqual(400)
    }
  })

  test('serves no call of the desk', () => {
    const addresses = new Set(Object.values(allEndpoints).map(({ path }) => path))
    expect(Object.values(deskEndpoints).filter(({ path }) => addresses.has(path as never))).toEqual([])
    expect(JSON.stringify(allEndpoints)).not.toContain('desk')
  })
})

test('the desk answers under its own name alone', async () => {
  const requestAt = async (host: string, path = '/desk/api/session') => {
    const request = httpRequest(new URL(path, desk.origin.replace('localhost', '127.0.0.1')), {
      headers: { host },
    }).end()
    const [response] = await once(request, 'response')
    response.resume()
    return [response.statusCode, response.headers.location]
  }
  const { host, port } = new URL(desk.origin)
  expect((await requestAt(host))[0]).toBe(401)
  for (const host of ['attacker.example', `127.0.0.1:${port}`, `localhost.attacker.example:${port}`]) {
    expect((await requestAt(host))[0]).toBe(421)
  }
  expect(await requestAt(`127.0.0.1:${port}`, '/desk')).toEqual([302, `${desk.origin}/desk`])
})
