import os from 'node:os'
import type pg from 'pg'
import { connect, transact } from '../../platform/database/db.ts'
import { retainOldKeys } from '../../platform/keys/retained-keys.ts'
import { readConfig } from '../../platform/runtime/config.ts'
import { rowSealKeys } from '../../platform/row-seals.ts'
import { createSeal, currentPrefix, deriveKeyId, toRing, type Seal, type Secret } from '../../platform/seal.ts'
import { parse, type RunCommand, UsageError } from '../terminal.ts'
import { completeSettings } from '../with-product.ts'
import { type Acceptance, acceptRow } from './accept-row.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

export interface ResealReport {
  readonly resealed: number
  /** Values left under an older secret because other transactions had locked them. */
  readonly left: number
  /** Damaged values and those under a secret that is not configured: `table.column` and the row's key. */
  readonly unreadable: readonly string[]
}

const batchSize = 200
const maxPasses = 5

/**
 * Reseals every value that is not under the ring's first secret, in batches of one transaction each. The rows
 * themselves show the progress, so it can be stopped, repeated, or run twice at once, while the product runs.
 */
export async function resealAll(pool: pg.Pool, secret: Secret): Promise<ResealReport> {
  await retainOldKeys(pool, secret)
  let resealed = 0
  const unreadable: string[] = []
  const prefix = currentPrefix(secret)
  for (const column of sealedColumns) {
    const seal = createSeal(secret, column.purpose)
    const skipped = new Set<string>()
    for (let pass = 0; pass < maxPasses && (await countOld(pool, column, prefix)) > skipped.size; pass += 1) {
      resealed += await resealColumn(pool, column, { seal, prefix, skipped })
    }
    unreadable.push(...[...skipped].map((key) => `${column.table}.${column.column} ${key}`))
  }
  const skippedCount = unreadable.length
  resealed += await signRowSeals(pool, secret)
  unreadable.push(...(await readForeignSeals(pool, secret)))
  const counts = await Promise.all(sealedColumns.map((column) => countOld(pool, column, prefix)))
  const remaining = counts.reduce((sum, count) => sum + count, 0) - skippedCount
  return { resealed, left: remaining, unreadable }
}

/**
 * Signs row seals under the first secret if an older secret signed them or an upgrade left them unsigned. Returns the
 * count.
 */
async function signRowSeals(pool: pg.Pool, secret: Secret): Promise<number> {
  const [current, ...old] = rowSealKeys(secret)
  let signedCount = 0
  for (const before of [...old, null]) {
    const { rows } = await pool.query<{ count: bigint }>('select sign_rows($1, $2) as count', [before, current])
    signedCount += Number(rows[0]?.count ?? 0n) // not money: a count of rows
  }
  return signedCount
}

