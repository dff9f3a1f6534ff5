import { randomUUID } from 'node:crypto'
import { depositByCard } from '@tern/contract/payments'
import { type CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { OwnKind, OwnLine, ReportLine } from '@tern/providers/report/port'
import { beforeEach, describe, expect, test } from 'vitest'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { createTestBooks, type TestBooks } from '@tern/testkit/books/books'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { findSandbox, steer } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { onlyRow } from '../../../platform/database/db.ts'
import { auditRules } from '../audit-rules.ts'
import { resolveException } from '../records/reconciliation-exceptions.ts'
import type { BalanceComparison } from './provider-balances.ts'

const world = await openTestApp({ events: 'lost' })
let books: TestBooks
/** Lines stay in the provider's books after the test that wrote them. */
const ownLines: OwnLine[] = []
const keptLines: ReportLine[] = []
beforeEach(() => {
  books = createTestBooks(world)
  books.own.push(...ownLines)
  books.lines.push(...keptLines)
})

const minuteMs = 60_000
const dayMs = 86_400_000
const now = () => world.app.product.now()
const compare = async () => onlyRow(await books.payments.reconcile({ until: new Date(now().getTime() + minuteMs) }))

function writeOwn(
  kind: OwnKind,
  minor: bigint,
  {
    balance = 'payments',
    currency = 'USD',
    at = now(),
  }: {
    balance?: OwnLine['balance']
    currency?: CurrencyCode
    at?: Date
  } = {},
): OwnLine {
  const line = { id: `own_${randomUUID()}`, kind, balance, amount: money(currency, minor), occurredAt: at }
  ownLines.push(line)
  books.own.push(line)
  return line
}

/** Pays a card deposit at the sandbox, whose event is lost. */
async function payByCard(name: string, amount = 10_000) {
  const person = await world.enroll(name, 'United States')
  const { payment_id: id, redirectUrl } = await person.call(depositByCard, {
    body: { amount, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl!)
  return { id, person }
}

async function loadAccount(name: string): Promise<bigint> {
  const { rows } = await world.database.pool.query<{ balance: bigint }>(
    `select coalesce(sum(balance), 0) as balance from ledger.account where split_part(name, '#', 1) = $1`,
    [name],
  )
  return onlyRow(rows).balance
}

const findBalance = (
  { balances }: Awaited<ReturnType<typeof compare>>,
  balance: string,
  currency = 'USD',
): BalanceComparison | undefined =>
  balances?.status === 'known'
    ? balances.balances.find((found) => found.balance === balance && found.currency === currency)
    : undefined

describe('the operator’s own money', () => {
  test.each([
    ['fee', 'provider_fee:USD', -320n, 'payments', 'card:USD'],
    ['fee', 'provider_fee:USD', 20n, 'payments', 'card:USD'],
    ['bank_transfer', 'operator_bank:USD', -50_000n, 'payments', 'card:USD'],
    ['bank_transfer', 'operator_bank:USD', 70_000n, 'payouts', 'payout:USD'],
    ['reserve', 'provider_reserve:USD', -1000n, 'payments', 'card:USD'],
    ['conversion', 'provider_conversion:USD', 930n, 'payments', 'card:USD'],
    ['adjustment', 'provider_adjustment:USD', -5n, 'payouts', 'payout:USD'],
  ] as const)('a %s is posted once to %s', async (kind, counterpart, minor, balance, settlement) => {
    await compare()
    const before = [await loadAccount(counterpart), await loadAccount(settlement)]
    writeOwn(kind, minor, { balance })
    expect(await compare()).toMatchObject({ takenIn: 1, casesOpened: 0, open: [] })
    const after = [await loadAccount(counterpart), await loadAccount(settlement)]
    expect([after[0]! - before[0]!, after[1]! - before[1]!]).toEqual([minor, -minor])
    const report = await compare()
    expect([await loadAccount(counterpart), await loadAccount(settlement)]).toEqual(after)
    expect(findBalance(report, balance)).toMatchObject({ unposted: 0n, result: 'agrees' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of two runs at once, one posts each movement', async () => {
    const before = await loadAccount('provider_fee:USD')
    for (let count = 0; count < 10; count += 1) writeOwn('fee', -100n)
    await Promise.all([compare(), compare(), compare()])
    expect(await loadAccount('provider_fee:USD')).toBe(before - 1000n)
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a movement of an unknown kind is in suspense, with an exception that an operator closes', async () => {
    const { id } = writeOwn('unknown', -777n)
    const report = await compare()
    expect(report).toMatchObject({ casesOpened: 1, open: [{ kind: 'unmatched', subject: id }] })
    expect(findBalance(report, 'payments')).toMatchObject({ result: 'agrees' })
    expect(await loadAccount('suspense:USD')).toBe(-777n)
    expect(await compare()).toMatchObject({ casesOpened: 0, casesClosed: 0 })
    await resolveException(world.database.pool, report.open[0]!.id, 'A gift card of theirs.', now())
    expect(await compare()).toMatchObject({ casesOpened: 0, open: [] })
  })

  test('a movement that the provider corrects, or takes out of its books, is one exception', async () => {
    const line = writeOwn('fee', -400n)
    await compare()
    const place = books.own.indexOf(line)
    books.own[place] = { ...line, amount: money('USD', -410n) }
    const corrected = await compare()
    expect(corrected).toMatchObject({ casesOpened: 1, open: [{ kind: 'amount_differs', subject: line.id }] })
    expect(findBalance(corrected, 'payments')).toMatchObject({ unposted: -10n, result: 'agrees' })
    books.own.splice(place, 1)
    const missing = await compare()
    expect(missing).toMatchObject({ open: [{ kind: 'missing_external', subject: line.id }] })
    expect(findBalance(missing, 'payments')).toMatchObject({ unposted: 400n, result: 'agrees' })
    books.own.push(line)
    expect(await compare()).toMatchObject({ open: [] })
  })

  test('the audit finds a posting that was changed, and a movement without one', async () => {
    const { id } = writeOwn('fee', -250n)
    await compare()
    const url = world.database.url
    const rule = 'our own money at providers is posted as its provider reported it'
    const broken = (sql: string) => findBrokenRules(url, auditRules, sql).then((rules) => Object.keys(rules))
    expect(await broken(`update operator_line set kind = 'reserve' where id = '${id}'`)).toEqual([rule])
    expect(await broken(`delete from operator_line where id = '${id}'`)).toContain(rule)
    expect(await broken(`update operator_line set amount_minor = -251 where id = '${id}'`)).toContain(rule)
  })
})

describe('the provider’s balance', () => {
  test('that differs from the ledger is one exception, closed once it agrees', async () => {
    writeOwn('fee', -30n)
    books.editBalances = (balances) =>
      balances.map((found) =>
        found.balance === 'payments' ? { ...found, amount: money('USD', found.amount.minor + 55n) } : found,
      )
    const facts = { kind: 'ledger_differs', subject: 'sandbox payments:USD', amount: money('USD', 55n) }
    const report = await compare()
    expect(report).toMatchObject({ casesOpened: 1, open: [facts] })
    expect(findBalance(report, 'payments')).toMatchObject({ result: 'differs' })
    expect(await compare()).toMatchObject({ casesOpened: 0, open: [facts] })
    books.editBalances = (balances) => balances
    expect(await compare()).toMatchObject({ casesClosed: 1, open: [] })
  })

  test('that moves while it is read agrees with the movements up to some moment', async () => {
    await compare()
    // The newest movement is in the balance, and only in the second list.
    const moveBy = (extra: bigint) => {
      books.editBalances = (balances) => {
        writeOwn('fee', -1n)
        return balances.map((found) =>
          found.balance === 'payments' ? { ...found, amount: money('USD', found.amount.minor - 1n + extra) } : found,
        )
      }
    }
    moveBy(0n)
    expect(findBalance(await compare(), 'payments')).toMatchObject({ result: 'agrees' })
    moveBy(500n)
    const moving = await compare()
    expect(findBalance(moving, 'payments')).toMatchObject({ result: 'moving' })
    expect(moving).toMatchObject({ casesOpened: 0 })
    books = createTestBooks(world)
    books.own.push(...ownLines)
    books.lines.push(...keptLines)
    expect(await compare()).toMatchObject({ open: [] })
  })

  test('contains debits that may still fail, which are not posted', async () => {
    await compare()
    books.pending.push({
      id: `pending_${randomUUID()}`,
      balance: 'payments',
      amount: money('USD', 4000n),
      occurredAt: new Date(now().getTime() - 2 * dayMs),
    })
    const report = await compare()
    expect(findBalance(report, 'payments')).toMatchObject({ unposted: 4000n, result: 'agrees' })
    expect(report).toMatchObject({ casesOpened: 0, open: [] })
  })

  test('contains money of no payment, also after an operator has closed its exception', async () => {
    const occurredAt = new Date(now().getTime() - 100 * dayMs)
    const line = await books.write({ kind: 'capture', amount: money('USD', 900n), reference: null, occurredAt }, false)
    keptLines.push(line)
    const from = new Date(now().getTime() - 101 * dayMs)
    const report = onlyRow(await books.payments.reconcile({ from, until: now() }))
    expect(report.open).toMatchObject([{ kind: 'missing_internal', subject: line.id }])
    expect(findBalance(report, 'payments')).toMatchObject({ unposted: 900n, result: 'agrees' })
    await resolveException(world.database.pool, report.open[0]!.id, 'A payment of the owner’s own.', now())
    const later = await compare()
    expect(later.window.from > occurredAt).toBe(true)
    expect(findBalance(later, 'payments')).toMatchObject({ unposted: 900n, result: 'agrees' })
    expect(later).toMatchObject({ open: [] })
  })

  test('is not compared for a window in the past', async () => {
    const past = onlyRow(await books.payments.reconcile({ until: new Date(now().getTime() - 2 * dayMs) }))
    expect(past.balances).toBeUndefined()
  })
})

describe('a long window', () => {
  const listRuns = async () =>
    (
      await world.database.pool.query<{ from_at: Date; until_at: Date }>(
        'select from_at, until_at from reconciliation_run order by finished_at desc, until_at desc limit 20',
      )
    ).rows

  test('continues on the day where the provider stopped answering, with movements posted before it', async () => {
    await payByCard('eve')
    await world.database.pool.query('delete from reconciliation_run')
    const early = writeOwn('fee', -11n, { at: new Date(now().getTime() - 9 * dayMs) })
    const late = writeOwn('fee', -13n, { at: new Date(now().getTime() - 2 * dayMs) })
    const from = new Date(now().getTime() - 10 * dayMs)
    const isPosted = async ({ id }: OwnLine) =>
      (await world.database.pool.query('select from operator_line where id = $1', [id])).rowCount === 1
    // Orders began long ago, so that every day is a period.
    await world.database.pool.query('update payment set created_at = created_at - $1::interval', ['50 days'])
    books.onList = (until) => {
      books.isSilent = until.getTime() > now().getTime() - 4 * dayMs
    }
    expect(await books.payments.reconcile({ from })).toMatchObject([{ unknown: 'no answer' }])
    expect([await isPosted(early), await isPosted(late)]).toEqual([true, false])
    const runs = await listRuns()
    expect(runs.length).toBeGreaterThanOrEqual(5)
    books.isSilent = false
    const asked: Date[] = []
    books.onList = (until) => void asked.push(until)
    await books.payments.reconcile({ from: new Date(runs[0]!.until_at.getTime() - minuteMs) })
    expect(await isPosted(late)).toBe(true)
    await world.database.pool.query('update payment set created_at = created_at + $1::interval', ['50 days'])
    // Each request is for a day, with an overlap on both sides.
    expect(asked.length).toBeGreaterThanOrEqual(5)
  })

  test('reads pages that name movements twice and in any order once', async () => {
    await compare()
    const { id, person: fay } = await payByCard('fay')
    await steer(world, id, 'refund_half')
    const fee = writeOwn('fee', -10n)
    books.own.push(fee)
    books.editLines = (lines) => [...lines, ...lines].toReversed()
    const before = await loadAccount('provider_fee:USD')
    expect(await compare()).toMatchObject({ takenIn: 3, casesOpened: 0, open: [] })
    expect(await loadAccount('provider_fee:USD')).toBe(before - 10n)
    expect((await fay.wallet()).fiat_balance).toBe('50.00')
    expect(await compare()).toMatchObject({ takenIn: 0, open: [] })
  })

  test('takes a movement in that the provider adds late, within three days', async () => {
    await compare()
    const line = writeOwn('fee', -12n, { at: new Date(now().getTime() - 2.5 * dayMs) })
    const report = onlyRow(await books.payments.reconcile())
    expect(report.takenIn).toBe(1)
    const { rows } = await world.database.pool.query('select from operator_line where id = $1', [line.id])
    expect(rows).toHaveLength(1)
  })
})

test('the sandbox’s fees and daily settlement are posted, and every balance agrees', async () => {
  const headers = { authorization: `Bearer ${world.sandboxSecret}`, 'content-type': 'application/json' }
  const change = (path: string, method: string, body: object) =>
    fetch(`${world.sandboxUrl}${path}`, { method, headers, body: JSON.stringify(body) })
  const settings = { card_fee_basis_points: 290, dispute_fee_minor: 1500, payout_fee_minor: 150 }
  expect((await change('/api/control/own-money', 'PUT', settings)).status).toBe(200)
  const { id } = await payByCard('sam', 10_001)
  await steer(world, id, 'dispute')
  await steer(world, id, 'win_dispute')
  const line = { kind: 'bank_transfer', balance: 'payments', amount_minor: '-5000', currency: 'USD' }
  expect((await change('/api/control/own-money/lines', 'POST', line)).status).toBe(201)
  const before = [await loadAccount('provider_fee:USD'), await loadAccount('operator_bank:USD')]
  const report = await compare()
  // 2.9 % of 100.01 rounded up, and 15.00 for the dispute.
  expect(await loadAccount('provider_fee:USD')).toBe(before[0]! - 291n - 1500n)
  expect(await loadAccount('operator_bank:USD')).toBe(before[1]! - 5000n)
  expect(report.open).toEqual([])
  expect(findBalance(report, 'payments')).toMatchObject({ result: 'agrees' })
  const balances = await findSandbox(world).report.balances()
  expect(balances).toMatchObject({ status: 'known' })
  await change('/api/control/own-money', 'PUT', {})
  expect(await loadFailedChecks(world)).toEqual([])
})
