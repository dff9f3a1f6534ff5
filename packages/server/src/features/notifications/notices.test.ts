import { randomUUID } from 'node:crypto'
import {
  notifications,
  readNotification,
  readNotifications,
  unreadNotifications,
} from '@tern/contract/notifications/notifications'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../tools/testing/test-app.ts'
import { transact } from '../../platform/database/db.ts'
import type { Notice } from './notices.ts'

let world: TestApp
let ana: TestPerson
let ben: TestPerson
let count = 0

beforeAll(async () => {
  world = await startTestApp()
  ben = await world.enroll('ben', null)
})
afterAll(() => world.close())
beforeEach(async () => {
  ana = await world.enroll(`ana${(count += 1)}`, null)
})

const person = { id: 1_000_000_009, name: 'Grace Tan', username: 'grace' }
const notice = (more: Partial<Notice> = {}): Notice =>
  ({
    code: 'request_paid',
    params: { person, amount: '640.00', currency: 'USD', description: 'Design retainer' },
    subjectId: randomUUID(),
    ...more,
  }) as Notice

const tell = (told: Notice, { id } = ana) =>
  transact(world.app.product.pool, (tx) => world.app.product.notifications.notify(tx, BigInt(id), told))
const listOf = (someone: TestPerson, cursor?: string) =>
  someone.call(notifications, cursor ? { query: { cursor } } : {})
const unreadOf = async (someone: TestPerson) => (await someone.call(unreadNotifications, {})).unread

test('a notification is listed as it was told, newest first, to its person alone', async () => {
  const told = [notice(), notice({ code: 'request_declined' })]
  for (const one of told) expect(await tell(one)).toBe(true)
  const { notifications: listed, unread, next_cursor: next } = await listOf(ana)
  expect(listed.map(({ code, subject_id: subject }) => [code, subject])).toEqual([
    ['request_declined', told[1]?.subjectId],
    ['request_paid', told[0]?.subjectId],
  ])
  expect(listed[1]).toMatchObject({ params: told[0]?.params, needs_action: false, read_at: null })
  expect([unread, next]).toEqual([2, null])
  expect(await listOf(ben)).toMatchObject({ notifications: [], unread: 0 })
})

test('one event is told once, also by two transactions at a time', async () => {
  const same = notice()
  const told = await Promise.all(Array.from({ length: 8 }, () => tell(same)))
  expect(told.filter(Boolean)).toHaveLength(1)
  expect(await tell(same, ben), 'another person is told of it too').toBe(true)
  expect(await tell({ ...same, dedupe: 'its second reminder' })).toBe(true)
  expect(await unreadOf(ana)).toBe(2)
})

test('what is told in a transaction that fails is not told', async () => {
  const failing = transact(world.app.product.pool, async (tx) => {
    await world.app.product.notifications.notify(tx, BigInt(ana.id), notice())
    throw new Error('too late')
  })
  await expect(failing).rejects.toThrow('too late')
  expect(await listOf(ana)).toMatchObject({ notifications: [], unread: 0 })
})

test('pages follow one another without a gap while others arrive', async () => {
  for (let index = 0; index < 65; index += 1) await tell(notice({ dedupe: String(index) }))
  const first = await listOf(ana)
  await tell(notice())
  const second = await listOf(ana, first.next_cursor ?? '')
  const third = await listOf(ana, second.next_cursor ?? '')
  expect([first, second, third].map((page) => page.notifications.length)).toEqual([30, 30, 5])
  expect(third.next_cursor).toBeNull()
  const ids = [first, second, third].flatMap((page) => page.notifications.map(({ id }) => id))
  expect(new Set(ids).size).toBe(65)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(await unreadOf(ana)).toBe(66)
})

test('one is read, or all up to one; what waits for the person stays until it is read itself', async () => {
  for (let index = 0; index < 3; index += 1) await tell(notice())
  const params = { browser: 'Firefox', system: 'Windows', network: '192.0.2.0/24' }
  await tell({ code: 'new_sign_in', params, subjectId: randomUUID(), needsAction: true })
  const before = await listOf(ana)
  expect([before.needs_action.map(({ code }) => code), before.unread]).toEqual([['new_sign_in'], 4])
  const [newest, middle] = before.notifications
  await ana.call(readNotification, { params: { id: newest?.id ?? '' } })
  expect(await unreadOf(ana)).toBe(3)
  await ana.call(readNotifications, { body: { up_to: middle?.id ?? '' } })
  expect(await unreadOf(ana)).toBe(1)
  await tell(notice())
  await ana.call(readNotifications, { body: { up_to: (await listOf(ana)).notifications[0]?.id ?? '' } })
  expect(await unreadOf(ana)).toBe(1)
  const waiting = before.needs_action[0]?.id ?? ''
  await ana.call(readNotification, { params: { id: waiting } })
  const after = await listOf(ana)
  expect(after).toMatchObject({ needs_action: [], unread: 0 })
  expect(after.notifications.map(({ id }) => id)).toContain(waiting)
})

test('nobody reads or marks what another was told', async () => {
  await tell(notice())
  const id = (await listOf(ana)).notifications[0]?.id ?? ''
  await expect(ben.call(readNotification, { params: { id } })).rejects.toMatchObject({ code: 'not_found' })
  await ben.call(readNotifications, { body: { up_to: id } })
  expect(await unreadOf(ana)).toBe(1)
  expect((await world.raw('GET', '/notifications')).status).toBe(401)
})

test('a kind of a newer version, which this one cannot put into words, is not counted or listed', async () => {
  await world.database.pool.query(
    `insert into notification (id, user_id, code, params, dedupe, created_at) values ($1, $2, 'told_by_parrot', '{}', '', now())`,
    [randomUUID(), ana.id],
  )
  expect(await listOf(ana)).toMatchObject({ notifications: [], unread: 0 })
})