/** Returns the row seals still under another secret after `signRowSeals`: forged, or of a secret not configured. */
async function readForeignSeals(pool: pg.Pool, secret: Secret): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select concat_ws(' ', 'row_seal', relation, row_key) as name from row_seal where key_id <> $1 order by 1`,
    [deriveKeyId(toRing(secret)[0]).toString('hex')],
  )
  return rows.map(({ name }) => name)
}

interface Work {
  readonly seal: Seal
  readonly prefix: Buffer
  /** Keys of rows that could not be opened. */
  readonly skipped: Set<string>
}

const isOld = ({ column }: SealedColumn): string => `${column} is not null and substring(${column} from 1 for 5) <> $1`

async function countOld(pool: pg.Pool, column: SealedColumn, prefix: Buffer): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    `select count(*) as count from ${column.table} where ${isOld(column)}`,
    [prefix],
  )
  return Number(rows[0]?.count ?? 0n) // not money: a count of rows
}

/** Reseals one column in the order of its key, skipping rows locked by other transactions. */
async function resealColumn(pool: pg.Pool, column: SealedColumn, work: Work): Promise<number> {
  let resealed = 0
  for (let after: unknown = null; ;) {
    const batch = await resealBatch(pool, column, { ...work, after })
    resealed += batch.resealed
    if (batch.last === undefined) return resealed
    after = batch.last
  }
}

const resealBatch = (
  pool: pg.Pool,
  column: SealedColumn,
  { seal, prefix, skipped, after }: Work & { after: unknown },
): Promise<{ resealed: number; last: unknown }> =>
  transact(pool, async (tx) => {
    const { table, key, keyType, context, rehash } = column
    const { rows } = await tx.query<{ key: unknown; name: string; context: string; sealed: Buffer }>(
      `select ${key} as key, (${key})::text as name, ${context} as context, ${column.column} as sealed from ${table}
        where ${isOld(column)} and ($2::${keyType} is null or ${key} > $2::${keyType})
        order by ${key} limit ${batchSize} for update skip locked`,
      [prefix, after],
    )
    let resealed = 0
    for (const row of rows) {
      const content = tryOpen(seal, row)
      if (content === undefined) {
        skipped.add(row.name)
        continue
      }
      await tx.query(`update ${table} set ${column.column} = $2 where ${key} = $1::${keyType}`, [
        row.key,
        seal.seal(content, row.context),
      ])
      await rehash?.(tx, seal, { key: row.key, text: content.toString() })
      resealed += 1
    }
    return { resealed, last: rows.at(-1)?.key }
  })

/** Returns the decrypted content; undefined if no configured secret opens it. */
function tryOpen(seal: Seal, { sealed, context }: { sealed: Buffer; context: string }): Buffer | undefined {
  try {
    return seal.openBytes(sealed, context)
  } catch {
    return undefined
  }
}

const maxShownUnreadable = 10

function reportText({ resealed, left, unreadable }: ResealReport): string {
  const lines = [`${resealed} values were sealed again under TERN_SECRET.`]
  if (unreadable.length > 0) {
    const sample = unreadable.slice(0, maxShownUnreadable).join('\n  ')
    const ellipsis = unreadable.length > maxShownUnreadable ? '\n  …' : ''
    lines.push(`${unreadable.length} open with no configured secret; give the one that sealed them as TERN_OLD_SECRET:`)
    lines.push(`  ${sample}${ellipsis}`)
  }
  if (left > 0) lines.push(`${left} were in use and are still under an older secret. Run this again.`)
  if (left === 0 && unreadable.length === 0) {
    lines.push('Nothing is under an older secret: remove TERN_OLD_SECRET and restart app and worker.')
  }
  return lines.join('\n')
}

/** Parses the parameters: reseal everything, or accept a row. Throws UsageError. */
function readOrder(parameters: readonly string[]): Acceptance | 'reseal' {
  if (parameters.length === 0) return 'reseal'
  const text = { type: 'string' } as const
  const { values } = parse({ args: [...parameters], options: { accept: text, because: text, by: text } })
  const { accept: row, because = '', by = os.userInfo().username } = values
  if (row === undefined || because.trim() === '' || by.trim() === '') throw new UsageError()
  return { row, by, because }
}

async function resealOrAccept(pool: pg.Pool, secret: Secret, order: Acceptance | 'reseal'): Promise<[string, number]> {
  if (order !== 'reseal') {
    const { done, text } = await acceptRow(pool, order)
    return [text, done ? 0 : 1]
  }
  const report = await resealAll(pool, secret)
  return [reportText(report), report.left === 0 && report.unreadable.length === 0 ? 0 : 1]
}

/**
 * Reseals stored values, or accepts a row. Exit code 1 if values remain under an older secret or cannot be read, or if
 * the row is not accepted.
 */
export const run: RunCommand = async ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  const settings = completeSettings(environment)
  const { secret } = readConfig(settings)
  const [sealKey] = rowSealKeys(secret)
  const pool = connect(settings.DATABASE_URL, 1, { sealKey })
  try {
    const [text, code] = await resealOrAccept(pool, secret, order)
    print(text)
    return code
  } finally {
    await pool.end()
  }
}
