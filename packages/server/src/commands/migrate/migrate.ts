import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { addCurrencies } from '@tern/ledger/currencies'
import { readSqlState } from '@tern/ledger/ledger'
import pg from 'pg'
import { readMigrationSettings } from '../../platform/runtime/config.ts'
import { ConfigError } from '../../platform/runtime/settings.ts'
import { onlyRow } from '../../platform/database/db.ts'
import { findMissingRight, grantRights } from './grants.ts'
import { parse, type RunCommand } from '../terminal.ts'
import { adoptCluster, isRestoredDatabase } from './new-cluster.ts'
import { listBaseline, listMigrations, type Migration, migrationsFolder, type SchemaFile } from './schema-files.ts'

const migrationLock = 7_316_021
const lockRetryMs = 100
/** Shorter than PostgreSQL's deadlock_timeout, so that of two that block each other it is the migration that gives way. */
const lockTimeoutMs = 500
const lockPauseMs = 1000
const maxLockWaitMs = 3_600_000
/** SQLSTATE of a lock timeout and of a deadlock. */
const lockStates: ReadonlySet<string> = new Set(['55P03', '40P01'])
const remedy = 'run `npx tern migrate` as the owner of the schema'

interface AppliedMigration {
  readonly name: string
  readonly checksum: string
  readonly compatible: boolean
}

interface MigrateOptions {
  /** Role of app and worker to grant rights to. */
  readonly applicationRole?: string | undefined
  /** Folder of the migrations; this program's by default. */
  readonly folder?: string | undefined
}

/**
 * Creates the schema in an empty database, or applies the missing migrations, and returns the names of the applied
 * files. Safe to run concurrently, by an advisory lock. The baseline is one transaction, and each migration has its own
 * unless it declares that it runs outside one; all are recorded with their checksums. A database migrated by a newer
 * version keeps its schema and rights if all migrations unknown here are compatible. Throws ConfigError for an unknown
 * breaking migration, a file changed since it was applied, a database from before version 0.1.0, or rights that cannot
 * be granted.
 */
export async function migrate(
  url: string,
  { applicationRole, folder = migrationsFolder }: MigrateOptions = {},
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'tern migrate' })
  await client.connect()
  try {
    await lockSchema(client)
    await client.query(
      `create table if not exists schema_migration (
         name text primary key,
         applied_at timestamptz not null default now(),
         checksum text not null,
         compatible boolean not null
       )`,
    )
    const { baseline, migrations, isNewer } = await readPending(client, folder)
    await applyBaseline(client, baseline)
    for (const migration of migrations) await applyMigration(client, migration)
    await addCurrencies(client)
    await adoptCluster(client)
    await makeQueue(client, url)
    if (applicationRole !== undefined && !isNewer) await grantRights(client, applicationRole)
    return [...baseline, ...migrations].map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** Polls for the lock: a blocked session would hold a snapshot, for which a concurrent index build waits. */
async function lockSchema(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      migrationLock,
    ])
    if (onlyRow(rows).locked) return
    await delay(lockRetryMs)
  }
}

async function applyBaseline(client: pg.Client, files: readonly SchemaFile[]): Promise<void> {
  if (files.length === 0) return
  await client.query('begin')
  // Function bodies refer to tables of later files.
  await client.query('set local check_function_bodies = off')
  for (const file of files) {
    await client.query(file.sql)
    await record(client, file, true)
  }
  await client.query('commit')
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { isCompatible, indexStatements } = migration
  if (indexStatements === undefined) {
    await applyBetweenOthers(client, migration)
    return
  }
  for (const statement of indexStatements) {
    if (await isInvalid(client, statement.index)) await client.query(`drop index concurrently ${statement.index}`)
    await client.query(statement.sql)
  }
  await record(client, migration, isCompatible)
}

/**
 * Applies a migration in one transaction. While it waits for a table, all later users of the table wait behind it, so it
 * gives way after a moment and tries again, until longer transactions such as a backup have ended.
 */
async function applyBetweenOthers(client: pg.Client, migration: Migration): Promise<void> {
  for (const end = Date.now() + maxLockWaitMs; ; await delay(lockPauseMs)) {
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
      await client.query(migration.sql)
      await record(client, migration, migration.isCompatible)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback').catch(() => {})
      if (!lockStates.has(readSqlState(error) ?? '') || Date.now() > end) throw error
    }
  }
}

/** Returns whether a failed concurrent build has left this index behind. */
async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  return rowCount === 1
}

async function record(client: pg.Client, { name, checksum }: SchemaFile, isCompatible: boolean): Promise<void> {
  await client.query('insert into schema_migration (name, checksum, compatible) values ($1, $2, $3)', [
    name,
    checksum,
    isCompatible,
  ])
}

/**
 * Prepares the database at `url` for an app or worker. A role that owns the schema, or may create one, migrates; other
 * roles only check. Returns the kind of role. Throws ConfigError like `migrate`, and for an outdated schema or missing
 * rights.
 */
export async function prepareSchema(url: string, folder: string = migrationsFolder): Promise<'owner' | 'application'> {
  const client = new pg.Client({ connectionString: url, application_name: 'tern start' })
  await client.connect()
  try {
    if (!(await isOwner(client))) {
      await requireCurrentSchema(client, folder)
      return 'application'
    }
  } finally {
    await client.end()
  }
  await migrate(url, { folder })
  return 'owner'
}

