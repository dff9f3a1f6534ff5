import type { Db } from '../../../platform/database/db.ts'
import type { PaymentContext } from '../context.ts'
import type { ReconciliationRunRow } from '../row-types.ts'
import { reconciledDays } from '../tables.ts'

/** Half-open interval, by the product's clock. */
export interface Window {
  readonly from: Date
  readonly until: Date
}

export const dayMs = 86_400_000
// Newer movements may still be on their way to us.
export const settlingMs = 15 * 60_000
// Times of the provider and ours differ by the delay of an event, and by their clocks.
export const clockSkewMs = 3_600_000
// Covers books that a provider completes late, and days whose run failed.
const overlapMs = 3 * dayMs
// Longest time for which a debit's bank does not answer.
const longestDebitMs = 30 * dayMs

/** Kinds of exceptions about one movement, for whose sake a window begins earlier. */
export const lineCases = ['missing_internal', 'missing_external', 'amount_differs'] as const

/** Window to compare, and the time of the first payment or payout, before which only our own money moved. */
export interface ComparisonWindow extends Window {
  readonly firstOrderAt: Date | null
}

/**
 * Chooses the window: by default from three days before the time up to which all was compared, or earlier for an open
 * exception or a debit that its bank has not answered, until a quarter of an hour ago.
 */
export async function loadWindow(
  { now }: PaymentContext,
  db: Db,
  { provider, requestedWindow }: { readonly provider: string; readonly requestedWindow: Partial<Window> },
): Promise<ComparisonWindow> {
  const at = now().getTime()
  const until = requestedWindow.until ?? new Date(at - settlingMs)
  const { rows } = await db.query<{ first: Date | null; oldest: Date | null }>(
    `select
       least((select min(created_at) from payment where provider = $1),
             (select min(created_at) from payout where provider = $1)) as first,
       least((select min(happened_at) from reconciliation_exception where provider = $1 and closed_at is null and kind = any($2)),
             (select min(created_at) from payment where provider = $1 and method = 'bank' and status = 'pending' and created_at > $3)) as oldest`,
    [provider, lineCases, new Date(at - longestDebitMs)],
  )
  const { first: firstOrderAt = null, oldest = null } = rows[0] ?? {}
  if (requestedWindow.from) return { from: requestedWindow.from, until, firstOrderAt }
  // Our own money may have moved before the first order, as when the balance for payouts was filled.
  const reachedAt = await readComparedUntil(db, provider, new Date(at - reconciledDays * dayMs))
  const times = [reachedAt.getTime() - overlapMs, until.getTime() - overlapMs, ...(oldest ? [oldest.getTime()] : [])]
  // not money: a time
  return { from: new Date(Math.min(...times)), until, firstOrderAt }
}

/** Time up to which everything since `first` was compared. Runs over windows that an operator chose may leave gaps. */
async function readComparedUntil(db: Db, provider: string, first: Date): Promise<Date> {
  const { rows } = await db.query<Pick<ReconciliationRunRow, 'from_at' | 'until_at'>>(
    'select from_at, until_at from reconciliation_run where provider = $1 and unresolved = 0 and includes_own order by from_at',
    [provider],
  )
  let reachedAt = first
  for (const { from_at: from, until_at: until } of rows) {
    if (from > reachedAt) break
    if (until > reachedAt) reachedAt = until
  }
  return reachedAt
}

/**
 * Divides a window into days, which are compared and recorded one by one, so that an interrupted run continues where it
 * stopped. The time before the first order is one period.
 */
export function listPeriods({ from, until, firstOrderAt }: ComparisonWindow): Window[] {
  const periods: Window[] = []
  const ordersFrom = firstOrderAt !== null && firstOrderAt < until ? firstOrderAt : until
  let begin = from
  while (begin < until) {
    const end = begin < ordersFrom ? ordersFrom : new Date(begin.getTime() + dayMs)
    const period = { from: begin, until: end < until ? end : until }
    periods.push(period)
    begin = period.until
  }
  return periods
}
