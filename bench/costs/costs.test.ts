// Limits statements and rows read by sends, movements and quotes; the counts do not depend on the machine.

import { randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { sendMoney } from '@tern/contract/transfers'
import { walletAccount } from '@tern/ledger/chart'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ageSends, waitForDayStart } from '../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { raiseLimits } from '@tern/testkit/people'
import { type BenchCurrency, type Desk, openDesk, type Person, sendBetween } from '../movements/traffic.ts'
import { countPerOperation, type Counts, describeCounts, sumCounts } from './count.ts'
import { recordStatements, type StatementLog } from './statement-log.ts'
import { findWallet } from '../../packages/server/src/features/wallets/wallets.ts'

/**
 * Maximum cost of each operation: exact statement counts, and row counts with 10 % headroom. Lower the numbers when an
 * operation becomes cheaper; with 0 the test fails and prints the actual cost.
 */
const allowedByOperation = {
  // A batch reads all permitted moves: six more since the operator's own money and provider conversions are posted.
  'HTTP send': { statements: 2, rows: 83 },
  'HTTP send across currencies': { statements: 3, rows: 300 },
  'HTTP send at a quote': { statements: 3, rows: 96 },
  movement: { statements: 2, rows: 76 },
  'movement across currencies': { statements: 2, rows: 87 },
  // Occasionally folds the sums of reserved amounts, which reads more rows.
  'HTTP quote': { statements: 3, rows: 240 },
} as const

type Operation = keyof typeof allowedByOperation

/** Operations per count; as many run uncounted before them, to fill caches and stabilize query plans. */
const repetitionCount = 12

let world: TestApp
let log: StatementLog
let desk: Desk
let payee: TestPerson
let foreignRecipient: TestPerson
const senders: TestPerson[] = []

/**
 * Makes PostgreSQL plan as for large tables: for a few rows it would scan whole tables, with plans that vary between
 * runs. Empty tables are still planned as empty.
 */
async function setLargeTableCosts({ pool }: TestDatabase): Promise<void> {
  await pool.query(`do $$
    declare relation regclass;
    begin
      for relation in select oid from pg_class
        where relkind = 'r' and relnamespace in ('public'::regnamespace, 'ledger'::regnamespace)
      loop
        execute format('alter table %s set (autovacuum_enabled = off)', relation);
      end loop;
      update pg_class set reltuples = 1000000, relpages = 1
       where relkind = 'r' and relnamespace in ('public'::regnamespace, 'ledger'::regnamespace);
    end $$`)
}

const send = (sender: TestPerson, recipient: TestPerson, quoteId?: string) =>
  sender.call(sendMoney, {
    body: {
      recipient_id: recipient.id,
      amount: '1.00',
      source_currency: 'USD',
      ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    },
    idempotencyKey: randomUUID(),
  })

async function quote(sender: TestPerson): Promise<string> {
  const currencies = { source_currency: 'USD', target_currency: 'EUR' } as const
  const body = { ...currencies, amount: '1.00', side: 'source', recipient_id: foreignRecipient.id } as const
  return (await sender.call(createQuote, { body })).quote_id
}

async function loadPerson({ id }: TestPerson, currency: BenchCurrency): Promise<Person> {
  const { wallets, pool } = world.app.product
  const wallet = await findWallet(pool, BigInt(id))
  if (!wallet) throw new Error('a person has no wallet')
  const account = await wallets.accountId(pool, walletAccount(wallet.id, currency))
  return { userId: BigInt(id), walletId: wallet.id, account, currency }
}

/** Counts an operation for each of the two senders; returns the smaller counts, since a timer may add to the others. */
async function countOperation(runOperation: (sender: TestPerson) => Promise<unknown>): Promise<Counts> {
  const repetitions: Counts[] = []
  for (const sender of senders) {
    const repeat = async () => {
      for (let time = 0; time < repetitionCount; time += 1) await runOperation(sender)
    }
    await repeat()
    repetitions.push(await countPerOperation({ log, pool: world.database.pool }, repetitionCount, repeat))
  }
  const [first, second] = repetitions.toSorted((a, b) => sumCounts(a.statements) - sumCounts(b.statements))
  if (!first || !second) throw new Error('there are two senders')
  const rows = sumCounts(first.rows) < sumCounts(second.rows) ? first.rows : second.rows
  return { statements: first.statements, rows }
}

