import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { readConfig } from './platform/runtime/config.ts'
import { connect } from './platform/database/db.ts'
import {
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from './platform/database/embedded-postgres.ts'
import { startWorker } from './worker.ts'
import { migrate } from './commands/migrate/migrate.ts'

const settings = { fsync: 'off', shared_buffers: '32MB', min_wal_size: '32MB' }
const longestWaitMs = 8000
/** Allows for a database that restarts slowly on a busy machine. */
const recoveryPoll = { timeout: 120_000, interval: 20 }

let dataDir: string
let server: EmbeddedPostgres
let world: TestApp
let worker: Awaited<ReturnType<typeof startWorker>>
let alice: TestPerson
let bruno: TestPerson
let events: ReturnType<typeof followEvents>

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(temporaryFolder(), 'tern-outage-'))
  fs.chmodSync(dataDir, 0o755)
  server = await startEmbeddedPostgres({ dataDir, settings })
  await migrate(server.url, server)
  const pool = connect(server.url)
  world = await startTestApp({ database: { ...server, pool, drop: () => pool.end() }, unconfirmedPayments: 'any' })
  const { sandboxUrl, sandboxSecret, secret } = world
  const config = { SANDBOX_URL: sandboxUrl, SANDBOX_SECRET: sandboxSecret, TERN_SECRET: secret, LOG_LEVEL: 'silent' }
  worker = await startWorker(readConfig(config), server.applicationUrl)
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 100_000)
  events = followEvents(alice)
})
afterAll(async () => {
  await events.stop()
  await worker.close()
  await world.close()
  await server.stop()
  await removeEmbeddedPostgres(dataDir)
  fs.rmSync(dataDir, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly retryAfter: number
  readonly body: { code?: string; reason?: string; transaction_id?: string }
  readonly tookMs: number
}

async function callApi(
  method: string,
  target: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const startedAt = performance.now()
  const answer = await fetch(`${world.url}${target}`, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    retryAfter: Number(answer.headers.get('retry-after') ?? 0),
    body: text.startsWith('{') ? JSON.parse(text) : {},
    tookMs: performance.now() - startedAt,
  }
}

const send = (key = randomUUID()) =>
  callApi(
    'POST',
    '/api/payment/transfer',
    { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' },
    { authorization: `Bearer ${alice.token}`, 'idempotency-key': key },
  )

/** Returns one call of each kind. */
function buildCalls(): Record<string, () => Promise<Answer>> {
  const authorization = { authorization: `Bearer ${alice.token}` }
  const quoteBody = { source_currency: 'USD', target_currency: 'EUR', amount: '1.00', side: 'source' }
  return {
    read: () => callApi('GET', `/api/wallet/user/${alice.id}`, undefined, authorization),
    list: () => callApi('GET', `/api/transaction/user/${alice.id}`, undefined, authorization),
    search: () => callApi('GET', '/api/user/search?query=bruno', undefined, authorization),
    send: () => send(),
    quote: () => callApi('POST', '/api/quotes', { ...quoteBody, recipient_id: bruno.id }, authorization),
    login: () => callApi('POST', '/api/user/login', { email: alice.email, password: alice.password }),
    rate: () => callApi('GET', '/api/currency/rate/USD/EUR'),
    readiness: () => callApi('GET', '/readyz'),
  }
}

async function expectUnavailable(): Promise<void> {
  await expect.poll(async () => (await callApi('GET', '/readyz')).status, { interval: 20 }).toBe(503)
  for (const [name, call] of Object.entries(buildCalls())) {
    await expectPromptAnswer(name, async () => {
      const { status, retryAfter, body, tookMs } = await call()
      expect([status, body.code], name).toEqual([503, name === 'readiness' ? 'not_ready' : 'service_unavailable'])
      expect(retryAfter, name).toBeGreaterThan(0)
      if (name === 'readiness') expect(body.reason).toBe('database_unavailable')
      return tookMs
    })
  }
  for (const target of ['/healthz', '/metrics']) {
    await expectPromptAnswer(target, async () => {
      const startedAt = performance.now()
      const { status } = await world.readAsOperator(target)
      expect(status, target).toBe(200)
      return performance.now() - startedAt
    })
  }
}

/** Calls until an answer takes less than a second, at most three times, to tolerate other load. */
async function expectPromptAnswer(name: string, call: () => Promise<number>): Promise<void> {
  const times: number[] = []
  while (times.length < 3 && !times.some((time) => time < 1000)) times.push(await call())
  expect(Math.min(...times), `${name} is answered at once`).toBeLessThan(1000)
}

async function expectAvailable(): Promise<void> {
  await expect.poll(async () => (await callApi('GET', '/readyz')).status, recoveryPoll).toBe(200)
  for (const [name, call] of Object.entries(buildCalls())) {
    const { status, body } = await call()
    expect([status, body.code], name).toEqual([expect.toBeOneOf([200, 201]), undefined])
  }
}

/** Follows a user's events as the pages do: resumes a stream that ends or is refused. */
function followEvents({ token }: TestPerson) {
  const stopController = new AbortController()
  let receivedText = ''
  let lastEventId = ''
  async function readOnce(): Promise<void> {
    const answer = await fetch(`${world.url}/api/events`, {
      headers: { authorization: `Bearer ${token}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
      signal: stopController.signal,
    })
    if (answer.status !== 200) return
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      receivedText += chunk
      lastEventId = /.*\nid: (\d+)\n/s.exec(receivedText)?.[1] ?? lastEventId
    }
  }
  const readLoop = (async () => {
    while (!stopController.signal.aborted) {
      await readOnce().catch(() => {})
      await delay(100)
    }
  })()
  return {
    told: () => receivedText,
    async stop() {
      stopController.abort()
      await readLoop
    },
  }
}

/** Checks that a follower receives a send after the outage. */
async function expectStreamResumed(events: ReturnType<typeof followEvents>): Promise<void> {
  const { status, body } = await send()
  expect(status, JSON.stringify(body)).toBe(200)
  await expect.poll(events.told).toContain(String(body.transaction_id))
}

async function expectWorkerRecovered(): Promise<void> {
  const { pool } = world.database
  // Adds another job, because a job interrupted by an outage stays locked for a while.
  await pool.query(`select graphile_worker.add_job('resume_mails', job_key => 'after the outage')`)
  const countPendingJobs = () =>
    pool
      .query(
        `select from graphile_worker.jobs where key = 'after the outage' or (locked_at is null and run_at <= now())`,
      )
      .then(({ rowCount }) => rowCount)
  await expect.poll(countPendingJobs, { timeout: 120_000 }).toBe(0)
}

/** Lists the ids of the database server's process and of its children. */
function listServerProcesses(): number[] {
  const [line = ''] = fs.readFileSync(path.join(server.directory, 'postmaster.pid'), 'utf8').split('\n')
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', line], { encoding: 'utf8' })
  return [line, ...children.split('\n')].map((pid) => Number(pid)).filter((pid) => pid > 0)
}

async function loadBalance(): Promise<string> {
  return (await alice.wallet()).fiat_balance
}

test('during a database restart every call gets 503 with Retry-After, then all recovers', async () => {
  await expectAvailable()
  await server.stop()
  await expectUnavailable()
  const key = randomUUID()
  expect((await send(key)).status).toBe(503)
  server = await startEmbeddedPostgres({ dataDir, settings })
  await expectAvailable()
  const balanceBefore = await loadBalance()
  expect((await send(key)).status, 'given again with its key').toBe(200)
  expect((await send(key)).status, 'and again').toBe(200)
  expect(Number(balanceBefore) - Number(await loadBalance()), 'one dollar and its fee, once').toBeCloseTo(1.01)
  await expectStreamResumed(events)
  await expectWorkerRecovered()
})

test('killing the server during calls causes no internal error', async () => {
  const [postmaster] = listServerProcesses()
  let isFinished = false
  const answers: Answer[] = []
  const callers = Object.values(buildCalls()).map(async (call) => {
    while (!isFinished) {
      answers.push(await call())
      await delay(20)
    }
  })
  await expect.poll(() => answers.length, { interval: 5 }).toBeGreaterThan(20)
  process.kill(postmaster!, 'SIGKILL')
  await expect.poll(() => answers.some(({ status }) => status === 503), { interval: 5 }).toBe(true)
  await expect.poll(async () => (await callApi('GET', '/readyz')).status, recoveryPoll).toBe(200)
  const answersBefore = answers.length
  await expect.poll(() => answers.slice(answersBefore).some(({ status }) => status < 300), { interval: 5 }).toBe(true)
  isFinished = true
  await Promise.all(callers)
  await expectStreamResumed(events)
  expect(answers.filter(({ status }) => status >= 400 && ![429, 503].includes(status))).toEqual([])
  await expectWorkerRecovered()
})

test('a frozen server: pending calls are answered within seconds, later ones at once, and all recovers when it thaws', async () => {
  await expectAvailable()
  const suspendedProcesses = listServerProcesses()
  for (const pid of suspendedProcesses) process.kill(pid, 'SIGSTOP')
  try {
    const pendingAnswers = await Promise.all(Object.values(buildCalls()).map((call) => call()))
    for (const { status, retryAfter, tookMs } of pendingAnswers) {
      expect([status, retryAfter > 0]).toEqual([503, true])
      expect(tookMs).toBeLessThan(longestWaitMs)
    }
    await expectUnavailable()
  } finally {
    for (const pid of suspendedProcesses) process.kill(pid, 'SIGCONT')
  }
  await expectAvailable()
  await expectStreamResumed(events)
})
