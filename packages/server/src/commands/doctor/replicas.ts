// The replicas that answer reads: each address must lead to one standby of this database, which keeps up with it.

import { setTimeout as delay } from 'node:timers/promises'
import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import type pg from 'pg'
import { describeError } from '../../platform/database/database-errors.ts'
import { connect } from '../../platform/database/db.ts'
import {
  contains,
  readDatabaseIdentity,
  readPrimaryPosition,
  readStanding,
} from '../../platform/database/replicas/log-position.ts'
import { readRun } from '../../platform/database/replicas/replica-pool.ts'
import { longestWaitMs } from '../../platform/database/replicas/replica-session.ts'
import { nameServer } from '../../platform/database/replicas/replica.ts'
import { findMissingRight } from '../migrate/grants.ts'
import type { Check, DoctorContext } from './check.ts'
import { checkApplicationRole } from './roles.ts'

const connections = 3
const connectMs = 5000
const statementMs = 5000
/** A replica that shows a position later than this has stopped replaying. */
const longestLagMs = 4000
const attempts = 5
const pollMs = 10

async function checkReplicas(ctx: DoctorContext): Promise<readonly SetupFinding[]> {
  const { replicaUrls } = ctx.config
  if (replicaUrls.length === 0) return [ok('No replica is configured: the primary answers every read.')]
  return Promise.all(replicaUrls.map((url) => checkReplica(ctx, url)))
}

async function checkReplica(ctx: DoctorContext, url: string): Promise<SetupFinding> {
  const tried = `Compares the replica ${nameServer(url)} with the primary.`
  const replica = connect(url, connections, { readOnlyForMs: statementMs, connectMs })
  try {
    const client = await replica.connect().catch((error: unknown) => describeError(error))
    if (typeof client === 'string') {
      const todo = 'Start it, or correct REPLICA_DATABASE_URL: until then the primary answers every read.'
      return fault(`It does not let us in (${client}).`, todo, tried)
    }
    client.release()
    return { ...(await judgeReplica(ctx, replica)), tried }
  } finally {
    // The end of a silent connection may never be confirmed.
    void replica.end()
  }
}

async function judgeReplica(ctx: DoctorContext, replica: pg.Pool): Promise<SetupFinding> {
  if ((await readDatabaseIdentity(replica)) !== (await readDatabaseIdentity(ctx.db))) {
    const todo = 'Set REPLICA_DATABASE_URL to a standby of the server and database in DATABASE_URL.'
    return fault('It is a copy of another database, or has another system identifier.', todo)
  }
  const { isStandby } = await readStanding(replica)
  if (!isStandby) {
    const todo = 'Set REPLICA_DATABASE_URL to a standby; after a failover, to one of the new primary.'
    return fault('It is not in recovery: it is a primary.', todo)
  }
  const roleFault = await findRoleFault(ctx, replica)
  if (roleFault) return roleFault
  if (!(await isOneServer(replica))) {
    const todo = 'Name each server, or let the balancer keep a caller with one: the primary answers refused reads.'
    return warning('The address leads to several servers; reads use only connections to the first.', todo)
  }
  return judgeLag(ctx.db, replica)
}

/** A standby has the roles and rights of its primary, so a fault is in the address or not yet replayed. */
async function findRoleFault({ config }: DoctorContext, replica: pg.Pool): Promise<SetupFinding | undefined> {
  const client = await replica.connect()
  try {
    const table = await findMissingRight(client)
    const todo = 'Use the role of DATABASE_URL in REPLICA_DATABASE_URL.'
    if (table !== undefined) return fault(`Its role may not read the table ${table}.`, todo)
  } finally {
    client.release()
  }
  const findings = await checkApplicationRole({ db: replica, config })
  return findings.find(({ verdict }) => verdict !== 'ok')
}

async function isOneServer(replica: pg.Pool): Promise<boolean> {
  const clients = await Promise.all(Array.from({ length: connections }, () => replica.connect()))
  try {
    const runs = await Promise.all(clients.map(readRun))
    return new Set(runs).size === 1
  } finally {
    for (const client of clients) client.release()
  }
}

/** Measures several times, because a busy machine delays single measurements. */
async function judgeLag(primary: pg.Pool, replica: pg.Pool): Promise<SetupFinding> {
  let shortestMs = Infinity
  for (let attempt = 0; attempt < attempts && shortestMs > longestWaitMs; attempt += 1) {
    const lagMs = await measureLag(primary, replica)
    if (typeof lagMs !== 'number') return lagMs
    shortestMs = Math.min(shortestMs, lagMs)
  }
  if (shortestMs <= longestWaitMs) {
    return ok(`It is a standby of the primary, and shows a commit within ${longestWaitMs} ms.`)
  }
  const todo = 'Look at its load and network: reads use it only while it needs less.'
  const lagMs = Math.round(shortestMs) // not money: milliseconds
  return warning(`It takes ${lagMs} ms to show a commit, more than ${longestWaitMs}.`, todo)
}

/** Returns the time after which the replica shows the position of the primary, or the fault that it never does. */
async function measureLag(primary: pg.Pool, replica: pg.Pool): Promise<number | SetupFinding> {
  const position = await readPrimaryPosition(primary)
  const start = performance.now()
  for (;;) {
    const standing = await readStanding(replica)
    const elapsed = performance.now() - start
    if (contains(standing, position)) return elapsed
    if (elapsed > longestLagMs) {
      if (standing.timeline === position.timeline) {
        const todo = 'Look at its log and at pg_is_wal_replay_paused(): until then the primary answers every read.'
        return fault(`It has not shown a commit of the primary after ${longestLagMs / 1000} s.`, todo)
      }
      const todo = 'Wait for its next restart point (checkpoint_timeout), or grant pg_read_all_stats to the role.'
      return warning(`It is of timeline ${standing.timeline}, the primary of ${position.timeline}.`, todo)
    }
    await delay(pollMs)
  }
}

export const replicaChecks: readonly Check[] = [
  { name: 'database.replicas', tried: 'Compares the replicas in REPLICA_DATABASE_URL.', run: checkReplicas },
]