async function isOwner(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ owns: boolean }>(
    `select coalesce(
       (select pg_has_role(c.relowner, 'usage') from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'public' and c.relname = 'schema_migration'),
       has_database_privilege(current_database(), 'create')) as owns`,
  )
  return onlyRow(rows).owns
}

/** Throws ConfigError unless the schema is current and the role of this connection may read it. Changes nothing. */
export async function requireCurrentSchema(client: pg.ClientBase, folder: string = migrationsFolder): Promise<void> {
  const { rows } = await client.query<{ exists: boolean; user: string }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relname = 'schema_migration' and has_table_privilege(c.oid, 'select')) as exists,
       current_user as user`,
  )
  const { exists, user } = onlyRow(rows)
  if (!exists) throw new ConfigError(`The role "${user}" finds no schema that it may use: ${remedy}.`)
  const { baseline, migrations } = await readPending(client, folder)
  const [first, ...laterFiles] = [...baseline, ...migrations]
  if (first) {
    const rest = laterFiles.length === 0 ? '' : ` and ${laterFiles.length} more`
    throw new ConfigError(`The database lacks ${first.name}${rest}: ${remedy}.`)
  }
  if (await isRestoredDatabase(client)) {
    throw new ConfigError(`The database was restored into another cluster: ${remedy}.`)
  }
  const table = await findMissingRight(client)
  if (table !== undefined || (await isQueueBehind(client))) {
    const problem = table === undefined ? 'finds an older job queue' : `may not read the table ${table}`
    throw new ConfigError(`The role "${user}" ${problem}: ${remedy}, with APPLICATION_ROLE=${user}.`)
  }
}

interface PendingMigrations {
  readonly baseline: readonly SchemaFile[]
  readonly migrations: readonly Migration[]
  /** True if a newer version has migrated this database. */
  readonly isNewer: boolean
}

/** Returns the files still to apply. Throws ConfigError when this program cannot use the database. */
async function readPending(client: pg.ClientBase, folder: string): Promise<PendingMigrations> {
  const baseline = await listBaseline()
  const migrations = await listMigrations(folder)
  const checksumByName = new Map([...baseline, ...migrations].map(({ name, checksum }) => [name, checksum]))
  const applied = await readApplied(client)
  const unknown = applied.filter(({ name }) => !checksumByName.has(name))
  const breaking = unknown.findLast(({ compatible }) => !compatible)
  if (breaking) {
    throw new ConfigError(
      `The database is newer than this program, which cannot run with its migration ${breaking.name}; use the version that made it.`,
    )
  }
  const changed = applied.find(
    ({ name, checksum }) => checksumByName.has(name) && checksumByName.get(name) !== checksum,
  )
  if (changed) {
    throw new ConfigError(
      `The schema file ${changed.name} was changed after it had been applied to this database; put the file back as it was.`,
    )
  }
  const names = new Set(applied.map(({ name }) => name))
  return {
    baseline: baseline.filter(({ name }) => !names.has(name)),
    migrations: migrations.filter(({ name }) => !names.has(name)),
    isNewer: unknown.length > 0,
  }
}

async function readApplied(client: pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows: columns } = await client.query(
    `select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'compatible'`,
  )
  if (columns.length === 0) {
    throw new ConfigError(
      'The database is from before version 0.1.0; move its data to a new one, see "Moving from before 0.1.0" in docs/operating.md.',
    )
  }
  const { rows } = await client.query<AppliedMigration>(
    'select name, checksum, compatible from schema_migration order by applied_at, name',
  )
  return rows
}

/** Returns whether the job queue's tables are missing or outdated. */
async function isQueueBehind(client: pg.ClientBase): Promise<boolean> {
  const { rows: tableRows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'graphile_worker' and c.relname = 'migrations' and has_table_privilege(c.oid, 'select')) as exists`,
  )
  if (!onlyRow(tableRows).exists) return true
  const { rows } = await client.query<{ newest: number | null }>(
    'select max(id) as newest from graphile_worker.migrations',
  )
  const library = path.dirname(createRequire(import.meta.url).resolve('graphile-worker'))
  const files = await readdir(path.join(library, '..', 'sql'))
  // not money: numbers of the library's own migrations
  return (onlyRow(rows).newest ?? 0) < Math.max(...files.map((name) => Number(name.slice(0, 6))))
}

/**
 * Creates or updates the job queue's tables, so that jobs can be added before a worker runs. Skipped when they are
 * current, because the library loads slowly.
 */
async function makeQueue(client: pg.Client, url: string): Promise<void> {
  if (!(await isQueueBehind(client))) return
  const { Logger, runMigrations } = await import('graphile-worker')
  await runMigrations({ connectionString: url, noHandleSignals: true, logger: new Logger(() => () => {}) })
}

export const run: RunCommand = async ({ environment, print }, parameters) => {
  parse({ args: [...parameters] })
  const { ownerUrl, applicationRole } = readMigrationSettings(environment)
  const applied = await migrate(ownerUrl, { applicationRole })
  for (const name of applied) print(`Applied ${name}.`)
  print('The schema is current.')
  print(
    applicationRole === undefined
      ? 'No rights were granted: APPLICATION_ROLE is not set.'
      : `The role ${applicationRole} has the rights of the application.`,
  )
  return 0
}
