import { randomUUID } from 'node:crypto'
import {
  notificationGroups,
  notifications,
  readNotification,
  readNotifications,
  unreadNotifications,
} from '@tern/contract/notifications/notifications'
import { beforeEach, expect, test, vi } from 'vitest'
import { untilDayLasts } from '../../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { callNode, startNode } from '@tern/testkit/nodes'
import { transact } from '../../platform/database/db.ts'
import type { Notice } from './notices.ts'

let ana: TestPerson
let count = 0

const world = await openTestApp()
const ben = await world.enroll('ben', null)
beforeEach(async () => {
  // Groups about money end with the day.
  await untilDayLasts(world.app.product.now)
  ana = await world.enroll(`ana${(count += 1)}`, null)
})

const person = { id: 1_000_000_009, name: 'Grace Tan', username: 'grace' }
const notice = (more: Partial<Notice> = {}): Notice =>
  ({
    code: 'request_declined',
    params: { person, amount: '640.00', currency: 'USD', description: 'Design retainer' },
    subjectId: randomUUID(),
    ...more,
  }) as Notice

const tell = (told: Notice, { id } = ana) =>
  transact(world.app.product.pool, (tx) => world.app.product.notifications.notify(tx, { userId: BigInt(id), ...told }))
const loadList = (someone: TestPerson, cursor?: string) =>
  someone.call(notifications, cursor ? { query: { cursor } } : {})
const countUnread = async (someone: TestPerson) => (await someone.call(unreadNotifications, {})).unread

test('a notification is listed as stored, newest first, for its user only', async () => {
  const told = [notice({ code: 'request_paid' }), notice()]
  for (const one of told) expect(await tell(one)).toBe(true)
  const { notifications: listed, unread, next_cursor: next } = await loadList(ana)
  expect(listed.map(({ code, subject_id: subject }) => [code, subject])).toEqual([
    ['request_declined', told[1]?.subjectId],
    ['request_paid', told[0]?.subjectId],
  ])
  expect(listed[1]).toMatchObject({ params: told[0]?.params, needs_action: false, read_at: null })
  expect([unread, next]).toEqual([2, null])
  expect(await loadList(ben)).toMatchObject({ notifications: [], unread: 0 })
})

test('one event is notified once, also by two concurrent transactions', async () => {
  const same = notice()
  const told = await Promise.all(Array.from({ length: 8 }, () => tell(same)))
  expect(told.filter(Boolean)).toHaveLength(1)
  expect(await tell(same, ben), 'another person is told of it too').toBe(true)
  expect(await tell({ ...same, dedupe: 'its second reminder' })).toBe(true)
  expect(await countUnread(ana)).toBe(2)
})

test('a notification of a failed transaction is not stored', async () => {
  const failing = transact(world.app.product.pool, async (tx) => {
    await world.app.product.notifications.notify(tx, { userId: BigInt(ana.id), ...notice() })
    throw new Error('too late')
  })
  await expect(failing).rejects.toThrow('too late')
  expect(await loadList(ana)).toMatchObject({ notifications: [], unread: 0 })
})

test('pages follow one another without a gap while others arrive', async () => {
  for (let index = 0; index < 65; index += 1) await tell(notice({ dedupe: String(index) }))
  const first = await loadList(ana)
  await tell(notice())
  const second = await loadList(ana, first.next_cursor ?? '')
  const third = await loadList(ana, second.next_cursor ?? '')
  expect([first, second, third].map((page) => page.notifications.length)).toEqual([30, 30, 5])
  expect(third.next_cursor).toBeNull()
  const ids = [first, second, third].flatMap((page) => page.notifications.map(({ id }) => id))
  expect(new Set(ids).size).toBe(65)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(await countUnread(ana)).toBe(66)
})

test('reading one answers it; reading all up to one leaves open those that need an answer, and none unread', async () => {
  for (let index = 0; index < 3; index += 1) await tell(notice())
  await tell(login())
  const before = await loadList(ana)
  expect([before.needs_action.map(({ code }) => code), before.unread]).toEqual([['new_sign_in'], 4])
  const [newest, middle] = before.notifications
  await ana.call(readNotification, { params: { id: newest?.id ?? '' } })
  expect(await countUnread(ana)).toBe(3)
  await ana.call(readNotifications, { body: { up_to: middle?.id ?? '' } })
  expect(await countUnread(ana)).toBe(1)
  await tell(notice())
  const waiting = before.needs_action[0]?.id ?? ''
  await ana.call(readNotifications, { body: { up_to: (await loadList(ana)).notifications[0]?.id ?? '' } })
  const seen = await loadList(ana)
  expect(seen).toMatchObject({ needs_action: [{ id: waiting, answered_at: null }], unread: 0 })
  expect(seen.needs_action[0]?.read_at).not.toBeNull()
  await ana.call(readNotification, { params: { id: waiting } })
  const after = await loadList(ana)
  expect(after).toMatchObject({ needs_action: [], unread: 0 })
  expect(after.notifications.map(({ id }) => id)).toContain(waiting)
})

