import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withdraw } from '@tern/contract/banking'
import { expect, test } from 'vitest'
import { recordCaseDecisions, openTestCase, send } from '@tern/testkit/compliance/cases'
import { choosePort, startTestApp } from '@tern/testkit/app'
import { steerPayout } from '@tern/testkit/banking'
import { createTestDatabase } from '@tern/testkit/database'
import { linkAccount } from '@tern/testkit/payments'
import { runTask } from '@tern/testkit/processes/tasks'
import { readConfig } from './platform/runtime/config.ts'
import { transact } from './platform/database/db.ts'
import { insertSubmission } from './features/kyc/records/submission.ts'
import { payeeSealPurpose } from './features/payments/tables.ts'
import { newId } from './platform/ids.ts'
import { createSeal } from './platform/seal.ts'
import { startWorker } from './worker.ts'

/** Starts a provider that never answers, and counts concurrent calls by path. */
async function startSilentProviders() {
  const openByPath = new Map<string, number>()
  const mostOpenByPath = new Map<string, number>()
  const server = createServer((request, response) => {
    const url = String(request.url)
    const count = (openByPath.get(url) ?? 0) + 1
    openByPath.set(url, count)
    mostOpenByPath.set(url, Math.max(mostOpenByPath.get(url) ?? 0, count))
    response.on('close', () => openByPath.set(url, (openByPath.get(url) ?? 0) - 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, mostOpenByPath, stop }
}

const userId = 3_000_000_001n
const form = {
  email: 'somebody@example.com',
  firstName: 'Some',
  lastName: 'Body',
  dateOfBirth: '1990-02-28',
  country: 'France',
  nationality: 'France',
  idNumber: '2 90 02 75123 456 21',
  documentType: 'passport',
  documentNumber: 'X9K4471PQ',
  currencyPreference: 'EUR',
  streetAddress: '1 rue de la Paix',
  city: 'Paris',
  state: 'Île-de-France',
  postalCode: '75002',
} as const

test('a slow payment provider does not delay identity checks', { timeout: 600_000 }, async () => {
  const database = await createTestDatabase()
  const { pool } = database
  const providers = await startSilentProviders()
  const generateToken = () => randomBytes(24).toString('base64url')
  const config = readConfig({
    SANDBOX_URL: providers.url,
    SANDBOX_SECRET: generateToken(),
    TERN_SECRET: generateToken(),
    LOG_LEVEL: 'silent',
  })
  const hourAgo = new Date(Date.now() - 3_600_000)
  await pool.query(
    `insert into app_user (id, email, username, created_at, email_verified_at) values ($1, 'x@example.com', 'x', $2, $2)`,
    [userId, hourAgo],
  )
  await pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, 'Main wallet', 'USD', $3)`,
    [newId(hourAgo), userId, hourAgo],
  )
  await pool.query(
    `insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, session_id, idempotency_key,
       request_hash, created_at, updated_at, last_polled_at)
     select gen_random_uuid(), $1, 'deposit', 'card', 'pending', 100, 'USD', 'sandbox', 'slow', gen_random_uuid(), '',
       $2, $2, $2 from generate_series(1, 4)`,
    [userId, hourAgo],
  )
  await pool.query(
    `with account as (
       insert into bank_account (id, user_id, provider, token, fingerprint, bank_name, last4, currency, country, is_default,
         linked_at)
       values (gen_random_uuid(), $1, 'sandbox', 'slow', 'slow', 'Slow Bank', '0001', 'USD', 'US', true, $2) returning id
     ), payee as (
       insert into payee_check (id, user_id, bank_account_id, provider, scheme, result, subject_hash, checked_at, valid_until)
       select gen_random_uuid(), $1, id, 'sandbox', 'bank_lookup', 'match', $3, $2::timestamptz, now() + interval '1 day'
         from account returning id, bank_account_id
     )
     insert into payout (id, user_id, bank_account_id, amount_minor, currency, status, provider, expected_on,
       transaction_id, idempotency_key, request_hash, created_at, updated_at, last_polled_at, payee_check_id, payee_result,
       payee_answer, payee_answered_at)
     select gen_random_uuid(), $1, payee.bank_account_id, 100, 'USD', 'pending', 'sandbox', $2, gen_random_uuid(),
       gen_random_uuid(), '', $2, $2, $2, payee.id, 'match', 'not_needed', $2 from payee, generate_series(1, 200)`,
    [userId, hourAgo, createSeal(config.secret, payeeSealPurpose).fingerprint('slow\nx')],
  )
  const seal = createSeal(config.secret, 'kyc/numbers')
  await transact(pool, (tx) =>
    insertSubmission({ seal }, tx, { id: newId(hourAgo), userId, provider: 'sandbox', form, at: hourAgo }),
  )

  const worker = await startWorker(config, database.applicationUrl)
  const addJob = (task: string) => pool.query('select graphile_worker.add_job($1)', [task])
  const waitForRequests = (path: string) =>
    expect.poll(() => providers.mostOpenByPath.get(path) ?? 0, { timeout: 120_000 })
  await pool.query(`select graphile_worker.add_job('submit_payout', json_build_object('payoutId', id)) from payout`)
  await waitForRequests('/api/payouts').toBeGreaterThan(0)
  for (let minutes = 0; minutes < 5; minutes += 1) await addJob('check_pending_payments')
  await waitForRequests('/api/checkout/sessions/slow').toBeGreaterThan(0)
  await addJob('resume_kyc')
  await waitForRequests('/api/kyc/checks').toBe(1)
  expect(providers.mostOpenByPath.get('/api/checkout/sessions/slow'), 'no task runs twice at once').toBe(1)
  providers.stop()
  await worker.close()
  await database.drop()
})

test(
  'the job of a withdrawal orders it at the provider once; a submitted one is recorded for the travel rule',
  { timeout: 180_000 },
  async () => {
    const world = await startTestApp()
    const config = readConfig({
      PUBLIC_URL: world.url,
      SANDBOX_URL: world.sandboxUrl,
      SANDBOX_SECRET: world.sandboxSecret,
      TERN_SECRET: world.secret,
      LOG_LEVEL: 'silent',
    })
    const worker = await startWorker(config, world.database.applicationUrl)
    const alice = await world.enroll('alice', 'United States')
    await world.fund(alice, 10_000)
    const { payout_id: id } = await alice.call(withdraw, {
      body: { amount: '40.00', currency: 'USD', bankAccountId: await linkAccount(world, alice) },
      idempotencyKey: randomUUID(),
    })
    const loadName = async () => {
      const { rows } = await world.database.pool.query<{ name: string | null }>(
        'select provider_payout_id as name from payout where id = $1',
        [id],
      )
      return rows[0]?.name
    }
    await expect.poll(loadName, { timeout: 120_000 }).toMatch(/^po/)
    const first = await loadName()
    await world.database.pool.query(
      `select graphile_worker.add_job('submit_payout', json_build_object('payoutId', $1::text))`,
      [id],
    )
    const countJobs = () =>
      world.database.pool.query('select from graphile_worker.jobs').then(({ rowCount }) => rowCount)
    await expect.poll(countJobs, { timeout: 120_000 }).toBe(0)
    expect(await loadName()).toBe(first)
    await world.database.pool.query(`update travel_rule_threshold set threshold_minor = 0`)
    await steerPayout(world, id, 'pay')
    const recordTravelRule = async () => {
      await world.database.pool.query(`select graphile_worker.add_job('record_travel_rule')`)
      return (await world.database.pool.query(`select from travel_rule_record where kind = 'payout'`)).rowCount
    }
    await expect.poll(recordTravelRule, { timeout: 120_000, interval: 500 }).toBe(1)
    await worker.close()
    await world.close()
  },
)

test('a failing job stops no worker: it is unlocked and retried', async () => {
  const world = await startTestApp()
  const { pool } = world.database
  const config = readConfig({
    PUBLIC_URL: world.url,
    SANDBOX_URL: world.sandboxUrl,
    SANDBOX_SECRET: world.sandboxSecret,
    TERN_SECRET: world.secret,
    LOG_LEVEL: 'silent',
  })
  const worker = await startWorker(config, world.database.applicationUrl)
  await pool.query(`select graphile_worker.add_job('submit_payout', '{"payoutId": 7}')`)
  const loadFailedJobs = async () => {
    const { rows } = await pool.query(
      `select locked_by, last_error, max_attempts > attempts as is_retried from graphile_worker._private_jobs where attempts > 0`,
    )
    return rows
  }
  // The job is retried after a few seconds, so the number of attempts depends on the machine.
  await expect
    .poll(loadFailedJobs)
    .toEqual([{ locked_by: null, last_error: 'a job has no payoutId', is_retried: true }])
  await worker.close()
  await world.close()
})

test('a worker that takes no jobs becomes unready, then requests a restart', { timeout: 600_000 }, async () => {
  const world = await startTestApp()
  const { pool } = world.database
  const port = await choosePort()
  const config = readConfig({
    PUBLIC_URL: world.url,
    SANDBOX_URL: world.sandboxUrl,
    SANDBOX_SECRET: world.sandboxSecret,
    TERN_SECRET: world.secret,
    ADMIN_PORT: String(port),
    LOG_LEVEL: 'silent',
  })
  const times = { lookMs: 50, notReadyMs: 500, endMs: 3000 }
  const worker = await startWorker(config, world.database.applicationUrl, times)
  let isStuck = false
  void worker.stuck.then(() => (isStuck = true))
  const loadReadiness = async () => {
    const answer = await fetch(`http://localhost:${port}/readyz`)
    return answer.status === 200 ? 'ready' : ((await answer.json()) as { reason: string }).reason
  }
  expect(await loadReadiness()).toBe('ready')
  await pool.query(`create function refuse_locks() returns trigger language plpgsql as
    $$ begin if new.locked_by is not null then raise exception 'no job is taken'; end if; return new; end $$`)
  await pool.query(`create trigger refuse_locks before update on graphile_worker._private_jobs
    for each row execute function refuse_locks()`)
  await pool.query(`select graphile_worker.add_job('resume_mails')`)
  await expect.poll(loadReadiness, { timeout: 120_000 }).toBe('jobs_stuck')
  await expect.poll(() => isStuck, { timeout: 120_000 }).toBe(true)
  await pool.query('drop trigger refuse_locks on graphile_worker._private_jobs')
  await expect.poll(loadReadiness, { timeout: 120_000 }).toBe('ready')
  await worker.close()
  await world.close()
})

