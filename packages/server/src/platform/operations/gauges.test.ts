// Tests of the gauges that docs/operating.md recommends watching.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { connect } from '../database/db.ts'
import { createLeadership } from './leadership.ts'
import { chooseAlarm, openCases } from '../../features/payments/records/reconciliation-exceptions.ts'

const operatingGuide = fs.readFileSync(
  fileURLToPath(new URL('../../../../../docs/operating.md', import.meta.url)),
  'utf8',
)

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

const loadMetricsText = async (): Promise<string> => (await world.readAsOperator('/metrics')).text()

/** Returns the values of metrics whose lines begin with `name`, by label value; by '' without a label. */
async function loadMetrics(name: string): Promise<Record<string, number>> {
  const lines = (await loadMetricsText()).matchAll(new RegExp(`^${name}(?:\\{\\w+="(\\w+)"\\})? (.+)$`, 'gm'))
  return Object.fromEntries([...lines].map(([, label = '', value]) => [label, Number(value)])) // not money: gauges
}

/** Returns the value of a series, by its name with labels; undefined if it is missing. */
async function loadSeries(name: string): Promise<number | undefined> {
  const line = (await loadMetricsText()).split('\n').find((text) => text.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1)) // not money: a counter
}

test('docs/operating.md lists exactly the metrics that are served', async () => {
  const names = [...operatingGuide.matchAll(/^\| `(tern_\w+)/gm)].map(([, name = '']) => name)
  const servedNames = [...(await loadMetricsText()).matchAll(/^# TYPE (tern_\w+) /gm)].map(([, name = '']) => name)
  expect(servedNames.length).toBeGreaterThan(40)
  expect(names.toSorted()).toEqual(servedNames.toSorted())
})

test('connections and the age of rates are reported', async () => {
  const used = await loadSeries('tern_database_pool_connections{pool="main",state="used"}')
  const idle = await loadSeries('tern_database_pool_connections{pool="main",state="idle"}')
  expect((used ?? 0) + (idle ?? 0)).toBeGreaterThan(0)
  expect(await loadSeries('tern_database_pool_connections_max{pool="main"}')).toBe(16)
  expect(await loadSeries('tern_database_pool_waiting{pool="main"}')).toBe(0)
  expect(await loadSeries('tern_database_up')).toBe(1)
  const { '': ageSeconds } = await loadMetrics('tern_rates_age_seconds')
  expect(ageSeconds).toBeGreaterThanOrEqual(0)
  expect(ageSeconds).toBeLessThan(600)
})

test('waiting, running and failed jobs are reported', async () => {
  const { pool } = world.database
  await pool.query(`select graphile_worker.add_job('nothing', '{}') from generate_series(1, 6)`)
  await pool.query(
    `with numbered as (select id, row_number() over (order by id) as place from graphile_worker._private_jobs)
     update graphile_worker._private_jobs as job
        set locked_at = case when place <= 2 then now() end, attempts = case when place = 3 then max_attempts else 0 end
       from numbered where job.id = numbered.id`,
  )
  expect(await loadMetrics('tern_jobs')).toEqual({ waiting: 3, running: 2, failed: 1 })
  await pool.query(
    `update graphile_worker._private_jobs set run_at = now() - interval '1 hour' where id in (
       select id from graphile_worker._private_jobs where locked_at is null and attempts = 0 limit 1)`,
  )
  expect(await loadSeries('tern_job_oldest_due_seconds')).toBeCloseTo(3600, -2)
})

test('of several processes on one database, one serves the gauges of the installation', async () => {
  const hasSharedGauges = async () => /^tern_payouts\{/m.test(await loadMetricsText())
  expect(await hasSharedGauges()).toBe(true)
  const pool = connect(world.database.applicationUrl, 2)
  const databaseWatch = { whileThere: <T>(work: () => Promise<T>) => work() }
  const other = createLeadership({ pool, databaseWatch, releaseAfterMs: 100 })
  expect(await other.leads()).toBe(false)
  const holders = `from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and (classid::int8 << 32 | objid::int8) = hashtextextended('tern gauges', 0)`
  expect((await world.database.pool.query(`select pg_terminate_backend(pid) ${holders}`)).rowCount).toBe(1)
  await expect.poll(async () => (await pool.query(`select ${holders}`)).rowCount).toBe(0)
  expect([await other.leads(), await hasSharedGauges()], 'the next one scraped leads').toEqual([true, false])
  await expect.poll(hasSharedGauges, { message: 'unless it is not scraped any more' }).toBe(true)
  await other.close()
  await pool.end()
})

test('the comparison with a provider is as old as its last complete run', async () => {
  await world.database.pool.query(
    `insert into reconciliation_run (id, provider, from_at, until_at, finished_at, compared, taken_in, unresolved,
       cases_opened, cases_closed)
     select gen_random_uuid(), 'sandbox', now(), now(), now() - age, 0, 0, unresolved, 0, 0
       from (values (interval '1 day', 0), (interval '1 hour', 2)) as run(age, unresolved)`,
  )
  expect(await loadSeries('tern_reconciliation_age_seconds{provider="sandbox"}')).toBeCloseTo(86_400, -2)
})

test('open payouts and the age of the oldest are reported', async () => {
  const { id } = await world.enroll('alice', null)
  await world.database.pool.query(
    `with account as (
       insert into bank_account (id, user_id, provider, token, fingerprint, bank_name, last4, currency, country, is_default,
         linked_at)
       values (gen_random_uuid(), $1, 'sandbox', 'x', 'x', 'X', '0001', 'USD', 'US', true, now()) returning id
     )
     insert into payout (id, user_id, bank_account_id, amount_minor, currency, status, provider, expected_on,
       transaction_id, idempotency_key, request_hash, created_at, updated_at, last_polled_at)
     select gen_random_uuid(), $1, account.id, 100, 'USD', status, 'sandbox', now(), gen_random_uuid(),
       gen_random_uuid(), '', now() - age, now(), now()
       from account, (values ('held', interval '1 hour'), ('pending', '2 hours'), ('pending', '3 hours'),
         ('needs_review', '1 day'), ('completed', '9 days')) as made(status, age)`,
    [id],
  )
  expect(await loadMetrics('tern_payouts')).toEqual({ held: 1, pending: 2, needs_review: 1 })
  expect((await loadMetrics('tern_payout_oldest_seconds'))['']).toBeCloseTo(86_400, -2)
})

test('new, reported, assigned and overdue exceptions are counted as npx tern reconcile counts them', async () => {
  await world.database.pool.query(
    `insert into reconciliation_exception (id, kind, provider, subject, detail, opened_at, reported_at, taken_up_at,
       taken_up_by, taken_up_because, taken_up_until)
     select gen_random_uuid(), 'missing_internal', 'sandbox', subject, 'missing_internal', now() - age, reported, taken,
            case when taken is not null then 'ines' end, case when taken is not null then 'asks the bank' end, until
       from (values ('new', interval '4 days', null::timestamptz, null::timestamptz, null::timestamptz),
         ('unassigned', '2 days', now(), null, null), ('unassigned for long', '73 hours', now(), null, null),
         ('taken up', '4 days', now(), now(), now() + interval '1 day'), ('taken up unseen', '0', null, now(), null),
         ('late', '4 days', now(), now(), now() - interval '1 hour')) as made(subject, age, reported, taken, until)`,
  )
  expect(await loadMetrics('tern_reconciliation_exceptions')).toEqual({ new: 1, reported: 1, taken_up: 2, overdue: 2 })
  const alarms = (await openCases(world.database.pool)).map((openCase) => chooseAlarm(openCase, new Date()))
  expect(alarms.filter((alarm) => alarm !== undefined).toSorted()).toEqual(['new', 'overdue', 'overdue'])
})
