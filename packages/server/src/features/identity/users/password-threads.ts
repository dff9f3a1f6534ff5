import { availableParallelism } from 'node:os'
import { Tinypool } from 'tinypool'

export type HashingTask =
  | { readonly password: string; readonly cost: HashCost }
  | { readonly password: string; readonly stored: string }

interface HashCost {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
}

const maxThreads = 4

/** Leaves one core free for other work, unless there is only one. */
export const threadCount = Math.min(maxThreads, Math.max(1, availableParallelism() - 1))

let pool: Tinypool | undefined

/** Runs a task in a separate thread pool, so that file, DNS and crypto work in Node's own pool is not delayed. */
export const inThread = (task: HashingTask): Promise<string | boolean> => {
  pool ??= new Tinypool({
    filename: new URL('password-worker.ts', import.meta.url).href,
    name: 'work',
    minThreads: threadCount,
    maxThreads: threadCount,
  })
  return pool.run(task) as Promise<string | boolean>
}
