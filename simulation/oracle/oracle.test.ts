import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { linkAccount, findSandbox } from '@tern/testkit/payments'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { steerPayout } from '@tern/testkit/banking'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'
import { transact, type Tx } from '../../packages/server/src/platform/database/db.ts'
import { createActor, type HomeCurrency, simulationBehavior } from '../harness/actor.ts'
import { performMovement } from '../movements.ts'
import type { MovementKind, PlannedMovement } from '../plan.ts'
import type { World } from '../harness/world.ts'
import { readBooks } from './books.ts'
import { findViolations } from './oracle.ts'
import { createOrderBook, createOrderWatch, isDefiniteRefusal, type Order, type OrderBook } from './orders.ts'
import { computeExpectedPrice, fetchRates, computePulledUsd, type Rates } from './pricing.ts'

// Creates sound books with movements of most kinds. The tests corrupt the books, in a transaction that is rolled back,
// or the recorded orders, and expect the oracle to report it.

let app: TestApp
let orders: OrderBook
let rates: Rates
const ids = { anna: '', send: '', late: '' }

beforeAll(async () => {
  app = await startTestApp()
  orders = createOrderBook()
  rates = await fetchRates(app.sandboxUrl)
  const watch = createOrderWatch(orders)
  const residents = [
    ['anna', 'United States', 'USD'],
    ['ben', 'Germany', 'EUR'],
  ] as const
  const people = await Promise.all(
    residents.map(async ([name, country, currency]) => {
      const person = await app.enroll(name, country)
      return createActor([app.url], person, currency satisfies HomeCurrency, { ...simulationBehavior, ...watch })
    }),
  )
  const [anna] = people
  if (!anna) throw new Error('nobody is there')
  ids.anna = String(anna.person.id)
  anna.bankAccountId = await linkAccount(app, anna.person, { bank: 'harbour' })
  const { sandboxUrl, sandboxSecret } = app
  const world = { seed: 'oracle', people, orders, sandboxUrl, sandboxSecret }
  await waitForStatus(await performOrder(world, 'card_deposit', 30_000), 'completed')
  ids.send = await performOrder(world, 'wallet_send', 1234)
  await performOrder(world, 'exchange', 2345)
  await performOrder(world, 'crypto_send', 700)
  ids.late = await performOrder(world, 'card_deposit', 1500, { payer: 'canceled_then_captured' })
  await waitForStatus(ids.late, 'completed')
  await performOrder(world, 'exchange', 1, { variant: btcSellVariant })
  await waitForStatus(await performOrder(world, 'card_deposit', 1600, { payer: 'cancels' }), 'failed')
  await waitForStatus(await performOrder(world, 'converted_deposit', 1999), 'completed')
  const debit = await performOrder(world, 'bank_deposit', 1800)
  await settleDebit(debit)
  await waitForStatus(debit, 'completed')
  await waitForStatus(await performOrder(world, 'card_send', 1701), 'completed')
  await waitForCapture(await performOrder(world, 'card_send', 1702, { payer: 'canceled_then_captured' }))
  await payOut(await performOrder(world, 'withdrawal', 900), 'fail', 'failed')
  await payOut(await performOrder(world, 'withdrawal', 800), 'pay', 'completed')
  await waitForStatus(
    await performOrder(world, 'partial_send', 1900, { personIndex: 1, recipientIndex: 0 }),
    'completed',
  )
  await watch.drain()
})
afterAll(() => app.close())

// Selects BTC; even variants sell.
const btcSellVariant = 4

/** Performs one movement, from anna to ben by default. */
async function performOrder(
  world: World,
  kind: MovementKind,
  amountMinor: number,
  overrides: Partial<PlannedMovement> = {},
) {
  const plannedDefaults = { number: 1, variant: 1, payer: 'pays', returnsFromCheckout: false } as const
  const planned = { ...plannedDefaults, kind, personIndex: 0, recipientIndex: 1, amountMinor, ...overrides }
  const answer = await performMovement({ ...planned, idempotencyKey: randomUUID() }, world)
  if (answer.status !== 'begun') throw new Error(`${kind} was refused: ${answer.code}`)
  return answer.id
}

async function findRow<T>(statement: string, id: string): Promise<T | undefined> {
  return (await app.database.pool.query<{ value: T }>(statement, [id])).rows[0]?.value
}
const loadStatus = (id: string) =>
  findRow<string>('select status as value from payment where id = $1 union select status from payout where id = $1', id)

