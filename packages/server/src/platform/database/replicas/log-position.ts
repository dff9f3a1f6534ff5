// Positions in PostgreSQL's write-ahead log. A standby that has replayed a position shows every earlier commit.

import { type Db, onlyRow } from '../db.ts'
import { createJointReads } from '../joint-reads.ts'

/** Positions of different timelines are not comparable. */
export interface LogPosition {
  /** Eight hexadecimal digits; changes with each promotion. */
  readonly timeline: string
  readonly lsn: bigint
}

/** State of a server that is read as a replica. */
export interface Standing extends LogPosition {
  /** False once the server has been promoted. */
  readonly isStandby: boolean
}

/** True if a server that has replayed `replayed` shows everything committed before `position`. */
export const contains = (replayed: LogPosition, position: LogPosition): boolean =>
  replayed.timeline === position.timeline && replayed.lsn >= position.lsn

async function queryPosition(db: Db): Promise<ReadonlyMap<'position', LogPosition>> {
  const { rows } = await db.query<LogPosition>({
    name: 'log_position',
    // A commit is visible only after its flush, unless commits do not wait for the disk.
    text: `select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline,
        pg_wal_lsn_diff(case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
          else pg_current_wal_flush_lsn() end, '0/0') as lsn`,
  })
  return new Map([['position', onlyRow(rows)]])
}

const readJointly = createJointReads(queryPosition)

/**
 * Returns a position of the primary behind every commit that is visible when this is called. Calls in one turn of the
 * event loop share a statement.
 */
export async function readPrimaryPosition(primary: Db): Promise<LogPosition> {
  const position = await readJointly(primary, 'position')
  if (position === undefined) throw new Error('the primary has no position')
  return position
}

/**
 * Reads a replica's state. The timeline is the one it receives, which only some roles may see, or else the one of its
 * last restart point, which may be older.
 */
export async function readStanding(replica: Db): Promise<Standing> {
  const { rows } = await replica.query<Standing>({
    name: 'replica_standing',
    text: `select pg_is_in_recovery() as "isStandby",
        coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0) as lsn,
        lpad(upper(to_hex(coalesce((select received_tli from pg_stat_wal_receiver),
          greatest(c.timeline_id, r.min_recovery_end_timeline)))), 8, '0') as timeline
       from pg_control_checkpoint() c, pg_control_recovery() r`,
  })
  return onlyRow(rows)
}

/** Reads what a primary and its standbys have in common, and no other server has. */
export async function readDatabaseIdentity(db: Db): Promise<string> {
  const { rows } = await db.query<{ identity: string }>(
    `select concat_ws(' ', system_identifier, oid) as identity
       from pg_control_system(), pg_database where datname = current_database()`,
  )
  return onlyRow(rows).identity
}
