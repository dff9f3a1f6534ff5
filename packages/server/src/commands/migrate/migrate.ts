// Brings a database to the newest schema, or tells whether it has it. `npm run migrate` does so as the owner of the schema.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { addCurrencies } from '@tern/ledger/currencies'
import { ledgerMigrations } from '@tern/ledger/migrations'
import pg from 'pg'
import { ConfigError, readMigrationSettings } from '../../platform/runtime/config.ts'
import { only } from '../../platform/database/db.ts'
import { findMissingRight, grantRights } from './grants.ts'
import { adoptCluster, isOfOtherCluster } from './new-cluster.ts'

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
  /** Null in rows that were written before checksums were kept. */
  readonly checksum: string | null
}

/** Every migration of this program in the order in which they are applied. */
export async function listMigrations(): Promise<MigrationFile[]> {
  const own = (await readdir(serverMigrations)).filter((name) => /^\d{3}-.*\.sql$/.test(name)).toSorted()
  const files = [
    ...ledgerMigrations.map((url) => ({ name: `ledger/${path.posix.basename(url.pathname)}`, url })),
    ...own.map((name) => ({ name, url: new URL(name, serverMigrations) })),
  ]
  return Promise.all(
    files.map(async ({ name, url }) => {
      // A checkout may have written the ends of lines in another way.
      const sql = (await readFile(url, 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Brings the database at `url` to the newest schema and gives the names of the migrations that were applied now. With
 * `applicationRole` that role is given the rights of the application, and no others. Any number of processes may call it
 * at once: an advisory lock lets one work while the others wait. Each file runs in a transaction of its own and is recorded
 * with its name and checksum. Throws ConfigError when the database is newer than this program, when a file was changed
 * after it had been applied, or when the role cannot be granted its rights.
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
 * Makes the database at `url` ready for an app or a worker that starts. A role that owns the schema, or may make one in
 * an empty database, migrates it; any other role only looks. Gives which of the two it was. Throws ConfigError when
 * `migrate` would, and when the schema is older than this program or the role lacks rights.
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
  // By way of JSON, since the column is missing from databases made before checksums were kept.
  const { rows } = await client.query<Applied>(
    `select name, to_jsonb(m) ->> 'checksum' as checksum from schema_migration m order by applied_at, name`,
  )
  return rows
}

/** The files that are still to be applied. Throws ConfigError where the database and the files contradict each other. */
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

/** True when the tables of the job queue are missing or older than the library. */
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
 * Brings the tables of the job queue up to date, so that a job can be written down before any worker has run and the
 * worker's own role need not. The library takes a while to load, so that is done only when there is something to do.
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

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 78
  }
}
