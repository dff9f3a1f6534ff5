import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../tools/test-database.ts'
import { readConfig } from './config.ts'
import { transact } from './db.ts'
import { insertSubmission } from './features/kyc/submission.ts'
import { newId } from './ids.ts'
import { createSeal } from './seal.ts'
import { startWorker } from './worker.ts'

/** Providers that never answer, and what they were asked. */
async function startSilentProviders() {
  const asked: string[] = []
  const server = createServer((request) => {
    if (request.url !== '/api/clock') asked.push(String(request.url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, asked, stop }
}

const userId = 3_000_000_001n
const form = {
  email: 'somebody@example.com',
  firstName: 'Some',
  lastName: 'Body',
  dateOfBirth: '1990-02-28',
  country: 'France',
  nationality: 'France',
  idNumber: '290027512345678',
  documentType: 'passport',
  documentNumber: 'X9K4471PQ',
  currencyPreference: 'EUR',
  streetAddress: '1 rue de la Paix',
  city: 'Paris',
  state: 'Île-de-France',
  postalCode: '75002',
} as const

test('a provider that is slow about payments does not keep identity checks waiting', async () => {
  const database = await createTestDatabase()
  const { pool } = database
  const providers = await startSilentProviders()
  const random = () => randomBytes(24).toString('base64url')
  const config = readConfig({
    SANDBOX_URL: providers.url,
    SANDBOX_SECRET: random(),
    TERN_SECRET: random(),
    LOG_LEVEL: 'silent',
  })
  const hourAgo = new Date(Date.now() - 3_600_000)
  await pool.query(`insert into app_user (id, email, username, created_at) values ($1, 'x@example.com', 'x', $2)`, [
    userId,
    hourAgo,
  ])
  await pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, 'Main wallet', 'USD', $3)`,
    [newId(hourAgo), userId, hourAgo],
  )
  await pool.query(
    `insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, session_id, idempotency_key,
       request_hash, created_at, updated_at, asked_at)
     select gen_random_uuid(), $1, 'deposit', 'card', 'pending', 100, 'USD', 'sandbox', 'slow', gen_random_uuid(), '',
       $2, $2, $2 from generate_series(1, 4)`,
    [userId, hourAgo],
  )
  const seal = createSeal(config.secret, 'kyc/numbers')
  await transact(pool, (tx) => insertSubmission(tx, seal, { id: newId(hourAgo), userId, form }, hourAgo))

  const worker = await startWorker(config, database.url)
  const addJob = (task: string) => pool.query('select graphile_worker.add_job($1)', [task])
  for (let minutes = 0; minutes < 5; minutes += 1) await addJob('check_pending_payments')
  await expect.poll(() => providers.asked.length, { timeout: 4000 }).toBeGreaterThan(0)
  await addJob('resume_kyc')
  // The first question about a payment is still open, and only one is at a time.
  await expect
    .poll(() => providers.asked.toSorted(), { timeout: 4000 })
    .toEqual(['/api/checkout/sessions/slow', '/api/kyc/checks'])
  providers.stop()
  await worker.close()
  await database.drop()
})