/** Submits a payout like a worker, and then performs the bank's action. */
async function payOut(id: string, action: 'pay' | 'fail', status: string): Promise<void> {
  await app.app.product.payments.submitPayout(id)
  await steerPayout(app, id, action)
  await waitForStatus(id, status)
}
async function waitForCapture(id: string): Promise<void> {
  const line = () => findRow('select id as value from settlement_line where reference = $1', id)
  await vi.waitFor(async () => expect(await line()).toBeDefined(), { timeout: 120_000 })
}

/** Settles a payment's debit at the sandbox's bank. */
async function settleDebit(id: string): Promise<void> {
  const debit = await findRow<string>('select session_id as value from payment where id = $1', id)
  const headers = { authorization: `Bearer ${app.sandboxSecret}` }
  const answer = await fetch(`${app.sandboxUrl}/api/control/debits/${debit}/settle`, { method: 'POST', headers })
  expect(answer.status).toBeLessThan(300)
}
const waitForStatus = (id: string, status: string) =>
  vi.waitFor(async () => expect(await loadStatus(id)).toBe(status), { timeout: 120_000 })

/** Returns the violations found after `corrupt` has changed the books, in a transaction that is rolled back. */
async function checkBooks(
  corrupt: (tx: Tx) => Promise<unknown> = async () => {},
  orderBook = orders,
): Promise<string[]> {
  const report = await findSandbox(app).report.lines(new Date(0), new Date('2100-01-01'))
  if (report.status === 'unknown') throw new Error(report.reason)
  const rollback = new Error('discarded')
  let violations: string[] = []
  await transact(app.database.pool, async (tx) => {
    await tx.query('set local session_replication_role = replica')
    await corrupt(tx)
    violations = findViolations(orderBook, await readBooks(tx, report.lines), rates)
    throw rollback
  }).catch((error: unknown) => {
    if (error !== rollback) throw error
  })
  return violations
}

const listKinds = (violations: readonly string[]) => [
  ...new Set(violations.map((finding) => finding.slice(0, finding.indexOf(':')))),
]

/** Returns a copy of the orders and responses with `edit` applied. */
function copyOrders(edit: (order: Order, copy: OrderBook) => void): OrderBook {
  const copy = createOrderBook()
  for (const { order: original, answers } of orders.entries()) {
    copy.record(original)
    for (const answer of answers) copy.answer(original.key, answer)
    edit(original, copy)
  }
  return copy
}

test('sound books have no finding', async () => {
  expect(await checkBooks()).toEqual([])
  const { checks } = await audit(app.database.pool)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})

test('a target rounded up by one minor unit', async () => {
  const violations = await checkBooks(async (tx) => {
    await tx.query('update transaction set target_amount = target_amount + 1 where id = $1', [ids.send])
    await tx.query(`update ledger.account a set balance = balance + 1 from wallet w join transaction t on t.user_id = w.user_id
      where t.id = '${ids.send}' and t.kind = 'RECEIVE' and a.name = 'wallet:' || w.id || ':EUR'`)
  })
  expect(listKinds(violations).toSorted()).toEqual(['balance', 'terms'])
})

test('a quote rounded up by one minor unit', async () => {
  const book = createOrderBook()
  for (const { order: original, answers } of orders.entries()) {
    const { quoteAmounts } = original
    book.record(
      quoteAmounts ? { ...original, quoteAmounts: { ...quoteAmounts, target: quoteAmounts.target + 1n } } : original,
    )
    for (const answer of answers) book.answer(original.key, answer)
  }
  expect(listKinds(await checkBooks(undefined, book))).toEqual(['price'])
})

test('a late capture credited twice', async () => {
  const violations = await checkBooks((tx) =>
    tx.query(`update ledger.account a set balance = balance + p.amount_minor from payment p join wallet w using (user_id)
      where p.id = '${ids.late}' and a.name = 'wallet:' || w.id || ':USD'`),
  )
  expect(violations).toEqual([expect.stringMatching(/^balance: \d+ USD is \d+, must be \d+$/)])
})

interface Miscount {
  /** `out` is the total of outgoing movements and includes `exchange` and `payout`; `card` and `bank` are pulls. */
  readonly names: readonly ('out' | 'exchange' | 'payout' | 'card' | 'bank')[]
  readonly usd: number
  readonly movements: number
}

