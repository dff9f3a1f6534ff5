import type { FastifyInstance } from 'fastify'
import { afterAll, expect } from 'vitest'
import { newId } from '@tern/server/platform/ids'
import { createTestHttp } from '../http/http.ts'
import { addToTestLog, testLogFile } from '../secrets.ts'
import { createTestNotifications } from '../notifications/notifications.ts'
import { createIdentity, type IdentityOptions } from '@tern/server/features/identity/identity'
import { identityRoutes, wellKnownRoutes } from '@tern/server/features/identity/identity.routes'

export const publicUrl = 'http://localhost:3000'
export const password = 'a sound passphrase'

/** For tests: identity feature over a database, with a clock that can be moved. */
export async function createTestIdentity(
  database: Pick<IdentityOptions, 'pool'> & { url: string },
  overrides: Partial<IdentityOptions> = {},
) {
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const logged: string[] = []
  const logFile = testLogFile('identity')
  const write = (details: object, message: string) => {
    const line = JSON.stringify({ details, message })
    logged.push(line)
    addToTestLog(logFile, line)
  }
  const notifications = createTestNotifications()
  const options: IdentityOptions = {
    notifications,
    pool: database.pool,
    databaseUrl: database.url,
    secret: Buffer.alloc(32, 7),
    secureCookie: false,
    publicUrl,
    now,
    realNow: now,
    log: { info: write, warn: write },
    accountEvents: [
      {
        registered: async (tx, { userId, at }) => {
          await tx.query(
            `insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, 'Main wallet', 'EUR', $3)`,
            [newId(at), userId, at],
          )
        },
      },
    ],
    ...overrides,
  }
  const identity = await createIdentity(options)
  const http = await createTestHttp({ ...options, authenticate: identity.authenticate }, (api, root) => {
    identityRoutes(api, identity)
    wellKnownRoutes(root, identity)
  })

  const { post, get, refreshWith, newCookie } = createCallers(http)

  async function signUp(username: string, overrides: object = {}) {
    const reply = await post('/api/user/register/', { ...buildRegistration(username), ...overrides })
    expect(reply.statusCode, reply.body).toBe(201)
    const { id, access_token: token } = reply.json<{ id: number; access_token: string }>()
    const browser = { cookie: `browser=${reply.cookies.find(({ name }) => name === 'browser')?.value}` }
    return { id, token, cookie: newCookie(reply), browser }
  }

  return {
    options,
    identity,
    http,
    logged,
    mails: notifications.requestedMails,
    advance: (ms: number) => (offsetMs += ms),
    post,
    get,
    signUp,
    refreshWith,
    newCookie,
    count: async (from: string) => {
      const { rows } = await database.pool.query<{ n: bigint }>(`select count(*) as n ${from}`)
      // not money: a count of rows
      return Number(rows[0]?.n)
    },
    async close() {
      await http.close()
      await identity.close()
    },
  }
}

function createCallers(http: FastifyInstance) {
  let calls = 0
  /** Each call has another address, so that limits per address do not apply. */
  async function post(path: string, body?: object, headers: Record<string, string> = {}) {
    calls += 1
    const remoteAddress = `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`
    return http.inject({
      method: 'POST',
      url: path,
      headers,
      remoteAddress,
      ...(body ? { payload: body } : {}),
    })
  }
  const get = (path: string, token?: string) =>
    http.inject({ method: 'GET', url: path, headers: token ? { authorization: `Bearer ${token}` } : {} })
  const refreshWith = (cookie: string) => post('/api/auth/token', undefined, { cookie: `rt=${cookie}` })
  const newCookie = (reply: Awaited<ReturnType<typeof post>>) =>
    reply.cookies.find(({ name }) => name === 'rt')?.value ?? ''

  return { post, get, refreshWith, newCookie }
}

/** Opens a test identity for a whole test file, and closes it after the last test. */
export async function openTestIdentity(database: Parameters<typeof createTestIdentity>[0] & { drop(): Promise<void> }) {
  const tern = await createTestIdentity(database)
  afterAll(async () => {
    await tern.close()
    await database.drop()
  })
  return tern
}

/** Returns the registration data of `username`. */
export const buildRegistration = (username: string) => ({ email: `${username}@tern.example`, username, password })

/** Returns the login data of the person registered as `username`. */
export const buildLogin = (username: string) => ({ email: `${username}@tern.example`, password })

/** Returns the status codes in ascending order. */
export const statuses = (replies: readonly { statusCode: number }[]): number[] =>
  replies.map((reply) => reply.statusCode).toSorted((a, b) => a - b)

/**
 * Returns the ratio of two median durations, measured alternately, so that other load affects both. A ratio beyond
 * `suspiciousRatio` is measured again, at most twice, because only a real difference persists.
 */
export async function timeRatio(
  firstCall: (i: number) => Promise<unknown>,
  secondCall: (i: number) => Promise<unknown>,
  { rounds = 31, suspiciousRatio }: { rounds?: number; suspiciousRatio: number },
): Promise<number> {
  let ratio = Number.NaN
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const offset = attempt * rounds
    ratio = await measureRatio(
      (i) => firstCall(offset + i),
      (i) => secondCall(offset + i),
      rounds,
    )
    if (ratio > 1 / suspiciousRatio && ratio < suspiciousRatio) break
  }
  return ratio
}

async function measureRatio(
  firstCall: (i: number) => Promise<unknown>,
  secondCall: (i: number) => Promise<unknown>,
  rounds: number,
): Promise<number> {
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < rounds; i += 1) {
    for (const [index, work] of [firstCall, secondCall].entries()) {
      const startedAt = performance.now()
      await work(i)
      times[index]?.push(performance.now() - startedAt)
    }
  }
  const [first, second] = times.map((list) => list.toSorted((a, b) => a - b)[rounds >> 1] ?? 0)
  return (first ?? 0) / (second ?? 1)
}
