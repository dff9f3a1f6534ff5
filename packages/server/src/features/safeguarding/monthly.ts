// Figures of a month for the regulator's safeguarding return.

import type { CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../platform/database/db.ts'
import type { SafeguardingContext } from './context.ts'
import { nextDay, toDay } from './days.ts'
import type { SafeguardingFindingRow } from './row-types.ts'

/** One compared day of an account; amounts in minor units of its currency. */
export interface AccountDay {
  readonly day: string
  readonly bank: string
  readonly currency: CurrencyCode
  /** Customers' money at the end of the day. */
  readonly requirement: bigint
  /** Balance by the bank's statement. */
  readonly resource: bigint
  /** Transfer ordered to meet the requirement of the day: above zero into the account. */
  readonly transfer: bigint
}

/** Count of findings and the sum of their amounts, without signs. */
interface Total {
  readonly count: number
  readonly minor: bigint
}

/** One currency's figures. */
export interface CurrencyMonth {
  readonly currency: CurrencyCode
  readonly days: readonly AccountDay[]
  readonly highestRequirement: bigint
  readonly lowestRequirement: bigint
  readonly highestResource: bigint
  readonly lowestResource: bigint
  readonly shortfalls: Total
  readonly excesses: Total
  readonly latePostings: Total
  readonly notifiable: number
}

export interface MonthlyFigures {
  /** Such as 2026-10. */
  readonly month: string
  readonly currencies: readonly CurrencyMonth[]
  /** Finished days of the month that are not compared, by bank, from the first compared day of the bank on. */
  readonly notCompared: readonly { readonly bank: string; readonly days: readonly string[] }[]
  /** Findings of the month, those without an amount included. */
  readonly findings: readonly SafeguardingFindingRow[]
}

/** Reads the figures of a month; of the current month up to yesterday. */
export async function readMonth({ banks, now }: SafeguardingContext, db: Db, month: string): Promise<MonthlyFigures> {
  const from = `${month}-01`
  const { rows: days } = await db.query<AccountDay>(
    `select d.day, d.bank, d.currency, d.requirement_minor as requirement, d.closing_minor as resource,
         coalesce(t.amount_minor, 0) as transfer
       from safeguarding_day d
       left join safeguarding_transfer t on (t.day, t.bank, t.currency) = (d.day, d.bank, d.currency) and t.finding_id is null
      where d.day >= $1::date and d.day < $1::date + interval '1 month' order by d.currency, d.day, d.bank`,
    [from],
  )
  const { rows: findings } = await db.query<SafeguardingFindingRow>(
    `select * from safeguarding_finding
      where day >= $1::date and day < $1::date + interval '1 month' order by day, bank, currency, id`,
    [from],
  )
  const { rows: begun } = await db.query<{ bank: string; day: string }>(
    'select bank, min(day) as day from safeguarding_day group by bank order by bank',
  )
  const currencies = [...new Set(days.map(({ currency }) => currency))]
  return {
    month,
    currencies: currencies.map((currency) => summarize(currency, days, findings)),
    notCompared: begun
      .filter(({ bank }) => banks.some(({ name }) => name === bank))
      .map(({ bank, day: since }) => {
        const compared = new Set(days.filter((each) => each.bank === bank).map(({ day }) => day))
        const missing = listDays(month, toDay(now())).filter((day) => day >= since && !compared.has(day))
        return { bank, days: missing }
      }),
    findings,
  }
}

/** Days of a month before `today`. */
function listDays(month: string, today: string): string[] {
  const days: string[] = []
  for (let day = `${month}-01`; day.startsWith(month) && day < today; day = nextDay(day)) days.push(day)
  return days
}

function summarize(
  currency: CurrencyCode,
  allDays: readonly AccountDay[],
  allFindings: readonly SafeguardingFindingRow[],
): CurrencyMonth {
  const days = allDays.filter((day) => day.currency === currency)
  const findings = allFindings.filter((finding) => finding.currency === currency)
  const requirements = days.map(({ requirement }) => requirement).toSorted(ascending)
  const resources = days.map(({ resource }) => resource).toSorted(ascending)
  const total = (kind: SafeguardingFindingRow['kind']): Total => {
    const minors = findings.filter((finding) => finding.kind === kind).map(({ amount_minor: minor }) => minor ?? 0n)
    return { count: minors.length, minor: minors.reduce((sum, minor) => sum + (minor < 0n ? -minor : minor), 0n) }
  }
  return {
    currency,
    days,
    highestRequirement: requirements.at(-1) ?? 0n,
    lowestRequirement: requirements[0] ?? 0n,
    highestResource: resources.at(-1) ?? 0n,
    lowestResource: resources[0] ?? 0n,
    shortfalls: total('shortfall'),
    excesses: total('excess'),
    latePostings: total('late_posting'),
    notifiable: findings.filter(({ notifiable_at: at }) => at !== null).length,
  }
}

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