const chrome = { browser: 'Chrome', system: 'Linux', country: 'US', network: '192.0.2.0/24' }
const safari = { browser: 'Safari', system: 'iPhone', country: 'US', network: '192.0.2.0/24' }
const login = (params: typeof chrome = chrome): Notice => ({
  code: 'new_sign_in',
  params,
  subjectId: randomUUID(),
  needsAction: true,
})
const change = (kind: string, params: typeof chrome = chrome): Notice => ({
  code: 'security_change',
  params: { change: kind, ...params },
})
const received = (amount: string, currency: 'USD' | 'EUR' = 'USD', from = person): Notice => ({
  code: 'money_received',
  params: { person: from, amount, currency, description: '' },
  subjectId: randomUUID(),
})
const other = { ...person, id: 1_000_000_010, name: 'Kenji Watanabe' }

const loadGroups = (someone: TestPerson, cursor?: string) =>
  someone.call(notificationGroups, cursor ? { query: { cursor } } : {})
/** Code, size, unread count and total of each group. */
const summarizeGroup = ({
  latest,
  count: size,
  unread,
  total,
}: Awaited<ReturnType<typeof loadGroups>>['groups'][number]) => [latest.code, size, unread, total]

test.each([
  ['logins of one device', [login(), login(), login()], [['new_sign_in', 3, 3, null]], []],
  [
    'logins of two devices',
    [login(), login(safari), login()],
    [
      ['new_sign_in', 2, 2, null],
      ['new_sign_in', 1, 1, null],
    ],
    [],
  ],
  [
    'logins of one device in two countries',
    [login(), login({ ...chrome, country: 'BR' })],
    [
      ['new_sign_in', 1, 1, null],
      ['new_sign_in', 1, 1, null],
    ],
    [],
  ],
  [
    'two kinds of one device',
    [login(), change('password_changed'), change('password_changed'), change('totp_added')],
    [['new_sign_in', 1, 1, null]],
    [
      ['security_change', 1, 1, null],
      ['security_change', 2, 2, null],
    ],
  ],
  [
    'payments from one person in one currency',
    [received('0.10'), received('0.20'), received('5.00', 'EUR'), received('1.00', 'USD', other)],
    [],
    [
      ['money_received', 1, 1, null],
      ['money_received', 1, 1, null],
      ['money_received', 2, 2, '0.30'],
    ],
  ],
  [
    'events that are single by their nature',
    [notice(), notice()],
    [],
    [
      ['request_declined', 1, 1, null],
      ['request_declined', 1, 1, null],
    ],
  ],
] as const)('the bell groups %s, and counts the groups', async (_, told, open, others) => {
  for (const one of told) await tell(one)
  const { needs_action: waiting, groups, unread } = await loadGroups(ana)
  expect([waiting.map(summarizeGroup), groups.map(summarizeGroup)]).toEqual([open, others])
  expect(unread).toBe(open.length + others.length)
  expect(await countUnread(ana)).toBe(unread)
})

test('an answer covers its group, but not later unseen ones, nor another device', async () => {
  for (const one of [login(), login(), login(safari)]) await tell(one)
  const shown = (await loadGroups(ana)).needs_action.find(({ count: size }) => size === 2)
  await tell(login())
  await ana.call(readNotification, { params: { id: shown?.latest.id ?? '' } })
  const { needs_action: left, unread } = await loadGroups(ana)
  expect(left.map(({ latest, count: size }) => [latest.params.browser, size])).toEqual([
    ['Chrome', 1],
    ['Safari', 1],
  ])
  expect(unread).toBe(2)
})

test('a group with an unread notification is unread once, and all of its notifications can be listed', async () => {
  for (const amount of ['1.00', '2.00', '3.00']) await tell(received(amount))
  const [group] = (await loadGroups(ana)).groups
  await ana.call(readNotification, { params: { id: group?.latest.id ?? '' } })
  expect(await countUnread(ana)).toBe(0)
  await tell(received('4.00'))
  const mixed = await loadGroups(ana)
  expect([mixed.groups.map(summarizeGroup), mixed.unread]).toEqual([[['money_received', 4, 1, '10.00']], 1])
  const all = await ana.call(notifications, { query: { group: mixed.groups[0]?.latest.id ?? '' } })
  expect(all.notifications.map(({ params }) => params.amount)).toEqual(['4.00', '3.00', '2.00', '1.00'])
  const another = ben.call(notifications, { query: { group: mixed.groups[0]?.latest.id ?? '' } })
  await expect(another).rejects.toMatchObject({ code: 'not_found' })
})

