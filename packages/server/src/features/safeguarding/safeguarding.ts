// Safeguarding: every finished day, what is owed to customers is compared with what the banks report for the designated
// accounts in which their money is kept (docs/safeguarding.md).

import type { CurrencyCode } from '@tern/money/currency'
import type { AccountStatement, SafeguardingBank } from '@tern/providers/safeguarding/port'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { compareDay, readClosings, readLastDay } from './compare-day.ts'
import type { SafeguardingContext } from './context.ts'
import { dayBefore, endOf, nextDay, toDay } from './days.ts'
import {
  countFindings,
  endFindings,
  type FindingCause,
  markNotifiable,
  openDifferences,
  openFinding,
  readOpenFindings,
} from './findings.ts'
import { readMonth } from './monthly.ts'
import { readRequirement } from './requirement.ts'
import { coverFinding, sendTransfers } from './transfers.ts'

export { actionOf, countFindings } from './findings.ts'
export type { CoverRefusal } from './transfers.ts'
export type { CurrencyMonth, MonthlyFigures } from './monthly.ts'

interface SafeguardingDeps extends SafeguardingContext {
  readonly pool: pg.Pool
}

export function createSafeguarding({ pool, ...ctx }: SafeguardingDeps) {
  return {
    /** True if a bank is configured. Without one, nothing is compared. */
    isConfigured: () => ctx.banks.length > 0,
    compare: () => compareFinishedDays(ctx, pool),
    readState: () => readState(ctx, pool),
    readMonth: (month: string) => readMonth(ctx, pool, month),
    cover: (order: Parameters<typeof coverFinding>[2]) => coverFinding(ctx, pool, order),
    countFindings: () => countFindings(pool),
    readAges: () => readAges(ctx, pool),
  }
}

export type Safeguarding = ReturnType<typeof createSafeguarding>

/** Pseudo-bank of currencies for which no bank has an account. */
const noBank = 'none'

/** Statements and books of a day are expected by then. */
const reportsDueMs = 9 * 3_600_000

/**
 * Compares every finished day that is not compared yet, bank by bank, in order; then orders the transfers that bring
 * the accounts to the requirement. A day whose statement is missing stops its bank, and becomes a finding.
 */
async function compareFinishedDays(ctx: SafeguardingContext, pool: pg.Pool): Promise<void> {
  const yesterday = dayBefore(toDay(ctx.now()))
  for (const bank of ctx.banks) {
    const last = await readLastDay(pool, bank.name)
    let day = last === undefined ? yesterday : nextDay(last)
    const isFirst = last === undefined
    while (day <= yesterday && (await compareNextDay(ctx, pool, { bank, day, isFirst }))) day = nextDay(day)
  }
  await compareCurrenciesWithoutAccount(ctx, pool)
  await sendTransfers(ctx, pool)
  await markNotifiable(pool, ctx.now())
}

interface NextDay {
  readonly bank: SafeguardingBank
  readonly day: string
  /** True if no day of the bank was compared yet. */
  readonly isFirst: boolean
}

/** Compares a day; false if that is not possible yet, which becomes a finding once the reports are due. */
async function compareNextDay(ctx: SafeguardingContext, pool: pg.Pool, next: NextDay): Promise<boolean> {
  const {
    day,
    bank: { name: bank },
    isFirst,
  } = next
  const found = await readReports(ctx, pool, next)
  if (typeof found !== 'string') {
    const { opened, ended } = await compareDay(ctx, pool, { day, bank, accounts: found })
    if (opened > 0) ctx.log.error({ day, bank, opened, ended }, 'safeguarded money differs from our records')
    await markNotifiable(pool, ctx.now())
    return true
  }
  const at = ctx.now()
  ctx.log.warn({ day, bank, cause: found }, 'a day of safeguarded money cannot be compared yet')
  // A new installation compares its providers' books in its first night.
  const isDue = at.getTime() >= endOf(day).getTime() + reportsDueMs
  if (!isDue || (isFirst && found === 'not_reconciled')) return false
  await transact(pool, async (tx) => {
    const isOpen = (await readOpenFindings(tx)).some(
      (finding) => finding.bank === bank && finding.kind === 'not_compared' && finding.subject === day,
    )
    if (!isOpen)
      await openFinding(tx, { day, bank, kind: 'not_compared', cause: found, subject: day, amount: null, at })
  })
  return false
}

