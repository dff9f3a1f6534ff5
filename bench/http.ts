// The whole stack: authenticated sends over HTTP from another process with persistent connections.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sendMoney } from '@tern/contract/transfers'
import { money } from '@tern/money/money'
import { ageSends } from '../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '../tools/testing/test-app.ts'
import { raiseLimits } from '../tools/testing/test-people.ts'
import { measure, type Measured } from './load.ts'

const people = 8
const openingBalance = 90_000_000

export interface Stack {
  /** One-dollar sends among a few people for `seconds`, over `callers` connections. */
  measure(callers: number, seconds: number): Promise<Measured>
  /** Quotes of one dollar in euros by the product's exchange, without HTTP, whose limits per person would refuse most. */
  measureQuotes(callers: number, seconds: number): Promise<Measured>
  close(): Promise<void>
}

export interface Order {
  readonly url: string
  readonly callers: number
  readonly seconds: number
  readonly people: readonly { readonly id: number; readonly token: string }[]
}

/** Starts the application with its sandbox over a copy of the migrated database `template`. */
export async function startStack(serverUrl: string, template: string): Promise<Stack> {
  process.env.TEST_DATABASE_URL = serverUrl
  process.env.TEST_DATABASE_TEMPLATE = template
  // Rights are checked either way; the owner needs no grants.
  process.env.TEST_APPLICATION_URL = serverUrl
  const app = await startTestApp({ unproven: 'any' })
  await raiseLimits(app.database.pool)
  const town = await enroll(app)
  return {
    measure: (callers, seconds) =>
      runClient({ url: app.url, callers, seconds, people: town.map(({ id, token }) => ({ id, token })) }),
    measureQuotes: (callers, seconds) => measure(callers, seconds * 1000, () => quoteOne(app, town)),
    close: () => app.close(),
  }
}

const dollarInEuros = {
  amount: money('USD', 100n),
  side: 'source',
  sourceCurrency: 'USD',
  targetCurrency: 'EUR',
  useStablecoin: true,
} as const

async function quoteOne({ app }: TestApp, town: readonly TestPerson[]): Promise<void> {
  const person = town[Math.floor(Math.random() * town.length)]
  await app.product.exchange.quote(BigInt(person?.id ?? 0), dollarInEuros, undefined)
}

async function enroll(app: TestApp): Promise<TestPerson[]> {
  const town: TestPerson[] = []
  for (let index = 0; index < people; index += 1) {
    const person = await app.enroll('sender', 'United States')
    await app.fund(person, openingBalance)
    town.push(person)
  }
  await payEachOther(app, town)
  return town
}

/** Everyone has paid everyone: otherwise sends to new payees require confirmation. */
async function payEachOther({ database }: TestApp, town: readonly TestPerson[]): Promise<void> {
  for (const person of town) {
    for (const { id } of town.filter((other) => other !== person)) {
      const body = { recipient_id: id, amount: '1.00', source_currency: 'USD' } as const
      await person.call(sendMoney, { body, idempotencyKey: randomUUID() })
    }
  }
  await ageSends(database.pool)
}

const client = fileURLToPath(new URL('http-client.ts', import.meta.url))

async function runClient(order: Order): Promise<Measured> {
  const child = spawn(process.execPath, [client], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.end(JSON.stringify(order))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the client of the benchmark ended with ${String(code)}`)
  return JSON.parse(await output) as Measured
}