test('settled security events of a month become one summary, of which each can still be listed', async () => {
  for (const one of [login(), login(), login(safari), change('passkey_added'), notice()]) await tell(one)
  const { needs_action: waiting, groups } = await loadGroups(ana)
  for (const { latest } of [...waiting, ...groups]) await ana.call(readNotification, { params: { id: latest.id } })
  const after = await loadGroups(ana)
  expect([after.needs_action, after.unread]).toEqual([[], 0])
  const summary = after.groups.find(({ latest }) => latest.code !== 'request_declined')
  expect(summary).toMatchObject({ count: 4, unread: 0, summary: { logins: 3, devices: 2, changes: 1 } })
  const members = await ana.call(notifications, { query: { group: summary?.latest.id ?? '' } })
  expect(members.notifications.map(({ code }) => code)).toEqual([
    'security_change',
    'new_sign_in',
    'new_sign_in',
    'new_sign_in',
  ])
})

test('pages of groups neither repeat nor lose one whose newest notification is on an earlier page', async () => {
  await tell(received('1.00'))
  for (let index = 0; index < 40; index += 1) await tell(notice())
  await tell(received('2.00'))
  const first = await loadGroups(ana)
  const second = await loadGroups(ana, first.next_cursor ?? '')
  expect([first.groups.length, second.groups.length, second.next_cursor]).toEqual([30, 11, null])
  const sizes = [...first.groups, ...second.groups].map(({ count: size }) => size)
  expect(sizes).toEqual([2, ...Array.from({ length: 40 }, () => 1)])
  expect(first.unread).toBe(41)
})

test('two connections count the same groups, before and after everything is read on one of them', async () => {
  const node = await startNode(world)
  try {
    for (const one of [login(), login(), received('1.00'), received('2.00'), notice()]) await tell(one)
    const unreadThere = async () => {
      const { body } = await callNode(node.url, ana, { method: 'GET', path: '/notifications/unread' })
      return (body as unknown as { unread: number }).unread
    }
    expect([await countUnread(ana), await unreadThere()]).toEqual([3, 3])
    const { needs_action: waiting, groups } = await loadGroups(ana)
    const newest =
      [...waiting, ...groups]
        .map(({ latest }) => latest.id)
        .toSorted()
        .at(-1) ?? ''
    await callNode(node.url, ana, { method: 'POST', path: '/notifications/read', body: { up_to: newest } })
    expect([await countUnread(ana), await unreadThere()]).toEqual([0, 0])
    expect((await loadGroups(ana)).needs_action.map(summarizeGroup)).toEqual([['new_sign_in', 2, 0, null]])
    await tell(login())
    expect([await countUnread(ana), await unreadThere()]).toEqual([1, 1])
  } finally {
    await node.close()
  }
})

test('notifications of other users cannot be read or marked', async () => {
  await tell(notice())
  const id = (await loadList(ana)).notifications[0]?.id ?? ''
  await expect(ben.call(readNotification, { params: { id } })).rejects.toMatchObject({ code: 'not_found' })
  await ben.call(readNotifications, { body: { up_to: id } })
  expect(await countUnread(ana)).toBe(1)
  expect((await world.raw('GET', '/notifications')).status).toBe(401)
})

test('an unknown kind of a newer version is neither counted nor listed', async () => {
  await world.database.pool.query(
    `insert into notification (id, user_id, code, params, dedupe, created_at) values ($1, $2, 'told_by_parrot', '{}', '', now())`,
    [randomUUID(), ana.id],
  )
  expect(await loadList(ana)).toMatchObject({ notifications: [], unread: 0 })
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Rows of tables and indexes that a plan has read. */
const rowsRead = (plan: Plan): number =>
  (/Index|Seq|Bitmap Heap/.test(plan['Node Type'])
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0)

test('a page of groups and the bell’s count read few of many rows', async () => {
  const { pool } = world.app.product
  await pool.query(
    `insert into notification (id, user_id, code, params, dedupe, created_at)
     select gen_random_uuid(), $1, (array['money_received', 'security_change', 'request_declined'])[1 + n % 3],
            jsonb_build_object('person', n % 9, 'amount', '1.00', 'currency', 'USD', 'browser', n % 40), n,
            now() - n * interval '1 hour'
       from generate_series(1, 6000) n`,
    [ana.id],
  )
  await world.database.pool.query('analyze notification')
  const asked = vi.spyOn(pool, 'query')
  const groups = await world.app.product.notifications.groups({ userId: BigInt(ana.id) })
  const queries = asked.mock.calls.map(([text, values]) => ({ text, values: values as unknown[] }))
  asked.mockRestore()
  expect([groups.groups.length, groups.unread]).toEqual([30, 100])
  const read = await Promise.all(
    queries.map(async ({ text, values }) => {
      const { rows } = await world.database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      )
      return rowsRead(rows[0]!['QUERY PLAN'][0].Plan)
    }),
  )
  expect(Math.max(...read)).toBeLessThan(3000)
})
