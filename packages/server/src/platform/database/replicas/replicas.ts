// Reads that only list are answered by a replica that contains everything committed before the call, or by the primary.

import { readSqlState } from '@tern/ledger/ledger'
import type pg from 'pg'
import { describeError, isDatabaseUnavailable } from '../database-errors.ts'
import { readPrimaryPosition } from './log-position.ts'
import { ReplicaFault } from './replica-pool.ts'
import { createReplica, type Replica } from './replica.ts'

/** Server that answered a read; `retried`: the primary, after a replica failed. */
export const readOutcomes = ['replica', 'primary', 'retried'] as const
type ReadOutcome = (typeof readOutcomes)[number]

interface ReplicasOptions {
  readonly urls: readonly string[]
  readonly primary: pg.Pool
  readonly log: { warn(details: object, message: string): void }
  readonly count: (outcome: ReadOutcome) => void
}

export type Replicas = ReturnType<typeof createReplicas>

/** Connects to the replicas at `urls`. Without any, every read goes to the primary and costs nothing more. */
export function createReplicas({ urls, primary, log, count }: ReplicasOptions) {
  const replicas = urls.map((url) => createReplica({ url, primary, log }))
  let turn = 0

  /** Returns the usable replicas in turn. */
  function findUsable(): Replica | undefined {
    turn += 1
    const ordered = replicas.map((_, index) => replicas[(turn + index) % replicas.length])
    return ordered.find((replica) => replica?.isUsable())
  }

  async function choose(): Promise<pg.Pool | undefined> {
    const replica = findUsable()
    if (!replica) return undefined
    try {
      return await replica.reach(await readPrimaryPosition(primary))
    } catch (error) {
      log.warn({ reason: describeError(error) }, 'the position of the primary is unknown')
      return undefined
    }
  }

  async function readBeside<T>(work: (db: pg.Pool) => Promise<T>): Promise<T> {
    const replica = await choose()
    if (!replica) {
      count('primary')
      return work(primary)
    }
    try {
      const result = await work(replica)
      count('replica')
      return result
    } catch (error) {
      if (!isServerFault(error)) {
        count('replica')
        throw error
      }
      log.warn({ reason: describeError(error) }, 'a read is repeated on the primary')
      count('retried')
      return work(primary)
    }
  }

  return {
    /**
     * Returns the result of `work`, which only reads, and reads everything committed before this call. Repeats it on
     * the primary if the replica fails.
     */
    read: <T>(work: (db: pg.Pool) => Promise<T>): Promise<T> =>
      replicas.length === 0 ? work(primary) : readBeside(work),
    /** Seconds until each replica shows a commit of the primary, by name; none for replicas without a connection. */
    lagSeconds: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        replicas.flatMap(({ name, lagMs }) => {
          const ms = lagMs()
          return ms === undefined ? [] : [[name, ms / 1000]]
        }),
      ),
    /** 1 for each replica that is read, otherwise 0, by name. */
    usable: (): Readonly<Record<string, number>> =>
      Object.fromEntries(replicas.map(({ name, isUsable }) => [name, isUsable() ? 1 : 0])),
    close: async (): Promise<void> => {
      await Promise.all(replicas.map((replica) => replica.close()))
    },
  }
}

/** True if a read failed because of its server, so that another may answer it. */
const isServerFault = (error: unknown): boolean =>
  error instanceof ReplicaFault || isDatabaseUnavailable(error) || readSqlState(error) !== undefined
