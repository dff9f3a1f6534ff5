// Worker threads for CPU-heavy work, shared round-robin between people.

import { Tinypool } from 'tinypool'
import { Refusal } from '../refuse.ts'
import { createFairQueue, type RejectReason } from './fair-queue.ts'

const idleMs = 60_000
// With larger young generations, two threads that write receipts take 120 MB more.
const youngGenerationMb = 8
const retryAfterSeconds = 5

export interface ThreadsOptions {
  readonly threads: number
  /** Maximum waiting tasks of one person. */
  readonly maxWaitingPerLine: number
  readonly maxWaiting: number
  /** Heap of each thread in megabytes; a task that needs more ends its thread. */
  readonly heapMb: number
}

export interface Task<Input> {
  /** Module that exports `work(input)`, loaded once in each thread. */
  readonly module: URL
  readonly input: Input
  /** Measured from the start of the task; a task that takes longer ends its thread. */
  readonly timeLimitMs: number
}

/**
 * Returns the refusal of a task: `rate_limited` if the person has too many waiting tasks, `service_unavailable` if all
 * people together have.
 */
const toRefusal = (reason: RejectReason): Refusal =>
  reason === 'line_full'
    ? new Refusal('rate_limited', { reason: 'files_of_yours', retryAfterSeconds })
    : new Refusal('service_unavailable')

/**
 * Creates threads shared round-robin between people. Each person has at most one running task, so no person occupies
 * two threads. A task waits for the person's earlier tasks and at most one task of each other person. Threads start
 * with the first task and end when idle.
 */
export function createFairThreads({ threads, maxWaitingPerLine, maxWaiting, heapMb }: ThreadsOptions) {
  const queue = createFairQueue({
    atOnce: threads,
    perLineAtOnce: 1,
    perLine: maxWaitingPerLine,
    inTotal: maxWaiting,
    turnAway: toRefusal,
  })
  let pool: Tinypool | undefined

  function start(): Tinypool {
    const made = new Tinypool({
      name: 'work',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngGenerationMb },
    })
    // A thread that fails while idle is replaced like any other.
    made.on('error', () => {})
    return made
  }

  return {
    /**
     * Runs the module's `work` and returns its result. Refuses like `toRefusal`; rejects if the task fails, or
     * takes too long or too much memory, which ends its thread. The thread is replaced, and other tasks continue.
     */
    run: <Input, Output>(personId: bigint, { module, input, timeLimitMs }: Task<Input>): Promise<Output> =>
      queue(String(personId), () => {
        const signal = AbortSignal.timeout(timeLimitMs)
        pool ??= start()
        return pool.run(input, { filename: module.href, signal }) as Promise<Output>
      }),
  }
}
