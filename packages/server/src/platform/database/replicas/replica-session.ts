// State of one connection to a replica.

import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import {
  contains,
  type LogPosition,
  readDatabaseIdentity,
  readPrimaryPosition,
  readStanding,
  type Standing,
} from './log-position.ts'
import { connectReplica, readRun, ReplicaFault } from './replica-pool.ts'

/** A read waits at most this long for a replica; one that lags by more is not used. */
export const longestWaitMs = 250
/** A replica that takes longer for an answer is silent. */
export const answerMs = 1000
const measureMs = 250
const pollMs = 3
const slowPollMs = 50

interface Waiter {
  readonly position: LogPosition
  settle(isReached: boolean): void
}

/** Connection to one run of the replica's server. All connections of `pool` lead to the same run. */
export interface Session {
  readonly pool: pg.Pool
  readonly waiters: Set<Waiter>
  readonly ended: AbortSignal
  standing: Standing
  /** Time that the replica last took to reach a position of the primary. */
  lagMs: number
  /** Start of the measurement in progress. */
  measuredSince: number | undefined
  /** Ends the pause before the next poll. */
  wake: () => void
}

interface SessionOptions {
  readonly url: string
  readonly primary: pg.Pool
  readonly ended: AbortSignal
}

/** Opens a pool, whose connections close when the session ends, so that reads in progress fail at once. */
export async function openSession(client: pg.Client, { url, primary, ended }: SessionOptions): Promise<Session> {
  if ((await readDatabaseIdentity(client)) !== (await readDatabaseIdentity(primary)))
    throw new ReplicaFault('it is no copy of the primary')
  const standing = requireStandby(await readStanding(client))
  const run = await readRun(client)
  const { pool, destroy } = connectReplica(url, () => ({ run, lsn: session.standing.lsn }))
  const session: Session = {
    pool,
    waiters: new Set(),
    ended,
    standing,
    lagMs: Infinity,
    measuredSince: undefined,
    wake: () => {},
  }
  ended.addEventListener('abort', () => {
    for (const waiter of session.waiters) waiter.settle(false)
    destroy()
  })
  return session
}

function requireStandby(standing: Standing): Standing {
  if (!standing.isStandby) throw new ReplicaFault('it is not a standby')
  return standing
}

export const readLag = ({ lagMs, measuredSince }: Session): number =>
  measuredSince === undefined ? lagMs : Math.max(lagMs, performance.now() - measuredSince)

/** Returns the session's pool once it shows everything before `position`; undefined if that takes too long. */
export async function reach(session: Session, position: LogPosition): Promise<pg.Pool | undefined> {
  const isReached = contains(session.standing, position) || (await waitFor(session, position, longestWaitMs))
  return isReached ? session.pool : undefined
}

/** Resolves to whether a poll shows within `ms` that the replica contains the position. */
function waitFor(session: Session, position: LogPosition, ms: number): Promise<boolean> {
  if (session.ended.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const waiter: Waiter = {
      position,
      settle(isReached) {
        clearTimeout(timer)
        session.waiters.delete(waiter)
        resolve(isReached)
      },
    }
    const timer = setTimeout(() => waiter.settle(false), ms)
    session.waiters.add(waiter)
    session.wake()
  })
}

/** Reads the replica's state while anything waits for it. Rejects when it does not answer or is no standby any more. */
export async function poll(client: pg.Client, session: Session): Promise<never> {
  for (;;) {
    if (session.waiters.size === 0) {
      await new Promise<void>((resolve) => {
        session.wake = resolve
      })
    }
    session.standing = requireStandby(await readStanding(client))
    for (const waiter of session.waiters) if (contains(session.standing, waiter.position)) waiter.settle(true)
    if (session.waiters.size > 0) await delay(readLag(session) < longestWaitMs ? pollMs : slowPollMs)
  }
}

interface MeasureOptions {
  readonly primary: pg.Pool
  /** Receives why the replica cannot be read; undefined when it can. */
  readonly note: (reason: string | undefined) => void
}

/** Measures again and again how long the replica takes to reach the primary's position, until the session ends. */
export async function measure(session: Session, { primary, note }: MeasureOptions): Promise<void> {
  while (!session.ended.aborted) {
    session.measuredSince ??= performance.now()
    // While the primary does not answer, the lag grows.
    const position = await readPrimaryPosition(primary).catch(() => undefined)
    if (position && (await waitFor(session, position, answerMs))) {
      session.lagMs = performance.now() - session.measuredSince
      session.measuredSince = undefined
      note(undefined)
    } else if (position && position.timeline !== session.standing.timeline) note('it is of another timeline')
    await delay(measureMs, undefined, { ref: false })
  }
}
