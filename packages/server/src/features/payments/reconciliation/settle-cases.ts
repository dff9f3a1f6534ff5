import type pg from 'pg'
import type { PaymentContext } from '../context.ts'
import { type CaseFacts, closeCases, type OpenCase, openCase, openCases } from '../records/reconciliation-exceptions.ts'
import type { ReconciliationExceptionRow } from '../row-types.ts'
import { ledgerDifferences } from './discrepancies.ts'
import type { Window } from './periods.ts'
import { balanceDifferences, type BalanceComparison, type BalanceResult, balanceSubject } from './provider-balances.ts'

/** Opens exceptions; returns the count of new ones. Movements of unmatched exceptions get no second one. */
export async function openDifferences(
  { now }: PaymentContext,
  pool: pg.Pool,
  provider: string,
  differences: readonly CaseFacts[],
): Promise<number> {
  if (differences.length === 0) return 0
  const unmatchedSubjects = await readUnmatchedSubjects(pool, provider)
  let opened = 0
  for (const facts of differences) {
    if (!unmatchedSubjects.has(facts.subject) && (await openCase(pool, facts, now()))) opened += 1
  }
  return opened
}

interface CasesToSettle {
  readonly provider: string
  readonly window: Window
  /** Differences of movements that the run found. */
  readonly differences: readonly CaseFacts[]
  readonly unresolved: ReadonlySet<string>
  readonly balances: BalanceResult | undefined
}

/** Opens the exceptions about accounts and balances, and closes those whose difference is gone. */
export async function settleCases(ctx: PaymentContext, pool: pg.Pool, run: CasesToSettle): Promise<void> {
  const { provider, window, differences, unresolved, balances } = run
  const unmatchedSubjects = await readUnmatchedSubjects(pool, provider)
  const compared = balances?.status === 'known' ? balances.balances : []
  const accounts = [...(await ledgerDifferences(pool, provider)), ...balanceDifferences(provider, compared)]
  const lines = differences.filter(({ subject }) => !unmatchedSubjects.has(subject))
  const open = await openCases(pool)
  const openKeys = new Set(open.map(formatCaseKey))
  // Settlement accounts are shared by all providers, so each provider's run finds the same difference.
  for (const facts of accounts) if (!openKeys.has(formatCaseKey(facts))) await openCase(pool, facts, ctx.now())
  const currentKeys = new Set([...lines, ...accounts].map(formatCaseKey))
  const posted = await readPosted(pool, provider, open)
  const balanceSubjects = new Set(compared.filter(isConcluded).map((found) => balanceSubject(provider, found)))
  for (const exceptionCase of open) {
    if (currentKeys.has(formatCaseKey(exceptionCase))) continue
    const facts = { provider, window, posted, balanceSubjects, unresolved }
    if (isResolvedBy(exceptionCase, facts)) await closeCases(pool, { id: exceptionCase.id }, 'books_agree', ctx.now())
  }
}

const isConcluded = ({ result }: BalanceComparison): boolean => result !== 'moving'

const formatCaseKey = ({ kind, subject }: CaseFacts): string => `${kind} ${subject}`

/** Subjects of unmatched cases, open or resolved by an operator. These movements get no second case. */
async function readUnmatchedSubjects(pool: pg.Pool, provider: string): Promise<Set<string>> {
  const { rows } = await pool.query<Pick<ReconciliationExceptionRow, 'subject'>>(
    `select subject from reconciliation_exception where provider = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually)`,
    [provider],
  )
  return new Set(rows.map(({ subject }) => subject))
}

/** Subjects of unmatched cases that are posted by now. */
async function readPosted(pool: pg.Pool, provider: string, open: readonly OpenCase[]): Promise<Set<string>> {
  const subjects = open.filter(({ kind }) => kind === 'unmatched').map(({ subject }) => subject)
  const { rows } = await pool.query<{ id: string }>(
    'select id from settlement_line where provider = $1 and id = any($2)',
    [provider, subjects],
  )
  return new Set(rows.map(({ id }) => id))
}

interface ComparedFacts {
  readonly provider: string
  readonly window: Window
  readonly posted: ReadonlySet<string>
  /** Subjects of the balances that were compared. */
  readonly balanceSubjects: ReadonlySet<string>
  readonly unresolved: ReadonlySet<string>
}

/** True if a run that did not find the difference of a case again has compared what the case is about. */
function isResolvedBy(
  { kind, provider, subject, happenedAt, detail }: OpenCase,
  { window: { from, until }, ...compared }: ComparedFacts,
): boolean {
  if (kind === 'ledger_differs')
    return detail.code !== 'provider_balance_differs' || compared.balanceSubjects.has(subject)
  if (provider !== compared.provider || kind === 'loss') return false
  if (kind === 'unmatched') return compared.posted.has(subject)
  return !!happenedAt && happenedAt >= from && happenedAt < until && !compared.unresolved.has(subject)
}
