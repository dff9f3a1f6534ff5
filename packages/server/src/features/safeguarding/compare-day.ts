// Comparison of one finished day at one bank: its statement, our records and the requirement.

import type { CurrencyCode } from '@tern/money/currency'
import type { AccountStatement } from '@tern/providers/safeguarding/port'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { insertRow } from '../../platform/database/rows.ts'
import {
  applyCovers,
  compareBalances,
  compareEntries,
  type Cover,
  type Difference,
  type StatementEntry,
  type TransferRecord,
} from './compare-account.ts'
import type { SafeguardingContext } from './context.ts'
import { dayBefore, endOf } from './days.ts'
import { endFindings, openDifferences } from './findings.ts'
import { readRequirement } from './requirement.ts'
import { recordDailyTransfer } from './transfers.ts'

interface DayToCompare {
  readonly day: string
  readonly bank: string
  readonly accounts: readonly AccountStatement[]
}

interface ComparedDay {
  /** False if another process has compared the day meanwhile. */
  readonly isNew: boolean
  readonly opened: number
  readonly ended: number
}

const another: ComparedDay = { isNew: false, opened: 0, ended: 0 }

/**
 * Stores a statement, compares it, opens and ends findings, and records the transfers that bring each account to the
 * requirement. One transaction, once for each day and bank.
 */
export async function compareDay(
  ctx: SafeguardingContext,
  pool: pg.Pool,
  statement: DayToCompare,
): Promise<ComparedDay> {
  const { day, bank } = statement
  return transact(pool, async (tx) => {
    await lockName(tx, 'safeguarding')
    const before = await readClosings(tx, bank, dayBefore(day))
    const since = (await readFirstDay(tx, bank)) ?? day
    if ((await readClosings(tx, bank, day)).size > 0) return another
    await storeEntries(tx, statement)
    const records = await readRecords(tx, day)
    const lines = compareEntries({ since, records, entries: await readEntries(tx, { bank, day }) })
    const currencies = new Set(statement.accounts.map(({ closing }) => closing.currency))
    const at = ctx.now()
    const requirement = await readRequirement(tx, endOf(day))
    const found = lines.filter(({ currency }) => currencies.has(currency))
    for (const account of statement.accounts) {
      const facts = { account, records, before, requirement: requirement.get(account.closing.currency) ?? 0n, at }
      found.push(...(await recordAccount(tx, statement, facts)))
    }
    const differences = applyCovers(found, await readCovers(tx, { bank, day }))
    const opened = await openDifferences(tx, { day, bank, differences, at })
    return { isNew: true, opened, ended: await endFindings(tx, { day, bank, differences, at }) }
  })
}

interface AccountFacts {
  readonly account: AccountStatement
  readonly records: readonly TransferRecord[]
  readonly before: ReadonlyMap<CurrencyCode, bigint>
  readonly requirement: bigint
  readonly at: Date
}

/** Records one account's day and its daily transfer. Returns what its entries do not explain. */
async function recordAccount(
  tx: Tx,
  { day, bank }: Pick<DayToCompare, 'day' | 'bank'>,
  { account, records, before, requirement, at }: AccountFacts,
): Promise<Difference[]> {
  const { opening, closing, entries } = account
  const { currency } = closing
  const ordinary = records.filter((record) => record.currency === currency && record.findingId === null)
  const total = (part: readonly TransferRecord[]) => part.reduce((sum, { minor }) => sum + minor, 0n)
  const row = {
    ...{ day, bank, currency, requirement_minor: requirement, records_minor: total(ordinary) },
    ...{ opening_minor: opening.minor, closing_minor: closing.minor, compared_at: at },
  }
  await insertRow(tx, 'safeguarding_day', row)
  const settled = await readSettled(tx, { day, currency })
  await recordDailyTransfer(tx, { day, bank, currency, minor: requirement - settled, at })
  return compareBalances({
    ...{ day, currency, opening: opening.minor, closing: closing.minor },
    booked: entries.reduce((sum, { amount }) => sum + amount.minor, 0n),
    closedAt: before.get(currency),
    records: total(ordinary.filter(({ on }) => on < day)),
  })
}