/** Adds to anna's limit usage on her latest day. */
async function miscount(tx: Tx, { names, usd, movements }: Miscount): Promise<void> {
  const assignments = `usd_minor = usd_minor + ${usd}, movements = movements + ${movements}`
  for (const name of names) {
    const [table, method] = name === 'out' ? ['limit_usage', 'true'] : ['limit_usage_by_method', `method = '${name}'`]
    const { rowCount } = await tx.query(`update ${table} set ${assignments} where user_id = ${ids.anna} and ${method}
      and day = (select max(day) from limit_usage where user_id = ${ids.anna})`)
    expect(rowCount, name).toBe(1)
  }
}

/** Shortens a finding about a wrong count to measure, user, name and difference; returns others unchanged. */
function shortenFinding(finding: string): string {
  const [, what, user, name, actualValue, expectedValue] =
    /^(\D+): (\d+) \d{4}-\d\d-\d\d (\w+) is (-?\d+), must be (\d+)$/.exec(finding) ?? []
  return actualValue === undefined || expectedValue === undefined
    ? finding
    : `${what} ${user} ${name} by ${BigInt(actualValue) - BigInt(expectedValue)}`
}

test.for<[what: string, ...Miscount[]]>([
  ['a failed payout that still counts', { names: ['out', 'payout'], usd: 900, movements: 1 }],
  ['a failed payout taken off all that left, but not off payouts', { names: ['payout'], usd: 900, movements: 1 }],
  ['a canceled deposit that still counts', { names: ['card'], usd: 1600, movements: 1 }],
  ['a late capture that no longer counts', { names: ['card'], usd: -1500, movements: -1 }],
  ['a pull rounded down by one cent', { names: ['card'], usd: -1, movements: 0 }],
  [
    'a bank payment counted as one by card',
    { names: ['bank'], usd: -1800, movements: -1 },
    { names: ['card'], usd: 1800, movements: 1 },
  ],
  ['a send by card counted again when settled', { names: ['out'], usd: 1701, movements: 1 }],
  ['an abandoned send that still counts', { names: ['out'], usd: 1702, movements: 1 }],
  ['an exchange back that counts', { names: ['out', 'exchange'], usd: 782, movements: 1 }],
  ['one movement too many with nothing', { names: ['out'], usd: 0, movements: 1 }],
])('miscounted usage: %s', async ([, ...miscounts]) => {
  const violations = await checkBooks(async (tx) => {
    for (const one of miscounts) await miscount(tx, one)
  })
  const expected = miscounts.flatMap(({ names, usd, movements }) =>
    names.flatMap((name) => [
      ...(usd === 0 ? [] : [`usage ${ids.anna} ${name} by ${usd}`]),
      ...(movements === 0 ? [] : [`counted movements ${ids.anna} ${name} by ${movements}`]),
    ]),
  )
  expect(violations.map(shortenFinding).toSorted()).toEqual(expected.toSorted())
})

test('usage that counts on the day after', async () => {
  const violations = await checkBooks((tx) => tx.query('update limit_usage set day = day + 1'))
  expect(listKinds(violations)).toEqual(['usage', 'counted movements'])
  expect(violations.every((finding) => / out is /.test(finding))).toBe(true)
})

test('zeroed usage', async () => {
  const zeroUsageSql = 'set usd_minor = 0, movements = 0'
  const violations = await checkBooks((tx) =>
    tx.query(`update limit_usage ${zeroUsageSql}; update limit_usage_by_method ${zeroUsageSql}`),
  )
  for (const name of ['out', 'exchange', 'payout', 'card', 'bank']) {
    const matching = violations.filter((finding) => finding.includes(` ${name} is 0, `))
    expect(listKinds(matching), name).toEqual(['usage', 'counted movements'])
  }
})

test('a missing accepted send', async () => {
  const violations = await checkBooks((tx) => tx.query('delete from transaction where id = $1', [ids.send]))
  expect(listKinds(violations)).toContain('lost')
})

test('a send without an order', async () => {
  const violations = await checkBooks(async (tx) => {
    const copySql = `create temp table copied on commit drop as select * from transaction where id = '${ids.send}' and kind = 'SEND'`
    await tx.query(copySql)
    await tx.query('update copied set id = gen_random_uuid(), posting_id = gen_random_uuid()')
    await tx.query('insert into transaction select * from copied')
  })
  expect(violations).toEqual([expect.stringMatching(/^doubled: the SEND \S+ of \d+ was never ordered$/)])
})

