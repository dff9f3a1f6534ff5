import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { mailChoices, setMailChoices } from '@tern/contract/notifications/mail-choices'
import { notifications } from '@tern/contract/notifications/notifications'
import { cancelTransfer, sendMoney, settleTransfer } from '@tern/contract/transfers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ageSends } from '../../../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { nextMail, steerPayout, loadStoredPayout } from '@tern/testkit/banking'
import { linkAccount } from '@tern/testkit/payments'
import { transact } from '../../../platform/database/db.ts'
import { notifyMoneyMovements, type NoticesContext } from './money-notices.ts'

let alice: TestPerson
let bruno: TestPerson
type Rules = NonNullable<Parameters<typeof openTestApp>[0]>['transferRules']
let decision: ReturnType<NonNullable<Rules>[number]>

const world = await openTestApp({ transferRules: [() => decision] })
beforeEach(async () => {
  decision = undefined
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 100_000)
  await followChanges()
})
afterEach(() => world.database.pool.query('delete from demo_seed'))

/**
 * Runs the worker once. Waits for older transactions in the cluster first, including those of other tests, since the
 * worker notifies only of rows before the oldest open transaction.
 */
const followChanges = async (overrides: Partial<NoticesContext> = {}) => {
  const { pool, identity } = world.app.product
  const { rows } = await pool.query<{ xid: string }>('select pg_current_xact_id()::text as xid')
  const waitForSnapshot = async () => {
    const snapshotPastSql = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_past'
    return (await pool.query<{ is_past: boolean }>(snapshotPastSql, [rows[0]?.xid])).rows[0]?.is_past
  }
  await expect.poll(waitForSnapshot, { timeout: 120_000, interval: 20 }).toBe(true)
  const noticesContext = { people: identity, notifications: world.app.product.notifications, publicUrl: world.url }
  return notifyMoneyMovements({ ...noticesContext, ...overrides }, pool)
}
const send = async (amount = '10.00', note?: string) => {
  const body = {
    recipient_id: bruno.id,
    amount,
    source_currency: 'USD',
    ...(note ? { description: note } : {}),
  } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}
/** Sends a dollar and backdates it, so that its recipient is a trusted payee. */
async function sendBackdated(): Promise<string> {
  const id = await send('1.00')
  await ageSends(world.database.pool, { senderId: BigInt(alice.id) })
  return id
}
/** Notifications of a user since verification, oldest first. */
const loadPersonNotices = async (person: TestPerson) =>
  (await person.call(notifications, {})).notifications.toReversed().slice(1)
const loadNoticeCodes = async (person: TestPerson) => (await loadPersonNotices(person)).map(({ code }) => code)
/** Templates of the mails to a user about received money, oldest first. */
const loadMails = async ({ id }: TestPerson) => {
  const { rows } = await world.database.pool.query<{ template: string }>(
    `select template from mail where user_id = $1 and template like 'money_received%' order by created_at`,
    [id],
  )
  return rows.map(({ template }) => template)
}

test('received money is announced with sender, amount and note, in the product and by mail', async () => {
  const id = await send('10.00', 'Concert tickets')
  await followChanges()
  const person = { id: alice.id, name: 'alice Tester', username: alice.username }
  expect(await loadPersonNotices(bruno)).toMatchObject([
    {
      code: 'money_received',
      subject_id: id,
      params: { person, amount: '9.30', currency: 'EUR', description: 'Concert tickets' },
    },
  ])
  const mail = await nextMail(world, bruno, 'alice Tester sent you €9.30')
  expect(mail).toContain(`alice Tester (@${alice.username})`)
  expect(mail).toContain('Concert tickets')
  expect(mail).toContain(`${world.url}/transactions?details=${id}`)
})

test('the payer is notified of the first payment to a payee, and of no further one', async () => {
  const id = await send()
  await send()
  await followChanges()
  await send()
  await followChanges()
  const notices = (await loadPersonNotices(alice)).filter(({ code }) => code === 'new_payee_paid')
  expect(notices).toMatchObject([
    { subject_id: id, params: { amount: '10.00', currency: 'USD', person: { id: bruno.id } } },
  ])
  expect(await loadNoticeCodes(bruno)).toEqual(['money_received', 'money_received', 'money_received'])
})

test('a deposit is announced, and a late transfer once it has settled', async () => {
  expect(await loadPersonNotices(alice)).toMatchObject([
    { code: 'deposit_arrived', params: { amount: '1000.00', currency: 'USD', method: 'card' } },
  ])
  decision = { outcome: 'hold', reason: 'scheduled', until: new Date(world.app.product.now().getTime() + 300_000) }
  const [heldId, releasedId] = [await send(), await send()]
  await followChanges()
  expect(await loadNoticeCodes(bruno)).toEqual([])
  await alice.call(settleTransfer, { params: { id: heldId } })
  await alice.call(cancelTransfer, { params: { id: releasedId } })
  await followChanges()
  expect((await loadPersonNotices(bruno)).map(({ code, subject_id: id }) => [code, id])).toEqual([
    ['money_received', heldId],
  ])
  expect(await loadMails(bruno)).toEqual(['money_received'])
})

