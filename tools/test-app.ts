// The application in this process, over a database of its own and a sandbox of its own: for tests through the API.

import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient } from '@tern/contract/client'
import { countries } from '@tern/contract/countries'
import { allEndpoints } from '@tern/contract/endpoints'
import type { Wallet } from '@tern/contract/wallets'
import { scaleOf } from '@tern/money/currency'
import { startSandbox } from '../packages/sandbox/src/sandbox.ts'
import { type App, createApp } from '../packages/server/src/app.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { choosePort } from '../packages/server/src/embedded-postgres.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

const { register, submitKyc, depositByCard, paymentStatus, walletOfUser } = allEndpoints

/** Somebody signed in, with a client that speaks for them. */
export interface TestPerson {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly token: string
  readonly call: Client['call']
  wallet(): Promise<Wallet>
}

export interface TestApp {
  readonly app: App
  readonly database: TestDatabase
  readonly url: string
  readonly sandboxUrl: string
  readonly sandboxSecret: string
  /** Registers somebody; verified as a resident of `country` unless that is null. */
  enroll(name: string, country: string | null): Promise<TestPerson>
  /** Pays `minor` units of the person's base currency into their wallet by the sandbox's checkout. */
  fund(person: TestPerson, minor: number): Promise<void>
  /** Calls any path below `/api` and gives status and parsed body, whatever they are. */
  raw(method: string, path: string, options?: RawOptions): Promise<RawAnswer>
  close(): Promise<void>
}

export interface RawOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  // A test reads what it expects; the shape is what is being tested.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

const idNumbers: Record<string, string> = { 'United States': '123-45-6789', Germany: '65929970489' }

/** Starts both. With `events: 'lost'` the sandbox's webhooks go nowhere. */
export async function startTestApp({ events }: { events?: 'lost' } = {}): Promise<TestApp> {
  const database = await createTestDatabase()
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-app-'))
  const port = await choosePort()
  const sandboxSecret = randomBytes(32).toString('base64url')
  const sandbox = await startSandbox({
    port: 0,
    dataDir,
    secret: sandboxSecret,
    webhookUrl: `http://localhost:${port}/${events === 'lost' ? 'nowhere' : 'api/webhooks/sandbox'}`,
    retryDelaysMs: [100, 200, 500],
  })
  const config = readConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET: sandboxSecret,
    TERN_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
  })
  const app = await createApp(config, database.url)
  await app.http.listen({ port, host: '::' })
  app.setReady()
  const url = config.publicUrl
  return {
    app,
    database,
    url,
    sandboxUrl: sandbox.url,
    sandboxSecret,
    enroll: (name, country) => enroll(url, name, country),
    fund: (person, minor) => fund(sandbox.url, person, minor),
    raw: (method, target, options) => raw(url, method, target, options),
    async close() {
      await app.close()
      await sandbox.stop()
      await database.drop()
      fs.rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function enroll(url: string, name: string, country: string | null): Promise<TestPerson> {
  let token: string | undefined
  const client = createClient({ baseUrl: `${url}/api`, accessToken: () => token })
  const username = `${name}.${randomBytes(4).toString('hex')}`
  const email = `${username}@example.com`
  const registered = await client.call(register, { body: { email, username, password: 'a long pass phrase', name } })
  token = registered.access_token
  const { id } = registered
  const known = countries.find((candidate) => candidate.name === country)
  if (known) {
    await client.call(submitKyc, {
      params: { id: String(id) },
      body: {
        email,
        firstName: name,
        lastName: 'Tester',
        dateOfBirth: '1990-02-03',
        country: known.name,
        nationality: known.name,
        idNumber: idNumbers[known.name] ?? '123456789',
        documentType: 'passport',
        documentNumber: 'P1234567',
        currencyPreference: known.currency,
        streetAddress: '1 Main Street',
        city: 'Springfield',
        state: 'Somewhere',
        postalCode: '12345',
      },
    })
  }
  const wallet = () => client.call(walletOfUser, { params: { userId: String(id) } })
  return { id, username, email, token, call: client.call, wallet }
}

async function fund(sandboxUrl: string, person: TestPerson, minor: number): Promise<void> {
  const { base_currency: currency } = await person.wallet()
  const begun = await person.call(depositByCard, {
    body: { amount: minor, currency: currency.toLowerCase(), userId: person.id, depositToWallet: true },
    idempotencyKey: randomUUID(),
  })
  const session = new URL(begun.redirectUrl).pathname.split('/').at(-1) ?? ''
  await fetch(`${sandboxUrl}/api/checkout/${session}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ card_number: '4242424242424242', expiry: '12/39', cvc: '123' }),
  })
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { status } = await person.call(paymentStatus, { params: { id: begun.payment_id } })
    if (status === 'completed') return
    await delay(25)
  }
  throw new Error(`a deposit of ${minor} minor units (scale ${scaleOf(currency)}) never arrived`)
}

async function raw(url: string, method: string, target: string, options: RawOptions = {}): Promise<RawAnswer> {
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