test('an order refused by one process and executed by another', async () => {
  const bookWithRefusal = copyOrders(({ key, kind }, copy) => {
    if (kind === 'wallet_send') copy.answer(key, { status: 'refused', code: 'insufficient_funds' })
  })
  expect(listKinds(await checkBooks(undefined, bookWithRefusal))).toEqual(['refused then moved'])
  const refusalOnlyBook = createOrderBook()
  for (const { order: original } of orders.entries()) {
    refusalOnlyBook.record(original)
    refusalOnlyBook.answer(original.key, { status: 'refused', code: 'limit_exceeded' })
  }
  const violations = await checkBooks(undefined, refusalOnlyBook)
  // Every order moved money, or still may have, except the canceled deposit.
  expect(violations.filter((finding) => finding.startsWith('refused then moved')).length).toBe(
    orders.entries().length - 1,
  )
})

test('a payment refused by its provider but delivered', async () => {
  const addRefusal = (refusedKind: Order['kind']) =>
    copyOrders(({ key, kind }, copy) => {
      if (kind === refusedKind) copy.answer(key, { status: 'refused', code: 'payment_refused' })
    })
  expect(listKinds(await checkBooks(undefined, addRefusal('payment_send')))).toEqual(['refused then moved'])
  // A deposit captured after its payer canceled belongs to the payer.
  expect(await checkBooks(undefined, addRefusal('deposit'))).toEqual([])
})

test('an order accepted twice', async () => {
  const reused = copyOrders(({ key, kind }, copy) => {
    if (kind === 'deposit') copy.answer(key, { status: 'accepted', id: randomUUID() })
  })
  expect(listKinds(await checkBooks(undefined, reused)).toSorted()).toEqual(['doubled', 'lost'])
})

test('a quote that moved money twice', async () => {
  const quoteId = randomUUID()
  const copy = createOrderBook()
  for (const { order: original, answers } of orders.entries()) {
    copy.record(original.kind === 'wallet_send' || original.kind === 'exchange' ? { ...original, quoteId } : original)
    for (const answer of answers) copy.answer(original.key, answer)
  }
  expect(listKinds(await checkBooks(undefined, copy))).toEqual(['quote used twice'])
})

test('prices are rounded as promised in every direction', () => {
  const computePrice = (source: bigint, sourceCurrency: string, targetCurrency: string, viaStablecoin = true) =>
    computeExpectedPrice({ source, sourceCurrency, targetCurrency, viaStablecoin }, rates)
  // 12.34 USD are 11.4762 EUR; the fee of 1 % is 0.1234.
  expect(computePrice(1234n, 'USD', 'EUR')).toEqual({ target: 1147n, fee: 12n, usd: 1234n })
  expect(computePrice(1250n, 'USD', 'USD')).toEqual({ target: 1250n, fee: 6n, usd: 1250n })
  // 0.5 % of 13.00 is 0.065, rounded half up.
  expect(computePrice(1300n, 'USD', 'USD').fee).toBe(7n)
  // 1000 JPY are 6.70 USD, 1001 JPY are 6.7067: limit usage is rounded up.
  expect(computePrice(1001n, 'JPY', 'USD', false)).toEqual({ target: 670n, fee: 20n, usd: 671n })
  expect(computePrice(1000n, 'USD', 'BTC').target).toBe(15_384n)
  // 1011 JPY, including a fee of 10, are 677.703 cents at 671 cents for 1001 JPY.
  expect(computePulledUsd(1011n, { source: 1001n }, computePrice(1001n, 'JPY', 'USD'))).toBe(678n)
})

test('an undecided answer is not a refusal', () => {
  expect(isDefiniteRefusal(422, 'insufficient_funds')).toBe(true)
  expect(isDefiniteRefusal(409, 'quote_used')).toBe(true)
  for (const [status, code] of [
    [401, 'unauthenticated'],
    [409, 'request_in_progress'],
    [429, 'rate_limited'],
    [403, 'step_up_required'],
    [410, 'step_up_invalid'],
    [403, 'verification_required'],
    [503, 'provider_unavailable'],
  ] as const) {
    expect(isDefiniteRefusal(status, code), code).toBe(false)
  }
})
