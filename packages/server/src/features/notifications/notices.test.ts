import { randomUUID } from 'node:crypto'
import {
  notificationGroups,
  notifications,
  readNotification,
  readNotifications,
  unreadNotifications,
} from '@tern/contract/notifications/notifications'
import { beforeEach, expect, test, vi } from 'vitest'
import { waitForDayStart } from '../../../../../tools/aging.ts'
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
  // Groups of payments contain those of one day, so the test must not span midnight.
  await waitForDayStart(world.app.product.now)
  ana = await world.enroll(`ana${(count += 1)}`, null)
})

const person = { id: 1_000_000_009, name: 'Grace Tan', username: 'grace' }
const notice = (overrides: Partial<Notice> = {}): Notice =>
  ({
    code: 'request_declined',
    params: { person, amount: '640.00', currency: 'USD', description: 'Design retainer' },
    subjectId: randomUUID(),
    ...overrides,
  }) as Notice

const notifyPerson = (notice: Notice, { id } = ana) =>
  transact(world.app.product.pool, (tx) =>
    world.app.product.notifications.notify(tx, { userId: BigInt(id), ...notice }),
  )
const loadList = (person: TestPerson, cursor?: string) =>
  person.call(notifications, cursor ? { query: { cursor } } : {})
const countUnread = async (person: TestPerson) => (await person.call(unreadNotifications, {})).unread

test('a notification is listed as stored, newest first, for its user only', async () => {
  const sentNotices = [notice({ code: 'request_paid' }), notice()]
  for (const notice of sentNotices) expect(await notifyPerson(notice)).toBe(true)
  const { notifications: notificationList, unread, next_cursor: next } = await loadList(ana)
  expect(notificationList.map(({ code, subject_id: subject }) => [code, subject])).toEqual([
    ['request_declined', sentNotices[1]?.subjectId],
    ['request_paid', sentNotices[0]?.subjectId],
  ])
  expect(notificationList[1]).toMatchObject({ params: sentNotices[0]?.params, needs_action: false, read_at: null })
  expect([unread, next]).toEqual([2, null])
  expect(await loadList(ben)).toMatchObject({ notifications: [], unread: 0 })
})

test('one event is notified once, also by two concurrent transactions', async () => {
  const repeatedNotice = notice()
  const results = await Promise.all(Array.from({ length: 8 }, () => notifyPerson(repeatedNotice)))
  expect(results.filter(Boolean)).toHaveLength(1)
  expect(await notifyPerson(repeatedNotice, ben), 'another person is told of it too').toBe(true)
  expect(await notifyPerson({ ...repeatedNotice, dedupe: 'its second reminder' })).toBe(true)
  expect(await countUnread(ana)).toBe(2)
})

test('a notification of a failed transaction is not stored', async () => {
  const failingTransaction = transact(world.app.product.pool, async (tx) => {
    await world.app.product.notifications.notify(tx, { userId: BigInt(ana.id), ...notice() })
    throw new Error('too late')
  })
  await expect(failingTransaction).rejects.toThrow('too late')
  expect(await loadList(ana)).toMatchObject({ notifications: [], unread: 0 })
})

test('pages follow one another without a gap while others arrive', async () => {
  for (let index = 0; index < 65; index += 1) await notifyPerson(notice({ dedupe: String(index) }))
  const first = await loadList(ana)
  await notifyPerson(notice())
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
  for (let index = 0; index < 3; index += 1) await notifyPerson(notice())
  await notifyPerson(login())
  const listBefore = await loadList(ana)
  expect([listBefore.needs_action.map(({ code }) => code), listBefore.unread]).toEqual([['new_sign_in'], 4])
  const [newestNotification, middleNotification] = listBefore.notifications
  await ana.call(readNotification, { params: { id: newestNotification?.id ?? '' } })
  expect(await countUnread(ana)).toBe(3)
  await ana.call(readNotifications, { body: { up_to: middleNotification?.id ?? '' } })
  expect(await countUnread(ana)).toBe(1)
  await notifyPerson(notice())
  const actionId = listBefore.needs_action[0]?.id ?? ''
  await ana.call(readNotifications, { body: { up_to: (await loadList(ana)).notifications[0]?.id ?? '' } })
  const listAfterRead = await loadList(ana)
  expect(listAfterRead).toMatchObject({ needs_action: [{ id: actionId, answered_at: null }], unread: 0 })
  expect(listAfterRead.needs_action[0]?.read_at).not.toBeNull()
  await ana.call(readNotification, { params: { id: actionId } })
  const listAfterAnswer = await loadList(ana)
  expect(listAfterAnswer).toMatchObject({ needs_action: [], unread: 0 })
  expect(listAfterAnswer.notifications.map(({ id }) => id)).toContain(actionId)
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
const receivedNotice = (amount: string, currency: 'USD' | 'EUR' = 'USD', from = person): Notice => ({
  code: 'money_received',
  params: { person: from, amount, currency, description: '' },
  subjectId: randomUUID(),
})
const otherSender = { ...person, id: 1_000_000_010, name: 'Kenji Watanabe' }

const loadGroups = (person: TestPerson, cursor?: string) =>
  person.call(notificationGroups, cursor ? { query: { cursor } } : {})
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
    [
      receivedNotice('0.10'),
      receivedNotice('0.20'),
      receivedNotice('5.00', 'EUR'),
      receivedNotice('1.00', 'USD', otherSender),
    ],
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
] as const)('the bell groups %s, and counts the groups', async (_, notices, actionGroups, otherGroups) => {
  for (const notice of notices) await notifyPerson(notice)
  const { needs_action: neededActions, groups, unread } = await loadGroups(ana)
  expect([neededActions.map(summarizeGroup), groups.map(summarizeGroup)]).toEqual([actionGroups, otherGroups])
  expect(unread).toBe(actionGroups.length + otherGroups.length)
  expect(await countUnread(ana)).toBe(unread)
})

