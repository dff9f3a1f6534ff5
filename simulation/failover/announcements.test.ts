// The check that notifications and mails were made exactly once finds each that is missing or doubled.

import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { openTestApp } from '@tern/testkit/open-test-app'
import { expect, test } from 'vitest'
import { notifyMoneyMovements } from '../../packages/server/src/features/wallets/notices/money-notices.ts'
import { readAnnouncements } from '../harness/announcements.ts'

const world = await openTestApp()
const { pool } = world.database
const findFaults = async () => (await readAnnouncements(pool, world.sandboxUrl)).faults

/** Finds the faults after a change, which is undone. */
async function findAfter(change: string, restore: string): Promise<readonly string[]> {
  await pool.query(change)
  const faults = await findFaults()
  await pool.query(restore)
  return faults
}

test('each notification or mail that is missing, doubled or not delivered is a fault', async () => {
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
  const body = { recipient_id: bruno.id, amount: '10.00', source_currency: 'USD' } as const
  const { transaction_id: id } = await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const { identity, notifications } = world.app.product
  const context = { people: identity, notifications, publicUrl: world.url }
  const announce = async () => {
    await notifyMoneyMovements(context, pool)
    return findFaults()
  }
  await expect.poll(announce, { interval: 50 }).toEqual([])

  await pool.query(
    `create table kept as select * from mail where user_id = ${bruno.id} and template = 'money_received'`,
  )
  const received = `user_id = ${bruno.id} and code = 'money_received'`
  const one = `money_received for ${id} of user ${bruno.id}`
  expect(
    await findAfter(
      `update notification set dedupe = 'lost' where ${received}`,
      `update notification set dedupe = '${id}' where ${received}`,
    ),
  ).toEqual([`${one}: 0 notifications`])
  expect(
    await findAfter(
      `insert into notification (id, user_id, code, params, dedupe, created_at)
         select gen_random_uuid(), user_id, 'request_paid', params, dedupe, created_at from notification where ${received}`,
      `delete from notification where user_id = ${bruno.id} and code = 'request_paid'`,
    ),
  ).toEqual([`${one}: 2 notifications`])
  expect(
    await findAfter('delete from mail where id in (select id from kept)', 'insert into mail select * from kept'),
  ).toEqual([
    `user ${bruno.id}: 1 payments received, 0 mailed, 0 waiting for a summary`,
    expect.stringMatching(`^${bruno.email}: \\d+ mails sent and \\d+ received$`),
  ])
  expect(await findFaults()).toEqual([])
})