function expectAtMost(operation: Operation, counts: Counts): void {
  const allowedCosts = allowedByOperation[operation]
  const actualCosts = { statements: sumCounts(counts.statements), rows: sumCounts(counts.rows) }
  const hint =
    `${operation}: ${actualCosts.statements.toFixed(2)} statements (at most ${allowedCosts.statements}), ` +
    `${actualCosts.rows.toFixed(1)} rows read (at most ${allowedCosts.rows}).\n` +
    'Let it ride in a statement that runs anyway, read it once per batch, or keep it in memory. If it has to cost more, ' +
    `say why beside the new number in bench/costs/costs.test.ts. Each costs:\n${describeCounts(counts)}`
  expect(actualCosts.statements, hint).toBeLessThanOrEqual(allowedCosts.statements)
  expect(actualCosts.rows, hint).toBeLessThanOrEqual(allowedCosts.rows)
}

beforeAll(async () => {
  const database = await createTestDatabase()
  world = await startTestApp({ database, unconfirmedPayments: 'any' })
  const { product } = world.app
  // Keeps the timer from refreshing rates during a count.
  vi.spyOn(product.exchange, 'refreshDueRates').mockResolvedValue()
  await waitForDayStart(product.now)
  await raiseLimits(database.pool)
  payee = await world.enroll('payee', 'United States')
  foreignRecipient = await world.enroll('abroad', 'Germany')
  for (const name of ['one', 'two']) senders.push(await world.enroll(name, 'United States'))
  for (const sender of senders) {
    await world.fund(sender, 1_000_000)
    for (const recipient of [payee, foreignRecipient]) await send(sender, recipient)
  }
  await ageSends(database.pool)
  await setLargeTableCosts(database)
  desk = await openDesk(product.pool)
  log = recordStatements(new URL(database.url).pathname.slice(1), database.pool)
})
afterAll(async () => {
  vi.restoreAllMocks()
  log.close()
  await world.close()
})

test('a send over HTTP costs what is committed', async () => {
  expectAtMost('HTTP send', await countOperation((sender) => send(sender, payee)))
})

test('a cross-currency send over HTTP costs what is committed, without a quote and at one', async () => {
  expectAtMost('HTTP send across currencies', await countOperation((sender) => send(sender, foreignRecipient)))
  const quotes = new Map<TestPerson, string[]>()
  for (const sender of senders) {
    const createdIds: string[] = []
    for (let time = 0; time < 2 * repetitionCount; time += 1) createdIds.push(await quote(sender))
    quotes.set(sender, createdIds)
  }
  const sendAtQuote = (sender: TestPerson) => send(sender, foreignRecipient, quotes.get(sender)?.pop())
  expectAtMost('HTTP send at a quote', await countOperation(sendAtQuote))
})

test('a movement costs what is committed, plain and across currencies', async () => {
  const { mover } = world.app.product
  const recipients = { plain: await loadPerson(payee, 'USD'), cross: await loadPerson(foreignRecipient, 'EUR') }
  const people = new Map<TestPerson, Person>()
  for (const sender of senders) people.set(sender, await loadPerson(sender, 'USD'))
  const moveTo = (recipient: Person) => async (sender: TestPerson) => {
    const outcome = await mover.move(sendBetween(people.get(sender)!, recipient, { desk, at: new Date() }))
    expect(outcome.status).toBe('posted')
  }
  expectAtMost('movement', await countOperation(moveTo(recipients.plain)))
  expectAtMost('movement across currencies', await countOperation(moveTo(recipients.cross)))
})

test('a quote over HTTP costs what is committed', async () => {
  expectAtMost('HTTP quote', await countOperation(quote))
})
