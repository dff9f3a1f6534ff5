import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { expect, test } from 'vitest'
import { startTestApp } from '../../../../../tools/testing/test-app.ts'

test('stopping answers requests under way and refuses later ones', async () => {
  const world = await startTestApp()
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
  const holder = await world.database.pool.connect()
  await holder.query('begin')
  await holder.query(`select from ledger.account where name like 'wallet:%' for update`)
  const body = { recipient_id: bruno.id, amount: '10.00', source_currency: 'USD' } as const
  const sent = alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await world.database.pool.query(waiting)).rowCount, { interval: 5 }).toBeGreaterThan(0)
  const closed = world.app.close()
  await expect.poll(async () => (await fetch(`${world.url}/healthz`)).status, { interval: 5 }).toBe(503)
  await holder.query('rollback')
  holder.release()
  expect((await sent).status).toBe('COMPLETED')
  await closed
  await expect(fetch(`${world.url}/healthz`)).rejects.toThrow()
  await world.close()
})
