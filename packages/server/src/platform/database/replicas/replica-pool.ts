// Connections to a replica that lead to one run of one server, however its address is resolved.

import type pg from 'pg'
import { trackClients } from '../database-watch.ts'
import { connect, type Db, onlyRow } from '../db.ts'

const maxConnections = 16
const connectMs = 2000
const statementMs = 5000

/** Reason why a replica is not read; the read goes to the primary. */
export class ReplicaFault extends Error {}

/** A server since its last start, and a position that it has replayed since then. */
export interface ServerRun {
  readonly run: string
  readonly lsn: bigint
}

/** Where a pool of a replica leads. */
export interface ReplicaSource extends ServerRun {
  readonly url: string
}

const sources = new WeakMap<Db, () => ReplicaSource>()

/** Returns where a connection's replica is; undefined for the primary. */
export const findReplicaSource = (db: Db): ReplicaSource | undefined => sources.get(db)?.()

/** True if reads through `db` may miss what was committed since the call began. They must not enter caches. */
export const isReplica = (db: Db): boolean => sources.has(db)

// The server that answers, until it restarts.
const runSql = `concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port())`

/** Returns which run of a server answers. */
export async function readRun(db: Db): Promise<string> {
  return onlyRow((await db.query<{ run: string }>(`select ${runSql} as run`)).rows).run
}

/**
 * Throws ReplicaFault unless the connection leads to this run, and it shows this position. Another server behind the
 * same address, or the same one after a crash, may have replayed less.
 */
async function requireRun(db: Db, { run, lsn }: ServerRun): Promise<void> {
  const { rows } = await db.query(
    `select where ${runSql} = $1 and pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') >= $2::numeric`,
    [run, String(lsn)],
  )
  if (rows.length === 0) throw new ReplicaFault('its server was replaced')
}

/** Connects to a replica; `findRun` is called whenever a connection opens. */
export function connectReplica(url: string, findRun: () => ServerRun) {
  const pool = connect(url, maxConnections, {
    readOnlyForMs: statementMs,
    connectMs,
    check: (client) => requireRun(client, findRun()),
  })
  const clients = trackClients(pool)
  sources.set(pool, () => ({ url, ...findRun() }))
  return {
    pool,
    /** Closes all connections, so that reads in progress fail at once. */
    destroy(): void {
      for (const client of clients) client.connection.stream.destroy()
      pool.end().catch(() => {})
    },
  }
}

/** Connection of a thread to the replica, for reads that take long. */
export const connectThread = (source: ReplicaSource): pg.Pool =>
  connect(source.url, 1, { check: (client) => requireRun(client, source) })
