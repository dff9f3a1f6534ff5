// Invariants that must hold once no work is pending, regardless of the faults.

import type { MoneyProvider } from '@tern/providers/money'
import type { ReportLine } from '@tern/providers/report/port'
import { isIncoming } from '@tern/providers/report/port'
import type pg from 'pg'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'
import { readBooks } from '../oracle/books.ts'
import { findViolations } from '../oracle/oracle.ts'
import type { OrderBook } from '../oracle/orders.ts'
import { fetchRates } from '../oracle/pricing.ts'
import type { PlannedMovement } from '../plan.ts'
import type { Harness } from './harness.ts'
import type { Answer } from './world.ts'

export interface Assertions {
  /** Violations as sentences; empty if sound. */
  readonly faults: string[]
  readonly externalMovements: number
  readonly byOutcome: Readonly<Record<string, number>>
}

/** Planned movements, their orders and their responses. */
export interface Evidence {
  readonly planned: readonly PlannedMovement[]
  readonly answers: ReadonlyMap<number, Answer>
  readonly orders: OrderBook
}

const texts = async (pool: pg.Pool, sql: string, values: unknown[] = []): Promise<string[]> =>
  (await pool.query<{ text: string }>(sql, values)).rows.map(({ text }) => text)

/** Checks the database, the provider's books and the responses to people. */
export async function checkRun(
  harness: Pick<Harness, 'operator' | 'sandboxUrl'>,
  { planned, answers, orders }: Evidence,
): Promise<Assertions> {
  const { pool, providers } = harness.operator
  const faults: string[] = []
  const none = (sentence: string, found: readonly string[]) => {
    if (found.length > 0) faults.push(`${sentence}: ${found.slice(0, 5).join('; ')} (${found.length} in all)`)
  }

  const { checks } = await audit(pool)
  none(
    'the audit finds something broken',
    checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`),
  )
  none(
    'money is still held',
    await texts(pool, `select name || ' ' || balance as text from ledger.account where kind = 'hold' and balance <> 0`),
  )
  none(
    'something is undecided',
    await texts(
      pool,
      `select 'payment ' || id || ' ' || status as text from payment where status in ('pending', 'needs_review')
       union all select 'payout ' || id || ' ' || status from payout where status in ('pending', 'needs_review')
       union all select 'transaction ' || id || ' of ' || user_id from transaction where status = 'PENDING'`,
    ),
  )
  none(
    'a movement was never answered',
    planned.filter(({ number }) => !answers.has(number)).map(({ number, kind }) => `${number} (${kind})`),
  )
  none(
    'somebody ran into a limit, so the run covers less than planned',
    orders
      .entries()
      .filter(({ answers: given }) => given.some((one) => one.status === 'refused' && one.code === 'limit_exceeded'))
      .map(({ order: { kind, key, userId } }) => `${kind} ${key} of ${userId}`),
  )
  const lines = (await Promise.all(providers.money.all.map(loadReport))).flat()
  none('our books differ from the provider’s', await differences(pool, lines))
  const findings = findViolations(orders, await readBooks(pool, lines), await fetchRates(harness.sandboxUrl))
  for (const [kind, found] of Map.groupBy(findings, (finding) => finding.slice(0, finding.indexOf(':')))) {
    none(`the oracle finds (${kind})`, found)
  }
  none(
    'a case is open that nobody should have to look at',
    await texts(
      pool,
      `select kind || ' ' || subject || ': ' || detail as text from reconciliation_exception where closed_at is null and kind <> 'loss'`,
    ),
  )
  const counted = await pool.query<{ outcome: string; count: number }>(
    `select purpose || ' by ' || method || ' ' || status as outcome, count(*)::int as count from payment group by 1
     union all select 'withdrawal ' || status, count(*)::int from payout group by 1
     union all select 'held ' || kind || ' ' || coalesce(release_reason, state), count(*)::int from transfer group by 1 order by 1`,
  )
  const moved = await pool.query<{ count: number }>('select count(*)::int as count from settlement_line')
  return {
    faults,
    externalMovements: moved.rows[0]?.count ?? 0,
    byOutcome: Object.fromEntries(counted.rows.map(({ outcome, count }) => [outcome, count])),
  }
}

async function loadReport({ report }: MoneyProvider): Promise<ReportLine[]> {
  if (!report) return []
  const books = await report.lines(new Date(0), new Date(Date.now() + 10 * 365 * 86_400_000))
  if (books.status === 'unknown') throw new Error(books.reason)
  return books.lines
}

/** Returns lines that only one side has or that differ. */
async function differences(pool: pg.Pool, books: readonly ReportLine[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; kind: string; amount_minor: bigint; currency: string }>(
    'select id, kind, amount_minor, currency from settlement_line',
  )
  const spelled = (id: string, kind: string, minor: bigint, currency: string) => `${kind} ${id} ${minor} ${currency}`
  const ours = new Set(rows.map((row) => spelled(row.id, row.kind, row.amount_minor, row.currency)))
  const theirs = new Set(
    books.map(({ id, kind, amount: { minor, currency } }) =>
      spelled(id, kind, isIncoming[kind] ? minor : -minor, currency),
    ),
  )
  return [
    ...[...theirs].filter((line) => !ours.has(line)).map((line) => `only the provider has ${line}`),
    ...[...ours].filter((line) => !theirs.has(line)).map((line) => `only we have ${line}`),
  ]
}