test('a failing deadline delays no decision, and is retried', async () => {
  const world = await startTestApp({ unconfirmedPayments: 'any' })
  const { pool } = world.database
  const [alice, bruno] = [await world.enroll('alice', 'United States'), await world.enroll('bruno', 'United States')]
  await world.fund(alice, 10_000)
  const openCaseFor = ({ id }: { id: number }) =>
    openTestCase(world, { userId: BigInt(id), kind: 'pattern', evidence: { rule: 'test' } })
  const [clearedCaseId, lateCaseId] = [await openCaseFor(alice), await openCaseFor(bruno)]
  const carl = await world.enroll('carl', 'United States')
  const { transaction_id: id } = await send(alice, carl)
  await recordCaseDecisions(world, clearedCaseId, 'clear')
  await pool.query(`update compliance_case set decide_by = opened_at + interval '1 millisecond' where id = $1`, [
    lateCaseId,
  ])
  await pool.query('alter table desk_item rename to desk_item_gone')
  const followCases = () => runTask(world.app.product, 'follow_cases')
  await expect(followCases()).rejects.toThrow('not all that follows')
  const loadState = async () => (await pool.query('select state from transfer where id = $1', [id])).rows
  expect(await loadState()).toEqual([{ state: 'settled' }])
  await pool.query('alter table desk_item_gone rename to desk_item')
  await followCases()
  const { rows } = await pool.query('select for_lead from desk_item where for_lead')
  expect(rows).toEqual([{ for_lead: true }])
  await world.close()
})
