// Checks the invariants that must hold once no work is pending, whatever faults occurred.

import type { MoneyProvider } from '@tern/providers/money'
import type { ReportLine } from '@tern/providers/report/port'
import { isIncoming } from '@tern/providers/report/port'
import { findJournalFaults, isInstalled } from '@tern/testkit/books/journals'
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
  readonly outcomeCounts: Readonly<Record<string, number>>
}

/** Planned movements, their orders and their responses. */
export interface Evidence {
  readonly planned: readonly PlannedMovement[]
  readonly answers: ReadonlyMap<number, Answer>
  readonly orders: OrderBook
}

const queryTexts = async (pool: pg.Pool, sql: string, values: unknown[] = []): Promise<string[]> =>
  (await pool.query<{ text: string }>(sql, values)).rows.map(({ text }) => text)

/** Checks the database, the provider's books and the responses to people. */
export async function checkRun(
  harness: Pick<Harness, 'operator' | 'sandboxUrl'>,
  { planned, answers, orders }: Evidence,
): Promise<Assertions> {
  const { pool, providers } = harness.operator
  const faults: string[] = []
  const requireEmpty = (sentence: string, violations: readonly string[]) => {
    if (violations.length > 0)
      faults.push(`${sentence}: ${violations.slice(0, 5).join('; ')} (${violations.length} in all)`)
  }

  const { checks } = await audit(pool)
  requireEmpty(
    'the audit finds something broken',
    checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`),
  )
  requireEmpty(
    'money is still held',
    await queryTexts(
      pool,
      `select name || ' ' || balance as text from ledger.account where kind = 'hold' and balance <> 0`,
    ),
  )
  requireEmpty(
    'something is undecided',
    await queryTexts(
      pool,
      `select 'payment ' || id || ' ' || status as text from payment where status in ('pending', 'needs_review')
       union all select 'payout ' || id || ' ' || status from payout where status in ('pending', 'needs_review')
       union all select 'transaction ' || id || ' of ' || user_id from transaction where status = 'PENDING'`,
    ),
  )
  requireEmpty(
    'a movement was never answered',
    planned.filter(({ number }) => !answers.has(number)).map(({ number, kind }) => `${number} (${kind})`),
  )
  requireEmpty(
    'somebody ran into a limit, so the run covers less than planned',
    orders
      .entries()
      .filter(({ answers: responses }) =>
        responses.some((response) => response.status === 'refused' && response.code === 'limit_exceeded'),
      )
      .map(({ order: { kind, key, userId } }) => `${kind} ${key} of ${userId}`),
  )
  const lines = (await Promise.all(providers.money.all.map(loadReport))).flat()
  requireEmpty('our books differ from the provider’s', await findDifferences(pool, lines))
  const findings = findViolations(orders, await readBooks(pool, lines), await fetchRates(harness.sandboxUrl))
  for (const [kind, violations] of Map.groupBy(findings, (finding) => finding.slice(0, finding.indexOf(':')))) {
    requireEmpty(`the oracle finds (${kind})`, violations)
  }
  requireEmpty(
    'a case is open that nobody should have to look at',
    await queryTexts(
      pool,
      `select kind || ' ' || subject || ': ' || detail as text from reconciliation_exception where closed_at is null and kind <> 'loss'`,
    ),
  )
  if ((await isInstalled('hledger', '--version')) && (await isInstalled('bean-check', '--version'))) {
    const { faults: journalFaults } = await findJournalFaults(pool)
    requireEmpty('the journals of accountants differ from the ledger', journalFaults)
  }
  const outcomeRows = await pool.query<{ outcome: string; count: number }>(
    `select purpose || ' by ' || method || ' ' || status as outcome, count(*)::int as count from payment group by 1
     union all select 'withdrawal ' || status, count(*)::int from payout group by 1
     union all select 'held ' || kind || ' ' || coalesce(release_reason, state), count(*)::int from transfer group by 1 order by 1`,
  )
  const countedLines = await pool.query<{ count: number }>('select count(*)::int as count from settlement_line')
  return {
    faults,
    externalMovements: countedLines.rows[0]?.count ?? 0,
    outcomeCounts: Object.fromEntries(outcomeRows.rows.map(({ outcome, count }) => [outcome, count])),
  }
}

async function loadReport({ report }: MoneyProvider): Promise<readonly ReportLine[]> {
  if (!report) return []
  const books = await report.lines(new Date(0), new Date(Date.now() + 10 * 365 * 86_400_000))
  if (books.status === 'unknown') throw new Error(books.reason)
  return books.lines
}

/** Returns settlement lines that only one side has or that differ. */
async function findDifferences(pool: pg.Pool, books: readonly ReportLine[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; kind: string; amount_minor: bigint; currency: string }>(
    'select id, kind, amount_minor, currency from settlement_line',
  )
  const formatLine = (id: string, kind: string, minor: bigint, currency: string) => `${kind} ${id} ${minor} ${currency}`
  const ledgerLines = new Set(rows.map((row) => formatLine(row.id, row.kind, row.amount_minor, row.currency)))
  const providerLines = new Set(
    books.map(({ id, kind, amount: { minor, currency } }) =>
      formatLine(id, kind, isIncoming[kind] ? minor : -minor, currency),
    ),
  )
  return [
    ...[...providerLines].filter((line) => !ledgerLines.has(line)).map((line) => `only the provider has ${line}`),
    ...[...ledgerLines].filter((line) => !providerLines.has(line)).map((line) => `only we have ${line}`),
  ]
}