test('an answer covers its group, but not later unseen ones, nor another device', async () => {
  for (const notice of [login(), login(), login(safari)]) await notifyPerson(notice)
  const shownGroup = (await loadGroups(ana)).needs_action.find(({ count: size }) => size === 2)
  await notifyPerson(login())
  await ana.call(readNotification, { params: { id: shownGroup?.latest.id ?? '' } })
  const { needs_action: remainingActions, unread } = await loadGroups(ana)
  expect(remainingActions.map(({ latest, count: size }) => [latest.params.browser, size])).toEqual([
    ['Chrome', 1],
    ['Safari', 1],
  ])
  expect(unread).toBe(2)
})

test('a group with an unread notification is unread once, and all of its notifications can be listed', async () => {
  for (const amount of ['1.00', '2.00', '3.00']) await notifyPerson(receivedNotice(amount))
  const [group] = (await loadGroups(ana)).groups
  await ana.call(readNotification, { params: { id: group?.latest.id ?? '' } })
  expect(await countUnread(ana)).toBe(0)
  await notifyPerson(receivedNotice('4.00'))
  const mixedGroups = await loadGroups(ana)
  expect([mixedGroups.groups.map(summarizeGroup), mixedGroups.unread]).toEqual([[['money_received', 4, 1, '10.00']], 1])
  const allNotifications = await ana.call(notifications, { query: { group: mixedGroups.groups[0]?.latest.id ?? '' } })
  expect(allNotifications.notifications.map(({ params }) => params.amount)).toEqual(['4.00', '3.00', '2.00', '1.00'])
  const otherPage = ben.call(notifications, { query: { group: mixedGroups.groups[0]?.latest.id ?? '' } })
  await expect(otherPage).rejects.toMatchObject({ code: 'not_found' })
})

test('settled security events of a month become one summary, of which each can still be listed', async () => {
  for (const sentNotice of [login(), login(), login(safari), change('passkey_added'), notice()])
    await notifyPerson(sentNotice)
  const { needs_action: neededActions, groups } = await loadGroups(ana)
  for (const { latest } of [...neededActions, ...groups])
    await ana.call(readNotification, { params: { id: latest.id } })
  const groupsAfter = await loadGroups(ana)
  expect([groupsAfter.needs_action, groupsAfter.unread]).toEqual([[], 0])
  const summary = groupsAfter.groups.find(({ latest }) => latest.code !== 'request_declined')
  expect(summary).toMatchObject({ count: 4, unread: 0, summary: { logins: 3, devices: 2, changes: 1 } })
  const groupMembers = await ana.call(notifications, { query: { group: summary?.latest.id ?? '' } })
  expect(groupMembers.notifications.map(({ code }) => code)).toEqual([
    'security_change',
    'new_sign_in',
    'new_sign_in',
    'new_sign_in',
  ])
})

test('pages of groups neither repeat nor lose one whose newest notification is on an earlier page', async () => {
  await notifyPerson(receivedNotice('1.00'))
  for (let index = 0; index < 40; index += 1) await notifyPerson(notice())
  await notifyPerson(receivedNotice('2.00'))
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
    for (const sentNotice of [login(), login(), receivedNotice('1.00'), receivedNotice('2.00'), notice()])
      await notifyPerson(sentNotice)
    const countUnreadOnNode = async () => {
      const { body } = await callNode(node.url, ana, { method: 'GET', path: '/notifications/unread' })
      return (body as unknown as { unread: number }).unread
    }
    expect([await countUnread(ana), await countUnreadOnNode()]).toEqual([3, 3])
    const { needs_action: neededActions, groups } = await loadGroups(ana)
    const newestId =
      [...neededActions, ...groups]
        .map(({ latest }) => latest.id)
        .toSorted()
        .at(-1) ?? ''
    await callNode(node.url, ana, { method: 'POST', path: '/notifications/read', body: { up_to: newestId } })
    expect([await countUnread(ana), await countUnreadOnNode()]).toEqual([0, 0])
    expect((await loadGroups(ana)).needs_action.map(summarizeGroup)).toEqual([['new_sign_in', 2, 0, null]])
    await notifyPerson(login())
    expect([await countUnread(ana), await countUnreadOnNode()]).toEqual([1, 1])
  } finally {
    await node.close()
  }
})

test('notifications of other users cannot be read or marked', async () => {
  await notifyPerson(notice())
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

interface QueryPlan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly QueryPlan[]
}

/** Counts the rows of tables and indexes that a query plan has read. */
const countRowsRead = (plan: QueryPlan): number =>
  (/Index|Seq|Bitmap Heap/.test(plan['Node Type'])
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, subplan) => sum + countRowsRead(subplan), 0)

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
  const querySpy = vi.spyOn(pool, 'query')
  const groups = await world.app.product.notifications.groups(pool, { userId: BigInt(ana.id) })
  const queries = querySpy.mock.calls.map(([text, values]) => ({ text, values: values as unknown[] }))
  querySpy.mockRestore()
  expect([groups.groups.length, groups.unread]).toEqual([30, 100])
  const read = await Promise.all(
    queries.map(async ({ text, values }) => {
      const { rows } = await world.database.pool.query<{ 'QUERY PLAN': [{ Plan: QueryPlan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      )
      return countRowsRead(rows[0]!['QUERY PLAN'][0].Plan)
    }),
  )
  expect(Math.max(...read)).toBeLessThan(3000)
})
