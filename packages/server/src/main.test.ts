import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { choosePort } from '@tern/testkit/app'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const secret = 'vN3qk8Zt5Wc1uYe7Rb9sHd2mLx4Gp6Ja'
const baseEnvironment = {
  TERN_SECRET: secret,
  SANDBOX_SECRET: secret,
  LOG_LEVEL: 'silent',
  STRIPE_WEBHOOK_SECRET: `whsec_${secret}`,
}

function start(role: 'app' | 'worker', environment: Record<string, string>) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url)), role], {
    env: { PATH: process.env.PATH, ...baseEnvironment, DATABASE_URL: database.url, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, ended: once(child, 'exit'), output: () => output }
}
const startWorker = (environment: Record<string, string>) => start('worker', environment)

test('a database with Stripe test money never starts in production', async () => {
  const sandboxWorker = startWorker({ TERN_MODE: 'sandbox', STRIPE_SECRET_KEY: 'sk_test_1' })
  try {
    await vi.waitFor(
      async () => {
        const { rowCount } = await database.pool.query('select from demo_seed')
        expect(rowCount).toBe(1)
      },
      { timeout: 120_000, interval: 200 },
    )
  } finally {
    sandboxWorker.child.kill('SIGKILL')
    await sandboxWorker.ended
  }
  const liveWorker = startWorker({
    TERN_MODE: 'production',
    PUBLIC_URL: 'https://tern.example',
    STRIPE_SECRET_KEY: 'sk_live_1',
  })
  expect(await liveWorker.ended).toEqual([78, null])
  expect(liveWorker.output()).toContain('was used with the sandbox')
  expect(liveWorker.output()).toContain('DATABASE_URL names the owner of the schema')
})

test('another secret than the one that sealed the data stops a start with a sentence', async () => {
  const first = startWorker({ STRIPE_SECRET_KEY: 'sk_test_1' })
  try {
    await vi.waitFor(async () => expect((await database.pool.query('select from signing_key')).rowCount).toBe(1), {
      timeout: 120_000,
      interval: 100,
    })
  } finally {
    first.child.kill('SIGKILL')
    await first.ended
  }
  const secondWorker = startWorker({ STRIPE_SECRET_KEY: 'sk_test_1', TERN_SECRET: 'q7Lm2Zt8Rb5Wc1uYe9Nd3sHv4xGp6JaK' })
  expect(await secondWorker.ended).toEqual([78, null])
  expect(secondWorker.output()).toMatch(/^The data was sealed under another TERN_SECRET: .*TERN_OLD_SECRET.*\n$/)
})

test('a start with a secret file that cannot be read ends with one sentence that names its variable', async () => {
  const worker = startWorker({ TERN_SECRET: '', TERN_SECRET_FILE: '/nowhere/secret' })
  expect(await worker.ended).toEqual([78, null])
  expect(worker.output()).toBe('TERN_SECRET_FILE names /nowhere/secret, which cannot be read (ENOENT).\n')
})

test('a production start logs where rates come from, which providers are missing, what is refused, and a wrong key', async () => {
  const stripe = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'Invalid API Key' } }))
  }).listen(0, '127.0.0.1')
  await once(stripe, 'listening')
  const { port } = stripe.address() as AddressInfo
  const unusedDatabase = await createTestDatabase()
  const liveApp = start('app', {
    TERN_MODE: 'production',
    PUBLIC_URL: 'https://tern.example',
    PORT: String(await choosePort()),
    DATABASE_URL: unusedDatabase.applicationUrl,
    STRIPE_SECRET_KEY: 'sk_live_wrong',
    STRIPE_API_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'info',
    ECB_RATES_URL: `http://127.0.0.1:${port}/ecb`,
    BITSTAMP_URL: 'off',
  })
  try {
    await vi.waitFor(() => expect(liveApp.output()).toContain('Stripe does not accept STRIPE_SECRET_KEY'), {
      timeout: 120_000,
      interval: 100,
    })
  } finally {
    liveApp.child.kill('SIGKILL')
    await liveApp.ended
    stripe.close()
    await unusedDatabase.drop()
  }
  expect(liveApp.output()).toMatch(new RegExp(`"level":30,.*Exchange rates come from ecb \\(127.0.0.1:${port}\\)\\.`))
  expect(liveApp.output()).toMatch(
    /"level":40,.*\(BITSTAMP_URL\): sends and conversions between currencies are refused/,
  )
  expect(liveApp.output()).toMatch(/"level":40,.*"source":"ecb","reason":".*answered 401".*rates were not read/)
  expect(liveApp.output()).toMatch(/"level":40,.*\(SMTP_URL\): emails wait until they expire/)
  expect(liveApp.output()).toMatch(/"level":40,.*\(STRIPE_FINANCIAL_ACCOUNT\): withdrawals are refused/)
  expect(liveApp.output()).toMatch(
    /^Lists for screening are missing or too old \(.*un.*\): nobody is verified and payments wait/m,
  )
  expect(liveApp.output()).toMatch(/"level":40,.*Lists for screening are missing or too old/)
  expect(liveApp.output()).not.toContain('sk_live_wrong')
})
