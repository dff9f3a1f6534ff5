// Migrates a database, or checks that it is current.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { addCurrencies } from '@tern/ledger/currencies'
import { ledgerMigrations } from '@tern/ledger/migrations'
import pg from 'pg'
import { readMigrationSettings } from '../../platform/runtime/config.ts'
import { ConfigError } from '../../platform/runtime/config-values.ts'
import { only } from '../../platform/database/db.ts'
import { findMissingRight, grantRights } from './grants.ts'
import { adoptCluster, isOfOtherCluster } from './new-cluster.ts'
import { isMain } from '../../platform/runtime/is-main.ts'

const serverMigrations = new URL('../../../sql/', import.meta.url)
const migrationLock = 7_316_021
const remedy = 'run `npm run migrate` as the owner of the schema'

interface MigrationFile {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the text, in hexadecimal. */
  readonly checksum: string
}

interface Applied {
  readonly name: string
  /** Null for rows older than checksums. */
  readonly checksum: string | null
}

/** All migrations, in order. */
export async function listMigrations(): Promise<MigrationFile[]> {
  const own = (await readdir(serverMigrations)).filter((name) => /^\d{3}-.*\.sql$/.test(name)).toSorted()
  const files = [
    ...ledgerMigrations.map((url) => ({ name: `ledger/${path.posix.basename(url.pathname)}`, url })),
    ...own.map((name) => ({ name, url: new URL(name, serverMigrations) })),
  ]
  return Promise.all(
    files.map(async ({ name, url }) => {
      // A checkout may use other line endings.
      const sql = (await readFile(url, 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Migrates the database at `url` and returns the newly applied migrations. Grants `applicationRole`, if given, exactly
 * its rights. Safe to run concurrently, by an advisory lock. Each file has its own transaction and is recorded with its
 * checksum. Throws ConfigError when the database is newer than this program, an applied file was changed, or rights
 * cannot be granted.
 */
export async function migrate(url: string, options: { applicationRole?: string | undefined } = {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'tern migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(
      `create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now())`,
    )
    const files = await listMigrations()
    const pending = pendingOf(files, await readApplied(client))
    await client.query('alter table schema_migration add column if not exists checksum text')
    for (const { name, sql, checksum } of pending) {
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [name, checksum])
      await client.query('commit')
    }
    await client.query(
      `update schema_migration as m set checksum = f.checksum from unnest($1::text[], $2::text[]) as f (name, checksum)
        where m.name = f.name and m.checksum is null`,
      [files.map(({ name }) => name), files.map(({ checksum }) => checksum)],
    )
    await addCurrencies(client)
    await adoptCluster(client)
    await makeQueue(client, url)
    if (options.applicationRole !== undefined) await grantRights(client, options.applicationRole)
    return pending.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/**
 * Prepares the database at `url` for an app or worker. A role that owns the schema, or may create one, migrates; others
 * only check. Returns which. Throws ConfigError as `migrate` does, and for an outdated schema or missing rights.
 */
export async function prepareSchema(url: string): Promise<'owner' | 'application'> {
  const client = new pg.Client({ connectionString: url, application_name: 'tern start' })
  await client.connect()
  try {
    if (!(await isOwner(client))) {
      await assertCurrent(client)
      return 'application'
    }
  } finally {
    await client.end()
  }
  await migrate(url)
  return 'owner'
}

async function isOwner(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ owns: boolean }>(
    `select coalesce(
       (select pg_has_role(c.relowner, 'usage') from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'public' and c.relname = 'schema_migration'),
       has_database_privilege(current_database(), 'create')) as owns`,
  )
  return only(rows).owns
}

async function assertCurrent(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean; user: string }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relname = 'schema_migration' and has_table_privilege(c.oid, 'select')) as exists,
       current_user as user`,
  )
  const { exists, user } = only(rows)
  if (!exists) throw new ConfigError(`The role "${user}" finds no schema that it may use: ${remedy}.`)
  const [first, ...others] = pendingOf(await listMigrations(), await readApplied(client))
  if (first) {
    const rest = others.length === 0 ? '' : ` and ${others.length} more`
    throw new ConfigError(`The database lacks the migration ${first.name}${rest}: ${remedy}.`)
  }
  if (await isOfOtherCluster(client)) {
    throw new ConfigError(`The database was restored into another cluster: ${remedy}.`)
  }
  const table = await findMissingRight(client)
  if (table !== undefined || (await isQueueBehind(client))) {
    const lack = table === undefined ? 'finds an older job queue' : `may not read the table ${table}`
    throw new ConfigError(`The role "${user}" ${lack}: ${remedy}, with APPLICATION_ROLE=${user}.`)
  }
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  // Through JSON, since databases older than checksums lack the column.
  const { rows } = await client.query<Applied>(
    `select name, to_jsonb(m) ->> 'checksum' as checksum from schema_migration m order by applied_at, name`,
  )
  return rows
}

/** The migrations still to apply. Throws ConfigError when database and files conflict. */
function pendingOf(files: readonly MigrationFile[], applied: readonly Applied[]): MigrationFile[] {
  const known = new Map(files.map((file) => [file.name, file]))
  const unknown = applied.filter(({ name }) => !known.has(name))
  const newest = unknown.at(-1)
  if (newest) {
    throw new ConfigError(
      `The database is newer than this program, which does not know the migration ${newest.name}; use the version that made it.`,
    )
  }
  const changed = applied.find(({ name, checksum }) => checksum !== null && checksum !== known.get(name)?.checksum)
  if (changed) {
    throw new ConfigError(
      `The migration ${changed.name} was changed after it had been applied to this database; put the file back as it was.`,
    )
  }
  const done = new Set(applied.map(({ name }) => name))
  return files.filter(({ name }) => !done.has(name))
}

/** Whether the job queue's tables are missing or outdated. */
async function isQueueBehind(client: pg.Client): Promise<boolean> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'graphile_worker' and c.relname = 'migrations' and has_table_privilege(c.oid, 'select')) as exists`,
  )
  if (!only(found).exists) return true
  const { rows } = await client.query<{ newest: number | null }>(
    'select max(id) as newest from graphile_worker.migrations',
  )
  const library = path.dirname(createRequire(import.meta.url).resolve('graphile-worker'))
  const files = await readdir(path.join(library, '..', 'sql'))
  // not money: numbers of the library's own migrations
  return (only(rows).newest ?? 0) < Math.max(...files.map((name) => Number(name.slice(0, 6))))
}

/**
 * Creates or updates the job queue's tables, so that jobs can be added before a worker runs. Skipped when current,
 * because the library loads slowly.
 */
async function makeQueue(client: pg.Client, url: string): Promise<void> {
  if (!(await isQueueBehind(client))) return
  const { Logger, runMigrations } = await import('graphile-worker')
  await runMigrations({ connectionString: url, noHandleSignals: true, logger: new Logger(() => () => {}) })
}

async function main(): Promise<void> {
  const { ownerUrl, applicationRole } = readMigrationSettings(process.env)
  const applied = await migrate(ownerUrl, { applicationRole })
  for (const name of applied) process.stdout.write(`Applied ${name}.\n`)
  process.stdout.write('The schema is current.\n')
  process.stdout.write(
    applicationRole === undefined
      ? 'No rights were granted: APPLICATION_ROLE is not set.\n'
      : `The role ${applicationRole} has the rights of the application.\n`,
  )
}

if (isMain(import.meta)) {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 78
  }
}
