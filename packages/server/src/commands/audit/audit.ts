// npm run audit: proves the books from stored entries alone, running or stopped.

import { createHash } from 'node:crypto'
import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'
import { reasonOf } from '../../platform/database/database-errors.ts'
import { connect, only } from '../../platform/database/db.ts'
import { findDatabaseUrl } from '../../platform/database/embedded-postgres.ts'
import { newId } from '../../platform/ids.ts'
import { rowSealKeys } from '../../platform/row-seals.ts'
import type { KeyRing } from '../../platform/seal.ts'
import { searchPath } from '../migrate/fingerprints.ts'
import { alignedColumns } from '../terminal.ts'
import {
  type AcceptedRow,
  acceptedLines,
  countRowSeals,
  countSealed,
  idOfSecret,
  readAcceptedRows,
  readRing,
  rowSealLines,
  type SealedUnder,
  sealedLines,
} from './sealed.ts'
import { isMain } from '../../platform/runtime/is-main.ts'

export interface AuditCheck {
  readonly name: string
  readonly ok: boolean
  /** How much was checked, or what is broken. */
  readonly detail: string
}

/** Users' and outside holdings of a currency, in minor units; the four sum to zero. */
export interface AuditSum {
  readonly currency: CurrencyCode
  readonly spendable: bigint
  readonly held: bigint
  readonly earned: bigint
  readonly outside: bigint
}

export interface AuditReport {
  readonly checks: readonly AuditCheck[]
  readonly sums: readonly AuditSum[]
  readonly sealed: readonly SealedUnder[]
  readonly rowSeals: readonly SealedUnder[]
  readonly accepted: readonly AcceptedRow[]
}

const shownFaults = 3

/**
 * Applies every rule during operation. Each is one statement over data from one commit, so it sees a consistent state
 * and hardly delays vacuum. With the installation's `secrets`, also checks the signatures of row seals.
 */
export async function audit(pool: pg.Pool, secrets?: KeyRing): Promise<AuditReport> {
  const client = await pool.connect()
  let isAsBefore = false
  try {
    await client.query('set default_transaction_read_only = on')
    if (secrets) await giveKeys(client, secrets)
    const report = {
      checks: await applyRules(client, rules),
      sums: await sumUp(client),
      sealed: await countSealed(client),
      rowSeals: await countRowSeals(client),
      accepted: await readAcceptedRows(client),
    }
    await client.query('reset all')
    isAsBefore = true
    return report
  } finally {
    // Closes a connection whose settings are changed.
    client.release(!isAsBefore)
  }
}

/** Lets a connection check the signatures of row seals. */
export const giveKeys = (client: pg.ClientBase, secrets: KeyRing) =>
  client.query(`select set_config('tern.row_seal_keys', $1, false)`, [rowSealKeys(secrets).join(' ')])

/** Applies rules in turn on a connection, changing its settings. */
export async function applyRules(client: pg.ClientBase, applied: readonly Rule[]): Promise<AuditCheck[]> {
  // Rules read whole tables. On unanalyzed ones, nested loops take hours. Seals hash times as of UTC.
  await client.query(
    `set time zone 'UTC'; set work_mem = '64MB'; set enable_nestloop = off; set jit = off; set search_path = ${searchPath}`,
  )
  const checks: AuditCheck[] = []
  for (const rule of applied) checks.push(await check(client, rule))
  return checks
}

async function check(client: pg.ClientBase, { name, scope, broken, expected }: Rule): Promise<AuditCheck> {
  const values = expected === undefined ? [] : [JSON.stringify(expected)]
  // Materialized to plan for all rows, since sound books are read to the end.
  const found = `with faults as materialized (${broken})
     select (${scope})::bigint as count, (select count(*) from faults) as total,
            array(select subject::text from faults order by subject limit ${shownFaults}) as shown`
  const { rows } = await client.query<{ count: bigint; total: bigint; shown: string[] }>(prepared(found, values))
  const { count, total, shown } = only(rows)
  if (total === 0n) return { name, ok: true, detail: `${count} checked` }
  return { name, ok: false, detail: `${total} broken: ${shown.join('; ')}${total > shownFaults ? '; …' : ''}` }
}

/** A statement under a name of its own: planning it takes longer than running it, and happens once per connection. */
const prepared = (text: string, values: readonly string[]) => ({
  name: createHash('sha256').update(text).digest('base64url'),
  text,
  values: [...values],
})

async function sumUp(client: pg.ClientBase): Promise<AuditSum[]> {
  const { rows } = await client.query<AuditSum>(
    `select currency,
        coalesce(sum(balance) filter (where kind = 'wallet'), 0) as spendable,
        coalesce(sum(balance) filter (where kind = 'hold'), 0) as held,
        coalesce(sum(balance) filter (where kind in ('fee', 'rounding')), 0) as earned,
        coalesce(sum(balance) filter (where kind not in ('wallet', 'hold', 'fee', 'rounding')), 0) as outside
       from ledger.account group by currency having count(*) filter (where version > 0) > 0`,
  )
  const placeOf = ({ currency }: AuditSum) => currencyCodes.indexOf(currency)
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** The report for a terminal. `currentKey` names the secret in use, if known. */
export function formatReport({ checks, sums, sealed, rowSeals, accepted }: AuditReport, currentKey?: string): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, ok, detail }) => `${ok ? 'ok    ' : 'BROKEN'}  ${name.padEnd(width)}  ${detail}`)
  const columns = ['spendable', 'held', 'earned', 'outside'] as const
  const table = [
    ['', ...columns],
    ...sums.map((sum) => [sum.currency, ...columns.map((column) => toDecimal(money(sum.currency, sum[column])))]),
  ]
  const seals = [...sealedLines(sealed, currentKey), ...rowSealLines(rowSeals, currentKey), ...acceptedLines(accepted)]
  return [...lines, '', ...alignedColumns(table), '', ...seals].join('\n')
}

/** Notes for monitoring that the audit ran. A role that may only read audits all the same. */
async function recordAudit(pool: pg.Pool, { checks }: AuditReport): Promise<void> {
  const finishedAt = new Date()
  const broken = checks.filter(({ ok }) => !ok).length
  try {
    await pool.query('insert into audit_run (id, finished_at, checks, broken) values ($1, $2, $3, $4)', [
      newId(finishedAt),
      finishedAt,
      checks.length,
      broken,
    ])
  } catch (error) {
    console.error(`The audit was not recorded for monitoring (${reasonOf(error)}).`)
  }
}

/** Secrets in use; undefined, with a message, for invalid settings: the audit then runs without them. */
function ringInUse(): KeyRing | undefined {
  try {
    return readRing(process.env)
  } catch (error) {
    console.error(`It is not known which secret is in use (${reasonOf(error)})`)
    return undefined
  }
}

/** Audits the database of DATABASE_URL, or the one running over DATA_DIR. Returns the exit code. */
async function main(): Promise<number> {
  const dataDir = process.env.DATA_DIR ?? '.data'
  const url = process.env.DATABASE_URL ?? findDatabaseUrl(dataDir)
  if (url === undefined) {
    console.error(`No database is running over ${dataDir}. Start the product first, or set DATABASE_URL.`)
    return 2
  }
  const pool = connect(url, 1)
  try {
    const secrets = ringInUse()
    const report = await audit(pool, secrets)
    console.log(formatReport(report, secrets && idOfSecret(secrets)))
    await recordAudit(pool, report)
    return report.checks.every(({ ok }) => ok) ? 0 : 1
  } finally {
    await pool.end()
  }
}

if (isMain(import.meta)) process.exitCode = await main()