test('a withdrawal is announced when it reached the bank, failed, or was returned', async () => {
  async function order(bank: string, ...steps: ('pay' | 'fail' | 'return')[]): Promise<void> {
    const bankAccountId = await linkAccount(world, alice, { bank })
    const body = { amount: '40.00', currency: 'USD', bankAccountId } as const
    const { payout_id: id } = await alice.call(withdraw, { body, idempotencyKey: randomUUID() })
    await world.app.product.payments.submitPayout(id)
    for (const step of steps) {
      const { status: statusBefore } = await loadStoredPayout(world, id)
      await steerPayout(world, id, step)
      await expect.poll(async () => (await loadStoredPayout(world, id)).status).not.toBe(statusBefore)
    }
    await followChanges()
  }
  await order('harbour', 'pay')
  await order('reef', 'fail')
  await order('drift', 'pay', 'return')
  const subject = { amount: '40.00', currency: 'USD' }
  expect((await loadPersonNotices(alice)).slice(1)).toMatchObject([
    {
      code: 'withdrawal_arrived',
      params: { ...subject, bank_name: 'Harbour Bank', last4: expect.stringMatching(/^\d{4}$/) },
    },
    { code: 'withdrawal_failed', params: { ...subject, bank_name: 'Reef Bank' } },
    { code: 'withdrawal_arrived', params: { ...subject, bank_name: 'Drift Bank' } },
    { code: 'withdrawal_returned', params: { ...subject, bank_name: 'Drift Bank' } },
  ])
})

test('each payment is announced once by any number of concurrent workers', async () => {
  const sendIds = [await sendBackdated(), ...(await Promise.all(Array.from({ length: 12 }, () => send('1.00'))))]
  await Promise.all(Array.from({ length: 6 }, () => followChanges()))
  await followChanges()
  const notices = (await loadPersonNotices(bruno)).map(({ subject_id: id }) => id)
  expect([notices.length, new Set(notices)]).toEqual([sendIds.length, new Set(sendIds)])
  expect(await loadMails(bruno)).toHaveLength(5)
})

test('a worker that dies before its commit has announced nothing, and the next announces everything once', async () => {
  const sendIds = [await send(), await send()]
  const { notifications: notificationsApi } = world.app.product
  const crashingNotifications: NoticesContext['notifications'] = {
    notifyAll: notificationsApi.notifyAll,
    async mail(tx, ...mail) {
      await notificationsApi.mail(tx, ...mail)
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
      await world.database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    },
  }
  await expect(followChanges({ notifications: crashingNotifications })).rejects.toThrow()
  expect([await loadNoticeCodes(bruno), await loadMails(bruno)]).toEqual([[], []])
  await followChanges()
  expect((await loadPersonNotices(bruno)).map(({ subject_id: id }) => id)).toEqual(sendIds)
  expect(await loadMails(bruno)).toEqual(['money_received', 'money_received'])
})

test('fifty payments within an hour make six mails, the last of which is a summary', async () => {
  await sendBackdated()
  await Promise.all(Array.from({ length: 29 }, () => send('1.00')))
  await followChanges()
  await Promise.all(Array.from({ length: 20 }, () => send('1.00')))
  await followChanges()
  expect(await loadMails(bruno)).toEqual(Array.from({ length: 5 }, () => 'money_received'))
  const oneHourLater = () => new Date(Date.now() + 3_600_000)
  await Promise.all([followChanges({ realNow: oneHourLater }), followChanges({ realNow: oneHourLater })])
  await followChanges({ realNow: oneHourLater })
  expect((await loadMails(bruno)).slice(5)).toEqual(['money_received_summary'])
  // 45 payments of 0.93 each.
  expect(await nextMail(world, bruno, 'You received 45 more payments')).toContain('€41.85')
})

test('users who turned these mails off are notified in the product only', async () => {
  const choices = { payments: false, requests: true }
  expect(await bruno.call(mailChoices, {})).toEqual({ payments: true, requests: true })
  expect(await bruno.call(setMailChoices, { body: choices })).toEqual(choices)
  expect(await bruno.call(mailChoices, {})).toEqual(choices)
  await send()
  await followChanges()
  expect(await loadNoticeCodes(bruno)).toEqual(['money_received'])
  expect(await loadMails(bruno)).toEqual([])
})

test('a payment announced as a paid request is not announced again', async () => {
  const id = await send()
  const { pool, notifications: notificationsApi } = world.app.product
  const person = { id: alice.id, name: 'alice Tester', username: alice.username }
  const params = { person, amount: '9.30', currency: 'EUR', description: '' } as const
  await transact(pool, (tx) =>
    notificationsApi.notify(tx, {
      userId: BigInt(bruno.id),
      code: 'request_paid',
      params,
      subjectId: randomUUID(),
      dedupe: id,
    }),
  )
  await followChanges()
  expect(await loadNoticeCodes(bruno)).toEqual(['request_paid'])
  expect(await loadMails(bruno)).toEqual([])
})

test('the history of a demo causes no notifications', async () => {
  await send()
  await world.database.pool.query(`insert into demo_seed (started_at) values (now() + interval '1 minute')`)
  await followChanges()
  expect(await loadNoticeCodes(bruno)).toEqual([])
})

test('in another cluster, whose numbers start over, only later rows are announced', async () => {
  await send()
  await followChanges()
  await world.database.pool.query(`update told_position set position = '900000000000', cluster = 1`)
  await followChanges()
  const laterId = await send()
  await followChanges()
  expect((await loadPersonNotices(bruno)).map(({ subject_id: id }) => id).slice(1)).toEqual([laterId])
})
