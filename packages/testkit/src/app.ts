// For tests through the API: the application in the test's process, with its own mail worker, database and sandbox.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type pg from 'pg'
import { pino } from 'pino'
import { type App, createApp } from '@tern/server/app'
import type { TransferRule } from '@tern/server/features/transfers/transfers'
import { readConfig } from '@tern/server/platform/runtime/config'
import { connectQueue } from '@tern/server/platform/database/queue/queue-pool'
import { choosePort as chooseAnyPort } from '@tern/server/platform/database/embedded-postgres'
import { testLogFile } from './secrets.ts'
import { readJobId } from '@tern/server/platform/database/queue/job-payload'
import { runJobs } from '@tern/server/platform/database/queue/jobs'
import { createVerifier } from './kyc/ready-verdict.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { enroll, type EnrollOptions, fund, type TestPerson } from './people.ts'
import { allowUnconfirmed } from './risk.ts'
import { startTestSandbox } from './sandbox.ts'

export type { TestPerson }

export interface RawOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  // Untyped, because the shape of the body is what tests check.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

const retryDelaysMs = [100, 200, 500]

export type TestApp = Awaited<ReturnType<typeof startTestApp>>

/**
 * Starts sandbox and application. The application has the minimal database role, the additional `environment`, and its
 * own database unless one is given. `events: 'lost'`: the sandbox's webhooks do not arrive. `transferRules` replace the
 * product's rules. `unconfirmedPayments`: payments that pass without a step-up confirmation: `many` payments of 100
 * dollars in total, `any` payment, or the product's usual ones (`as_usual`).
 */
export async function startTestApp({
  events,
  environment,
  database: existingDatabase,
  transferRules,
  unconfirmedPayments = existingDatabase ? 'as_usual' : 'many',
}: {
  events?: 'lost'
  environment?: Readonly<Record<string, string>>
  database?: TestDatabase
  transferRules?: readonly TransferRule[]
  unconfirmedPayments?: 'as_usual' | 'many' | 'any'
} = {}) {
  const database = existingDatabase ?? (await createTestDatabase())
  if (unconfirmedPayments !== 'as_usual')
    await allowUnconfirmed(database.pool, unconfirmedPayments === 'any' ? { dollars: 1_000_000 } : {})
  const { port, release } = await reservePort()
  const receiver = `http://localhost:${port}/api/webhooks/sandbox`
  const redirect = `http://localhost:${port}/auth/callback`
  const sandbox = await startTestSandbox(events === 'lost' ? undefined : receiver, retryDelaysMs, redirect)
  const logFile = testLogFile('app')
  const secret = randomBytes(32).toString('base64url')
  const adminToken = randomBytes(24).toString('base64url')
  const settings = readConfig({
    PORT: String(port),
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET: sandbox.secret,
    TERN_SECRET: secret,
    ADMIN_TOKEN: adminToken,
    LOG_LEVEL: logFile === undefined ? (process.env.LOG_LEVEL ?? 'fatal') : 'debug',
    ...environment,
  })
  // A busy machine must not turn the sandbox's answers into unknown ones.
  const config = { ...settings, sandbox: settings.sandbox && { ...settings.sandbox, timeoutMs: 60_000 } }
  const app = await createApp(config, database.applicationUrl, { logFile, transferRules })
  await release()
  await app.http.listen({ port, host: '::' })
  app.setReady()
  const queue = connectQueue(database.applicationUrl)
  const mails = await runMails(queue, app)
  const url = config.publicUrl
  const verify = createVerifier(app.product, config, app.http.log)
  return {
    app,
    database,
    url,
    sandboxUrl: sandbox.url,
    sandboxSecret: sandbox.secret,
    /** `TERN_SECRET`, from which the product derives its keys. */
    secret,
    /** Registers a person, verified as a resident of `country` unless it is null. */
    enroll: async (
      name: string,
      country: string | null,
      options: Pick<EnrollOptions, 'localName'> = {},
    ): Promise<TestPerson> => ({
      ...(await enroll(url, name, country, { ...options, database: database.pool, verify })),
      confirmAtOnce: (id) =>
        database.pool.query('update step_up_confirmation set confirmed_at = now() where id = $1', [id]),
    }),
    /** Lets a person be found by email, as if they had followed the mailed link. */
    confirmEmail: ({ id }: TestPerson): Promise<void> => app.product.identity.vouchForEmail(BigInt(id)),
    fund,
    /** Reads metrics or the API reference with the operators' token. */
    readAsOperator: (path: string): Promise<Response> =>
      fetch(url + path, { headers: { authorization: `Bearer ${adminToken}` } }),
    /** Calls any path below `/api`; returns the status and the parsed body, also for errors. */
    raw: (method: string, target: string, options?: RawOptions) => sendRaw(url, method, target, options),
    /**
     * Stops everything and drops the database. With `keepsDatabase` it only disconnects; the caller drops the database.
     */
    async close({ keepsDatabase = false } = {}): Promise<void> {
      await mails.stop()
      await queue.end()
      await app.close()
      await sandbox.stop()
      await (keepsDatabase ? database.pool.end() : database.drop())
    },
  }
}

const portShares = 16

/** Returns a free port of this worker's share, so that no parallel test chooses the same one. */
export async function choosePort(): Promise<number> {
  for (;;) {
    const port = await chooseAnyPort()
    if ((port - Number(process.env.VITEST_POOL_ID ?? port)) % portShares === 0) return port
  }
}

/** Reserves a port until released, so that no parallel test chooses the same one. */
async function reservePort(): Promise<{ port: number; release: () => Promise<void> }> {
  for (;;) {
    const port = await choosePort()
    const holder = createServer().listen(port, '127.0.0.1')
    const isHeld = await once(holder, 'listening').then(
      () => true,
      () => false,
    )
    const release = () => new Promise<void>((resolve) => holder.close(() => resolve()))
    if (isHeld) return { port, release }
  }
}

/** Calls any path below the `/api` of the product at `url`. */
export async function sendRaw(
  url: string,
  method: string,
  target: string,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { token, body, headers } = options
  const response = await fetch(`${url}/api${target}`, {
    method,
    headers: {
      ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  return { status: response.status, contentType, body: /json/.test(contentType) ? JSON.parse(text) : text }
}

/** Starts a worker that sends mails as they are queued. */
const runMails = (queue: pg.Pool, { product: { notifications } }: App) =>
  runJobs(pino({ level: 'silent' }), queue, {
    name: 'send_mail',
    atOnce: 8,
    run: (payload) => notifications.send(readJobId(payload, 'mailId')),
  })
