import { createHash } from 'node:crypto'
import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { rules } from './rules.ts'
import { describeError } from '../../platform/database/database-errors.ts'
import { connect, onlyRow } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { rowSealKeys } from '../../platform/row-seals.ts'
import type { KeyRing } from '../../platform/seal.ts'
import { searchPath } from '../migrate/fingerprints.ts'
import { alignedColumns, parse, type RunCommand, type Terminal } from '../terminal.ts'
import { completeSettings } from '../with-product.ts'
import {
  type AcceptedRow,
  acceptedLines,
  countRowSeals,
  countSealed,
  deriveSecretId,
  readAcceptedRows,
  readRing,
  rowSealLines,
  type SealKeyUsage,
  sealedLines,
} from './seal-counts.ts'

export interface AuditCheck {
  readonly name: string
  readonly ok: boolean
  /** Count of checked items, or a summary of the violations. */
  readonly detail: string
}

/** Totals of a currency, in minor units; the four sum to zero. */
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
  readonly sealed: readonly SealKeyUsage[]
  readonly rowSeals: readonly SealKeyUsage[]
  readonly accepted: readonly AcceptedRow[]
}

const maxShownFaults = 3

/**
 * Applies every rule, also while the product runs. Each rule is one statement over a single snapshot, so it sees a
 * consistent state and hardly delays vacuum. With the installation's `secrets`, also checks the signatures of row
 * seals.
 */
export async function audit(pool: pg.Pool, secrets?: KeyRing): Promise<AuditReport> {
  const client = await pool.connect()
  let isUnchanged = false
  try {
    await client.query('set default_transaction_read_only = on')
    if (secrets) await storeAuditKeys(client, secrets)
    const report = {
      checks: await applyRules(client, rules),
      sums: await sumLedgers(client),
      sealed: await countSealed(client),
      rowSeals: await countRowSeals(client),
      accepted: await readAcceptedRows(client),
    }
    await client.query('reset all')
    isUnchanged = true
    return report
  } finally {
    // Destroys the connection if its settings are still changed.
    client.release(!isUnchanged)
  }
}

/** Lets a connection check the signatures of row seals. */
export const storeAuditKeys = (client: pg.ClientBase, secrets: KeyRing) =>
  client.query(`select set_config('tern.row_seal_keys', $1, false)`, [rowSealKeys(secrets).join(' ')])

/** Applies rules in sequence on a connection, changing its settings. */
export async function applyRules(client: pg.ClientBase, applied: readonly AuditRule[]): Promise<AuditCheck[]> {
  // Rules read whole tables; nested loops over tables without statistics would take hours. Seals hash times as UTC.
  await client.query(
    `set time zone 'UTC'; set work_mem = '64MB'; set enable_nestloop = off; set jit = off; set search_path = ${searchPath}`,
  )
  const checks: AuditCheck[] = []
  for (const rule of applied) checks.push(await check(client, rule))
  return checks
}

async function check(client: pg.ClientBase, { name, scope, broken, expected }: AuditRule): Promise<AuditCheck> {
  const values = expected === undefined ? [] : [JSON.stringify(expected)]
  // Materialized so that the planner optimizes for reading all rows, as it must when there are no faults.
  const auditQuery = `with faults as materialized (${broken})
     select (${scope})::bigint as count, (select count(*) from faults) as total,
            array(select subject::text from faults order by subject limit ${maxShownFaults}) as shown`
  const { rows } = await client.query<{ count: bigint; total: bigint; shown: string[] }>(
    prepareQuery(auditQuery, values),
  )
  const { count, total, shown } = onlyRow(rows)
  if (total === 0n) return { name, ok: true, detail: `${count} checked` }
  return { name, ok: false, detail: `${total} broken: ${shown.join('; ')}${total > maxShownFaults ? '; …' : ''}` }
}

/** Names a statement by its hash, so that each connection plans it only once: planning takes longer than execution. */
const prepareQuery = (text: string, values: readonly string[]) => ({
  name: createHash('sha256').update(text).digest('base64url'),
  text,
  values: [...values],
})

async function sumLedgers(client: pg.ClientBase): Promise<AuditSum[]> {
  const { rows } = await client.query<AuditSum>(
    `select currency,
        coalesce(sum(balance) filter (where kind = 'wallet'), 0) as spendable,
        coalesce(sum(balance) filter (where kind = 'hold'), 0) as held,
        coalesce(sum(balance) filter (where earns), 0) as earned,
        coalesce(sum(balance) filter (where kind not in ('wallet', 'hold') and not earns), 0) as outside
       from ledger.account, lateral (select kind in ('fee', 'rounding') or name like 'provider_fee:%' as earns) as kinds
      group by currency having count(*) filter (where version > 0) > 0`,
  )
  const findCurrencyIndex = ({ currency }: AuditSum) => currencyCodes.indexOf(currency)
  return rows.toSorted((a, b) => findCurrencyIndex(a) - findCurrencyIndex(b))
}

/** Formats the report for a terminal. `currentKey` is the id of the secret in use, if known. */
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

/** Records the run for monitoring; only warns if it cannot, as with a read-only role. */
async function recordAudit(pool: pg.Pool, { checks }: AuditReport, warn: Terminal['warn']): Promise<void> {
  const finishedAt = new Date()
  const failedCount = checks.filter(({ ok }) => !ok).length
  try {
    await pool.query('insert into audit_run (id, finished_at, checks, broken) values ($1, $2, $3, $4)', [
      newId(finishedAt),
      finishedAt,
      checks.length,
      failedCount,
    ])
  } catch (error) {
    warn(`The audit was not recorded for monitoring (${describeError(error)}).`)
  }
}

/**
 * Returns the configured secrets; undefined, with a warning, for invalid settings: the audit then runs without them.
 */
function readConfiguredKeyRing({ environment, warn }: Terminal): KeyRing | undefined {
  try {
    return readRing(environment)
  } catch (error) {
    warn(`It is not known which secret is in use (${describeError(error)})`)
    return undefined
  }
}

/** Audits the database at DATABASE_URL, or the running database of DATA_DIR; exit code 1 on any fault. */
export const run: RunCommand = async (terminal, parameters) => {
  parse({ args: [...parameters] })
  const { DATABASE_URL: url } = completeSettings(terminal.environment)
  const pool = connect(url, 1)
  try {
    const secrets = readConfiguredKeyRing(terminal)
    const report = await audit(pool, secrets)
    terminal.print(formatReport(report, secrets && deriveSecretId(secrets)))
    await recordAudit(pool, report, terminal.warn)
    return report.checks.every(({ ok }) => ok) ? 0 : 1
  } finally {
    await pool.end()
  }
}
