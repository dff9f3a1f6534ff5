// The database: version, schema, settings, connections, replication, archive of the log.

import { fault, notChecked, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { describeError } from '../../platform/database/database-errors.ts'
import { onlyRow } from '../../platform/database/db.ts'
import { ConfigError } from '../../platform/runtime/settings.ts'
import { requireCurrentSchema } from '../migrate/migrate.ts'
import type { Check, DoctorContext } from './check.ts'

const oldestVersion = 150_000

async function checkVersion({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  try {
    const { rows } = await db.query<{ number: number; version: string; standby: boolean }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
          pg_is_in_recovery() as standby`,
    )
    const { number, version, standby } = onlyRow(rows)
    if (number < oldestVersion) return [fault(`It is PostgreSQL ${version}.`, 'Use PostgreSQL 15 or newer.')]
    if (standby) return [fault('It is a standby, which accepts no writes.', 'Set DATABASE_URL to the primary.')]
    return [ok(`It is PostgreSQL ${version}.`)]
  } catch (error) {
    const todo = 'Correct DATABASE_URL, or start the database and let this machine reach it.'
    return [fault(`The database does not let us in (${describeError(error)}).`, todo)]
  }
}

async function checkSchema({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const client = await db.connect()
  try {
    await requireCurrentSchema(client)
    return [ok('Every migration of this version is applied, and the role may read every table.')]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fault(error.message, 'Do what the sentence says, before you start app and worker.')]
  } finally {
    client.release()
  }
}

export interface DatabaseSettings {
  readonly synchronousCommit: string
  readonly fsync: string
  readonly fullPageWrites: string
  readonly encoding: string
  readonly timeZone: string
}

/** Settings on which the promise rests that an acknowledged movement is on disk. */
export function judgeSettings(settings: DatabaseSettings): SetupFinding[] {
  const { synchronousCommit, fsync, fullPageWrites, encoding, timeZone } = settings
  const findings: SetupFinding[] = []
  if (synchronousCommit === 'off') {
    const todo = 'Remove the setting from server, database and role: a crash would lose acknowledged movements.'
    findings.push(fault('synchronous_commit is off.', todo))
  }
  for (const [name, value] of Object.entries({ fsync, full_page_writes: fullPageWrites })) {
    if (value !== 'on') findings.push(fault(`${name} is ${value}.`, 'Switch it on: a crash would damage the database.'))
  }
  if (encoding !== 'UTF8') {
    findings.push(fault(`The encoding is ${encoding}.`, "Create the database with encoding 'UTF8', and migrate it."))
  }
  if (!/^(UTC|Etc\/UTC|GMT)$/i.test(timeZone)) {
    const todo = "Set timezone to 'UTC', so that logs and queries by hand show the days that the product counts by."
    findings.push(warning(`The time zone is ${timeZone}.`, todo))
  }
  return findings.length > 0
    ? findings
    : [ok(`synchronous_commit ${synchronousCommit}, fsync on, encoding ${encoding}, time zone ${timeZone}.`)]
}

async function checkSettings({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<DatabaseSettings>(
    `select current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync,
        current_setting('full_page_writes') as "fullPageWrites", current_setting('server_encoding') as encoding,
        current_setting('timezone') as "timeZone"`,
  )
  return judgeSettings(onlyRow(rows))
}

/** The schema uses nothing outside PostgreSQL's core; each further extension is code with the server's rights. */
async function checkExtensions({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<{ name: string }>(`select extname as name from pg_extension order by 1`)
  const names = rows.map(({ name }) => name)
  if (!names.includes('plpgsql')) {
    return [fault('plpgsql is missing, in which the functions are written.', 'Run `create extension plpgsql`.')]
  }
  return [ok(`${names.join(', ')}; the product needs only plpgsql.`)]
}

const nearlyFull = 80
const full = 95

export function judgeConnections({ used, most }: { readonly used: number; readonly most: number }): SetupFinding {
  const share = Math.floor((used * 100) / most) // not money: a share of connections
  const found = `${used} of ${most} connections are used.`
  const todo = 'Raise max_connections, or put pgbouncer in front: each process uses up to 20 connections.'
  if (share >= full) return fault(found, todo)
  return share >= nearlyFull ? warning(found, todo) : ok(found)
}

async function checkConnections({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<{ used: number; most: number }>(
    `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend' or backend_type is null) as used,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
  )
  return [judgeConnections(onlyRow(rows))]
}

export interface Standby {
  readonly name: string
  /** Null if the role may not see it. */
  readonly state: string | null
  readonly syncState: string | null
  readonly lagSeconds: number | null
}

const longestLagSeconds = 60

export function judgeReplication(wanted: string, standbys: readonly Standby[]): SetupFinding {
  const names = standbys.map(({ name }) => name).join(', ')
  const isSynchronous = wanted.trim() !== ''
  if (standbys.length === 0) {
    if (!isSynchronous) return ok('No standby is connected, and none is configured as synchronous.')
    const todo = 'Start a standby: until then no commit returns.'
    return fault(`synchronous_standby_names is "${wanted}", and no standby is connected.`, todo)
  }
  if (standbys.some(({ state }) => state === null)) {
    const todo = 'Grant pg_monitor to the owner, and set MIGRATION_DATABASE_URL for this command.'
    return notChecked(`${names} is connected; this role may not see its state.`, todo)
  }
  if (isSynchronous && !standbys.some(({ syncState }) => syncState === 'sync' || syncState === 'quorum')) {
    return fault(`${names} is connected, but none is synchronous.`, 'Let one catch up: until then no commit returns.')
  }
  const slow = standbys.find(({ state, lagSeconds }) => state !== 'streaming' || (lagSeconds ?? 0) > longestLagSeconds)
  if (slow) {
    const lag = slow.lagSeconds === null ? '' : `, ${slow.lagSeconds} s behind`
    return warning(`${slow.name} is in state ${slow.state}${lag}.`, 'Look at its log and its network.')
  }
  return ok(`${names} is streaming${isSynchronous ? ', and one is synchronous' : ''}.`)
}

async function checkReplication({ db, ownerDb }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await (ownerDb ?? db).query<Standby>(
    `select coalesce(nullif(application_name, ''), 'a standby') as name, state, sync_state as "syncState",
        extract(epoch from replay_lag)::float8 as "lagSeconds" from pg_stat_replication order by 1`,
  )
  const { rows: settings } = await db.query<{ wanted: string }>(
    `select current_setting('synchronous_standby_names') as wanted`,
  )
  return [judgeReplication(onlyRow(settings).wanted, rows)]
}

export interface Archiver {
  readonly mode: string
  readonly archivedAt: Date | null
  readonly failedAt: Date | null
  readonly now: Date
}

const longestArchiveMs = 26 * 3_600_000

/** The archive of the write-ahead log, with which a backup is restored to any moment. */
export function judgeArchiver({ mode, archivedAt, failedAt, now }: Archiver): SetupFinding {
  if (mode === 'off') {
    const todo = 'Set up archiving, such as with pgbackrest: otherwise a restore loses all since the last backup.'
    return warning('archive_mode is off: the write-ahead log is not archived.', todo)
  }
  if (failedAt && (!archivedAt || failedAt > archivedAt)) {
    const todo = "Read the server's log for the archive command's error: no backup covers what follows."
    return fault(`The archiver has failed since ${failedAt.toISOString()}.`, todo)
  }
  if (!archivedAt) return warning('Nothing has been archived yet.', 'Run `select pg_switch_wal()` and look again.')
  const found = `The last segment was archived at ${archivedAt.toISOString()}.`
  if (now.getTime() - archivedAt.getTime() <= longestArchiveMs) return ok(found)
  return warning(found, 'Set archive_timeout, so that the archive is never more than an hour behind.')
}

async function checkArchiver({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<Archiver>(
    `select current_setting('archive_mode') as mode, last_archived_time as "archivedAt", last_failed_time as "failedAt",
        now() as now from pg_stat_archiver`,
  )
  return [judgeArchiver(onlyRow(rows))]
}

export const databaseChecks: readonly Check[] = [
  { name: 'database.version', tried: 'Connects to DATABASE_URL and reads the version.', run: checkVersion },
  { name: 'database.schema', tried: "Compares the applied migrations with this program's.", run: checkSchema },
  { name: 'database.settings', tried: 'Reads the settings that keep commits safe.', run: checkSettings },
  { name: 'database.extensions', tried: 'Lists the extensions.', run: checkExtensions },
  { name: 'database.connections', tried: 'Counts the open connections.', run: checkConnections },
  { name: 'database.replication', tried: 'Lists the standbys.', run: checkReplication },
  { name: 'backups.archiver', tried: "Reads when the server's log was last archived.", run: checkArchiver },
]
