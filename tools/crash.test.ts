// Kills the app repeatedly during a stream of transfers. A client that resends unanswered requests must find each of
// them executed exactly once.

import { execFile } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient, Refused } from '@tern/contract/protocol/client'
import { login } from '@tern/contract/sign-in'
import { sendMoney } from '@tern/contract/transfers'
import { walletOfUser } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFullRun } from '@tern/testkit/length'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { startTestProduct, type TestProduct } from '@tern/testkit/product'
import { allowUnconfirmed, raiseMovementCounts } from '@tern/testkit/risk'

const kills = isFullRun ? 20 : 8
const parallelSenders = 8
const deposit = 500_000
const callTimeoutMs = 20_000
const tern = fileURLToPath(new URL('../packages/server/src/commands/runner/tern.ts', import.meta.url))

let startedProduct: TestProduct
let database: pg.Client

beforeAll(async () => {
  startedProduct = await startTestProduct()
  database = new pg.Client({ connectionString: startedProduct.address.E2E_DATABASE_URL })
  await database.connect()
  // A fast machine exceeds a person's daily limits: the number of sends, and the amount without a step-up.
  await allowUnconfirmed(database, { dollars: 1_000_000 })
  await raiseMovementCounts(database)
})

afterAll(async () => {
  await database.end()
  await startedProduct.remove()
})

interface PaymentStream {
  /** Source currency, by the sender's user id. */
  currencies: Map<number, CurrencyCode>
  /** Acknowledged transaction ids by idempotency key. */
  acknowledgedIds: Map<string, string>
  resentCount: number
  refusals: string[]
}

/** Creates a client whose access token `signInAgain` renews. */
function createRenewingClient({ email, password, token: first }: TestPerson) {
  let token = first
  const { call } = createClient({
    baseUrl: `${startedProduct.address.E2E_URL}/api`,
    accessToken: () => token,
    timeoutMs: callTimeoutMs,
  })
  async function signInAgain(): Promise<void> {
    const answer = await call(login, { body: { email, password } })
    if ('access_token' in answer) token = answer.access_token
  }
  return { call, signInAgain }
}

/** Sends transfers until stopped or refused, resending each under its key until answered. */
async function sendContinuously(
  from: TestPerson,
  to: TestPerson,
  stream: PaymentStream,
  isStopped: () => boolean,
): Promise<void> {
  const currency = stream.currencies.get(from.id) ?? 'USD'
  const { call, signInAgain } = createRenewingClient(from)
  while (!isStopped()) {
    const idempotencyKey = randomUUID()
    const body = {
      recipient_id: to.id,
      amount: `1.${randomInt(10, 99)}`,
      source_currency: currency,
    }
    for (;;) {
      try {
        const { transaction_id } = await call(sendMoney, { body, idempotencyKey })
        stream.acknowledgedIds.set(idempotencyKey, transaction_id)
        break
      } catch (error) {
        if (error instanceof Refused && error.code === 'unauthenticated') {
          await signInAgain().catch(() => {})
        } else if (error instanceof Refused && error.status < 500 && error.code !== 'request_in_progress') {
          stream.refusals.push(`${error.code}: ${error.message}`)
          return
        }
        stream.resentCount += 1
        await delay(25)
      }
    }
  }
}

/** Kills the app repeatedly, each time after a random delay and more than ten new acknowledgments. */
async function killRepeatedly(stream: PaymentStream): Promise<void> {
  const { product, address } = startedProduct
  const readiness = () =>
    fetch(`${address.E2E_URL}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    )
  for (let count = 0; count < kills; count += 1) {
    const countBefore = stream.acknowledgedIds.size
    await delay(randomInt(150, 900))
    const hasSent = () => stream.acknowledgedIds.size > countBefore + 10 || stream.refusals.length > 0
    await expect.poll(hasSent, { timeout: 120_000, interval: 5 }).toBe(true)
    expect(stream.refusals).toEqual([])
    const pid = product.processes.app.pid()
    if (pid === undefined) throw new Error('The app was not running when it should have been.')
    process.kill(pid, 'SIGKILL')
    await expect.poll(readiness, { timeout: 120_000, interval: 25 }).toBe(200)
  }
}

const column = async (statement: string, values: unknown[]): Promise<string[]> =>
  (await database.query<[string]>({ text: statement, values, rowMode: 'array' })).rows.map(([value]) => value)

test(`kill -9 of the app ${kills} times in a stream of transfers loses and duplicates nothing`, async () => {
  const { address, product } = startedProduct
  const [anna, ben] = await Promise.all([
    enroll(address.E2E_URL, 'anna', 'United States', { database: address.E2E_DATABASE_URL }),
    enroll(address.E2E_URL, 'ben', 'Germany', { database: address.E2E_DATABASE_URL }),
  ])
  await Promise.all([fund(anna, deposit), fund(ben, deposit)])

  const currencies = new Map<number, CurrencyCode>([
    [anna.id, 'USD'],
    [ben.id, 'EUR'],
  ])
  const stream: PaymentStream = { currencies, acknowledgedIds: new Map(), resentCount: 0, refusals: [] }
  let isStopped = false
  const senders = Array.from({ length: parallelSenders }, (_, index) =>
    sendContinuously(...(index % 2 === 0 ? ([anna, ben] as const) : ([ben, anna] as const)), stream, () => isStopped),
  )
  await killRepeatedly(stream).finally(() => (isStopped = true))
  await Promise.all(senders)

  expect(stream.refusals).toEqual([])
  expect(product.processes.app.deaths()).toBe(kills)
  expect(stream.resentCount).toBeGreaterThan(kills)
  const acknowledgedIds = [...stream.acknowledgedIds.values()].toSorted()
  expect(acknowledgedIds.length).toBeGreaterThan(kills * 10)

  for (const [kind, ownerKind] of [
    ['SEND', 'sender'],
    ['RECEIVE', 'recipient'],
  ]) {
    const recordedIds = await column(
      `select id from transaction where kind = $1 and user_id in ($2, $3) and user_id = ${ownerKind}_id order by id`,
      [kind, anna.id, ben.id],
    )
    expect(recordedIds, kind).toEqual(acknowledgedIds)
  }
  for (const person of [anna, ben]) {
    const [expected] = await column(
      `select ($2 + sum(case kind when 'SEND' then -source_amount - fee_amount else target_amount end))::text
       from transaction where user_id = $1 and kind in ('SEND', 'RECEIVE')`,
      [person.id, deposit],
    )
    const { call, signInAgain } = createRenewingClient(person)
    await signInAgain()
    const { fiat_balance } = await call(walletOfUser, { params: { userId: String(person.id) } })
    expect(fiat_balance.replace('.', ''), person.username).toBe(expected)
  }

  const countBefore = stream.acknowledgedIds.size
  let extraCount = 0
  await sendContinuously(anna, ben, stream, () => (extraCount += 1) > 10)
  expect(stream.acknowledgedIds.size).toBe(countBefore + 10)

  const environment = { ...process.env, DATABASE_URL: address.E2E_DATABASE_URL }
  await expect(promisify(execFile)(process.execPath, [tern, 'audit'], { env: environment })).resolves.toBeDefined()
})
