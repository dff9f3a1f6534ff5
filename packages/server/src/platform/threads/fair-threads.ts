// CPU-heavy work in worker threads, by turns between people.

import { Tinypool } from 'tinypool'
import { Refusal } from '../refuse.ts'
import { createFairQueue, type Full } from './fair-queue.ts'

const idleMs = 60_000
// A larger one keeps garbage for longer: two threads that write receipts take 120 MB less.
const youngMb = 8
const retryAfterSeconds = 5

export interface ThreadsOptions {
  readonly threads: number
  /** Tasks of one person that may wait behind the one in work. */
  readonly waitingOfOne: number
  readonly waitingInAll: number
  /** Heap of each thread in megabytes; a task that needs more ends its thread. */
  readonly heapMb: number
}

export interface Task<Input> {
  /** Exports `work(input)`. Loaded once in each thread. */
  readonly module: URL
  readonly input: Input
  /** Counted from when the work begins; a task that takes longer ends its thread. */
  readonly timeLimitMs: number
}

/** Refuses `rate_limited` where a person has too much waiting, `service_unavailable` where all have. */
export const turnedAway = (why: Full): Refusal =>
  why === 'line_full'
    ? new Refusal('rate_limited', { reason: 'files_of_yours', retryAfterSeconds })
    : new Refusal('service_unavailable')

/**
 * Threads that people take by turns. Each person has one task in work at most, so no person holds two threads; a task waits
 * for the person's earlier ones and for at most one of each other person. Threads start with the first task and end once idle.
 */
export function createFairThreads({ threads, waitingOfOne, waitingInAll, heapMb }: ThreadsOptions) {
  const queue = createFairQueue({
    atOnce: threads,
    perLineAtOnce: 1,
    perLine: waitingOfOne,
    inAll: waitingInAll,
    turnAway: turnedAway,
  })
  let pool: Tinypool | undefined

  function start(): Tinypool {
    const made = new Tinypool({
      name: 'work',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
    })
    // A thread that fails without a task is replaced like any other.
    made.on('error', () => {})
    return made
  }

  return {
    /**
     * What `work` of the module returns. Refuses what `turnedAway` says; rejects where the task fails, or ends its thread by
     * taking too long or too much memory. Its thread is replaced, and other tasks go on.
     */
    run: <Input, Output>(personId: bigint, { module, input, timeLimitMs }: Task<Input>): Promise<Output> =>
      queue(String(personId), () => {
        const signal = AbortSignal.timeout(timeLimitMs)
        pool ??= start()
        return pool.run(input, { filename: module.href, signal }) as Promise<Output>
      }),
  }
}

export type FairThreads = ReturnType<typeof createFairThreads>
