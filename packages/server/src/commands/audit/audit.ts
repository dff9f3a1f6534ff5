import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type AuditCheck, applyRules } from './apply-rules.ts'
import { rules } from './rules.ts'
import { applyRulesSince, findStartSeal } from './since-seal/audit-since-seal.ts'
import { proveSeals } from '../../features/transparency/day-seals/verify-seals.ts'
import { describeError } from '../../platform/database/database-errors.ts'
import { connect, onlyRow } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { rowSealKeys } from '../../platform/row-seals.ts'
import type { KeyRing } from '../../platform/seal.ts'
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

/** Totals of a currency, in minor units; the four sum to zero. */
export interface AuditSum {
  readonly currency: CurrencyCode
  readonly spendable: bigint
  readonly held: bigint
  readonly earned: bigint
  readonly outside: bigint
}

export interface AuditReport {
  /** By the database's clock. */
  readonly startedAt: Date
  /** Day of the seal from which the audit started; undefined if it read everything. */
  readonly since: string | undefined
  readonly checks: readonly AuditCheck[]
  readonly sums: readonly AuditSum[]
  readonly sealed: readonly SealKeyUsage[]
  readonly rowSeals: readonly SealKeyUsage[]
  readonly accepted: readonly AcceptedRow[]
}

/**
 * Applies every rule, also while the product runs. Each rule is one statement over a single snapshot, so it sees a
 * consistent state and hardly delays vacuum. With the installation's `secrets`, also checks the signatures of row
 * seals.
 */
export const audit = (pool: pg.Pool, secrets?: KeyRing): Promise<AuditReport> =>
  withAuditConnection(pool, secrets, async (client) => {
    await client.query('set default_transaction_read_only = on')
    const startedAt = await readTime(client)
    const checks = [...(await applyRules(client, rules)), await checkSeals(client)]
    return { startedAt, since: undefined, checks, ...(await readTotals(client)) }
  })

/**
 * Applies the rules to what is new since a day seal, over one snapshot. Returns undefined if there is no seal to start
 * from. docs/ledger.md lists what it does not check.
 */
export const auditSinceSeal = (pool: pg.Pool, secrets?: KeyRing): Promise<AuditReport | undefined> =>
  withAuditConnection(pool, secrets, async (client) => {
    await client.query('begin isolation level repeatable read')
    const startedAt = await readTime(client)
    const seal = await findStartSeal(client)
    if (!seal) return undefined
    const checks = [...(await applyRulesSince(client, { seal, rules })), await checkSeals(client, seal.day)]
    return { startedAt, since: seal.day, checks, ...(await readTotals(client)) }
  })

/** Runs `work` on a connection of its own, whose transaction and settings end with it. */
async function withAuditConnection<T>(
  pool: pg.Pool,
  secrets: KeyRing | undefined,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isUnchanged = false
  try {
    if (secrets) await storeAuditKeys(client, secrets)
    const result = await work(client)
    await client.query('rollback')
    await client.query('reset all')
    isUnchanged = true
    return result
  } finally {
    // Destroys the connection if its settings are still changed.
    client.release(!isUnchanged)
  }
}

async function readTime(client: pg.ClientBase): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  return onlyRow(rows).now
}

const readTotals = async (client: pg.ClientBase) => ({
  sums: await sumLedgers(client),
  sealed: await countSealed(client),
  rowSeals: await countRowSeals(client),
  accepted: await readAcceptedRows(client),
})

/** Proves day seals, from a day on or all of them, from the signed tree of the log. */
export async function checkSeals(client: pg.ClientBase, since?: string): Promise<AuditCheck> {
  const { checked, faults } = await proveSeals(client, since)
  const name = 'day seals are in the signed log'
  if (faults.length === 0) return { name, ok: true, detail: `${checked} checked` }
  return { name, ok: false, detail: `${faults.length} broken: ${faults.slice(0, 3).join('; ')}` }
}

/** Lets a connection check the signatures of row seals. */
export const storeAuditKeys = (client: pg.ClientBase, secrets: KeyRing) =>
  client.query(`select set_config('tern.row_seal_keys', $1, false)`, [rowSealKeys(secrets).join(' ')])

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
export function formatReport(
  { since, checks, sums, sealed, rowSeals, accepted }: AuditReport,
  currentKey?: string,
): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, ok, detail }) => `${ok ? 'ok    ' : 'BROKEN'}  ${name.padEnd(width)}  ${detail}`)
  const columns = ['spendable', 'held', 'earned', 'outside'] as const
  const table = [
    ['', ...columns],
    ...sums.map((sum) => [sum.currency, ...columns.map((column) => toDecimal(money(sum.currency, sum[column])))]),
  ]
  const seals = [...sealedLines(sealed, currentKey), ...rowSealLines(rowSeals, currentKey), ...acceptedLines(accepted)]
  const scope = since === undefined ? [] : [`What is new since the seal of ${since}:`, '']
  return [...scope, ...lines, '', ...alignedColumns(table), '', ...seals].join('\n')
}

/** Records the run for monitoring; only warns if it cannot, as with a read-only role. */
async function recordAudit(
  pool: pg.Pool,
  { startedAt, since, checks }: AuditReport,
  warn: Terminal['warn'],
): Promise<void> {
  const finishedAt = new Date()
  const failedCount = checks.filter(({ ok }) => !ok).length
  try {
    await pool.query(
      'insert into audit_run (id, finished_at, checks, broken, started_at, since) values ($1, $2, $3, $4, $5, $6)',
      [newId(finishedAt), finishedAt, checks.length, failedCount, startedAt, since ?? null],
    )
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

/** Audits what is new since a day seal; everything, with a warning, if there is none to start from. */
async function auditNew(pool: pg.Pool, secrets: KeyRing | undefined, warn: Terminal['warn']): Promise<AuditReport> {
  const report = await auditSinceSeal(pool, secrets)
  if (report) return report
  warn('No day seal precedes a complete audit without a fault, so this audit reads everything.')
  return audit(pool, secrets)
}

/** Audits the database at DATABASE_URL, or the running database of DATA_DIR; exit code 1 on any fault. */
export const run: RunCommand = async (terminal, parameters) => {
  const { values } = parse({ args: [...parameters], options: { 'since-seal': { type: 'boolean' } } })
  const { DATABASE_URL: url } = completeSettings(terminal.environment)
  const pool = connect(url, 1)
  try {
    const secrets = readConfiguredKeyRing(terminal)
    const report = values['since-seal'] ? await auditNew(pool, secrets, terminal.warn) : await audit(pool, secrets)
    terminal.print(formatReport(report, secrets && deriveSecretId(secrets)))
    await recordAudit(pool, report, terminal.warn)
    return report.checks.every(({ ok }) => ok) ? 0 : 1
  } finally {
    await pool.end()
  }
}