/** Closing balances of a bank on a day, by currency. */
export async function readClosings(db: Db, bank: string, day: string): Promise<Map<CurrencyCode, bigint>> {
  const { rows } = await db.query<{ currency: CurrencyCode; minor: bigint }>(
    'select currency, closing_minor as minor from safeguarding_day where bank = $1 and day = $2',
    [bank, day],
  )
  return new Map(rows.map(({ currency, minor }) => [currency, minor]))
}

/** First compared day of a bank. */
async function readFirstDay(db: Db, bank: string): Promise<string | undefined> {
  const { rows } = await db.query<{ day: string | null }>(
    'select min(day) as day from safeguarding_day where bank = $1',
    [bank],
  )
  return rows[0]?.day ?? undefined
}

/** Last compared day of a bank; undefined before the first. */
export async function readLastDay(db: Db, bank: string): Promise<string | undefined> {
  const { rows } = await db.query<{ day: string | null }>(
    'select max(day) as day from safeguarding_day where bank = $1',
    [bank],
  )
  return rows[0]?.day ?? undefined
}

async function storeEntries(tx: Tx, { bank, accounts }: DayToCompare): Promise<void> {
  for (const { id, amount, reference, bookedOn, valueOn } of accounts.flatMap(({ entries }) => entries)) {
    const row = { bank, id, currency: amount.currency, amount_minor: amount.minor, reference }
    await insertRow(tx, 'safeguarding_entry', { ...row, booked_on: bookedOn, value_on: valueOn })
  }
}

/** Transfers up to the end of a day: what providers paid to the operator's bank and took from it, and our own. */
async function readRecords(db: Db, day: string): Promise<TransferRecord[]> {
  const { rows } = await db.query<TransferRecord>(
    `select id, currency, -amount_minor as minor, (occurred_at at time zone 'UTC')::date::text as "on",
         null::uuid as "findingId"
       from operator_line where kind = 'bank_transfer' and occurred_at < $2
     union all
     select id::text, currency, amount_minor, ordered_on::text, finding_id
       from safeguarding_transfer where ordered_on <= $1
      order by "on", id`,
    [day, endOf(day)],
  )
  return rows
}

/** Entries of a bank booked up to a day. */
async function readEntries(
  db: Db,
  { bank, day }: { readonly bank: string; readonly day: string },
): Promise<StatementEntry[]> {
  const { rows } = await db.query<StatementEntry>(
    `select id, currency, amount_minor as minor, reference, booked_on as "bookedOn"
       from safeguarding_entry where bank = $1 and booked_on <= $2 order by booked_on, id`,
    [bank, day],
  )
  return rows
}

/** Transfers for findings of a bank that are booked up to a day. */
async function readCovers(db: Db, { bank, day }: { readonly bank: string; readonly day: string }): Promise<Cover[]> {
  const { rows } = await db.query<Cover>(
    `select f.currency, f.cause, f.subject, e.id as entry, e.amount_minor as minor
       from safeguarding_transfer t
       join safeguarding_finding f on f.id = t.finding_id
       join safeguarding_entry e on e.bank = t.bank and e.reference = t.id::text and e.currency = t.currency
        and e.amount_minor = t.amount_minor and e.booked_on <= $2
      where t.bank = $1`,
    [bank, day],
  )
  return rows
}

/** Returns the balance by our records once every transfer ordered for earlier days is booked, in minor units. */
async function readSettled(
  db: Db,
  { day, currency }: { readonly day: string; readonly currency: CurrencyCode },
): Promise<bigint> {
  const { rows } = await db.query<{ minor: bigint }>(
    `select coalesce(sum(minor), 0) as minor from (
       select -amount_minor as minor from operator_line
        where kind = 'bank_transfer' and currency = $1 and occurred_at < $3
       union all
       select amount_minor from safeguarding_transfer where currency = $1 and finding_id is null and day < $2
     ) as part`,
    [currency, day, endOf(day)],
  )
  return rows[0]?.minor ?? 0n
}