/** Returns a bank's statement once the payment providers' books of the day are compared, or why that is not possible. */
async function readReports(
  { providers }: SafeguardingContext,
  pool: pg.Pool,
  { bank, day }: NextDay,
): Promise<readonly AccountStatement[] | FindingCause> {
  const reporting = providers.all.filter(({ report }) => report !== undefined).map(({ name }) => name)
  const { rows } = await pool.query<{ provider: string }>(
    'select distinct provider from reconciliation_run where provider = any($1) and until_at >= $2 and includes_own',
    [reporting, endOf(day)],
  )
  if (rows.length < reporting.length) return 'not_reconciled'
  const statement = await bank.statement(day)
  if (statement.status === 'missing') return 'no_statement'
  if (statement.status === 'unknown') return 'no_answer'
  const known = await readClosings(pool, bank.name, dayBefore(day))
  const accounts = new Set(statement.accounts.map(({ closing }) => closing.currency))
  return [...known.keys()].every((currency) => accounts.has(currency)) ? statement.accounts : 'account_missing'
}

/** Opens a shortfall for each currency of customers' money without a designated account. */
async function compareCurrenciesWithoutAccount(ctx: SafeguardingContext, pool: pg.Pool): Promise<void> {
  const days = await Promise.all(ctx.banks.map(({ name }) => readLastDay(pool, name)))
  const [day] = days.filter((each) => each !== undefined).toSorted((a, b) => (a < b ? -1 : 1))
  if (day === undefined || days.includes(undefined) || (await readLastDay(pool, noBank)) === day) return
  await transact(pool, async (tx) => {
    const accounts = await Promise.all(ctx.banks.map(({ name }) => readClosings(tx, name, day)))
    const at = ctx.now()
    const uncovered = [...(await readRequirement(tx, endOf(day)))].filter(
      ([currency, minor]) => minor > 0n && !accounts.some((closings) => closings.has(currency)),
    )
    for (const [currency, requirement_minor] of uncovered) {
      const balances = { records_minor: 0n, opening_minor: 0n, closing_minor: 0n }
      const row = { day, bank: noBank, currency, requirement_minor, ...balances, compared_at: at }
      await insertRow(tx, 'safeguarding_day', row, 'on conflict do nothing')
    }
    const differences = uncovered.map(([currency, minor]) => ({
      currency,
      cause: 'no_account' as const,
      subject: currency,
      minor: -minor,
    }))
    await openDifferences(tx, { day, bank: noBank, differences, at })
    await endFindings(tx, { day, bank: noBank, differences, at })
  })
}

/** Last compared day of each account, and the open findings. */
async function readState({ banks }: SafeguardingContext, db: Db) {
  const { rows } = await db.query<{
    readonly day: string
    readonly bank: string
    readonly currency: CurrencyCode
    readonly requirement: bigint
    readonly resource: bigint
    readonly transfer: bigint
  }>(
    `select d.day, d.bank, d.currency, d.requirement_minor as requirement, d.closing_minor as resource,
         coalesce(t.amount_minor, 0) as transfer
       from safeguarding_day d
       left join safeguarding_transfer t on (t.day, t.bank, t.currency) = (d.day, d.bank, d.currency) and t.finding_id is null
      where d.day = (select max(day) from safeguarding_day latest where latest.bank = d.bank)
      order by d.bank, d.currency`,
  )
  return { banks: banks.map(({ name }) => name), accounts: rows, findings: await readOpenFindings(db) }
}

/** Seconds since the end of the last compared day, by bank; NaN for a bank that was never compared. */
export async function readAges(
  { banks, now }: Pick<SafeguardingContext, 'banks' | 'now'>,
  db: Db,
): Promise<Record<string, number>> {
  const ages = banks.map(async ({ name }) => {
    const day = await readLastDay(db, name)
    const seconds = day === undefined ? Number.NaN : (now().getTime() - endOf(day).getTime()) / 1000
    return [name, seconds] as const
  })
  return Object.fromEntries(await Promise.all(ages))
}
