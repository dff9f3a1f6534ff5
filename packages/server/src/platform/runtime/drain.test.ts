import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { sendMoney } from '@tern/contract/transfers'
import { expect, test } from 'vitest'
import { startTestApp } from '@tern/testkit/app'

test('a stopping server answers requests in flight and accepts no connection', async () => {
  const world = await startTestApp()
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
  const holder = await world.database.pool.connect()
  await holder.query('begin')
  await holder.query(`select from ledger.account where name like 'wallet:%' for update`)
  const body = { recipient_id: bruno.id, amount: '10.00', source_currency: 'USD' } as const
  const sendCall = alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const blockedSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect
    .poll(async () => (await world.database.pool.query(blockedSql)).rowCount, { interval: 5 })
    .toBeGreaterThan(0)
  const shutdown = world.app.close()
  await expect.poll(() => requestOnNewConnection(`${world.url}/healthz`), { interval: 5 }).toBe('ECONNREFUSED')
  await holder.query('rollback')
  holder.release()
  expect((await sendCall).status).toBe('COMPLETED')
  await shutdown
  await world.close()
})

/** Returns the status of a request on a new connection, or the code of its error. */
const requestOnNewConnection = (url: string) =>
  new Promise<number | string | undefined>((resolve) => {
    request(url, { agent: new Agent() }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      .end()
  })

test('the nginx recipe retries unanswered requests and missing files: a retried 503 would call the provider again', () => {
  const recipe = readFileSync(new URL('../../../../../deploy/nginx/tern.conf', import.meta.url), 'utf8')
  const retries = [...recipe.matchAll(/location (\S+) \{[^}]*proxy_next_upstream (.*);/g)]
  expect(retries.map(([, location, on]) => [location, on])).toEqual([
    ['/', 'error non_idempotent'],
    ['/assets/', 'error http_404'],
  ])
})
