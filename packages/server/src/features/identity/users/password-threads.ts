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

/** One core stays free for other work. */
export const threadCount = Math.min(maxThreads, Math.max(1, availableParallelism() - 1))

let pool: Tinypool | undefined

/** Hashes outside Node's own thread pool, so that files, names and cryptography do not wait. */
export const inThread = (task: HashingTask): Promise<string | boolean> => {
  pool ??= new Tinypool({
    filename: new URL('password-worker.ts', import.meta.url).href,
    name: 'work',
    minThreads: threadCount,
    maxThreads: threadCount,
  })
  return pool.run(task) as Promise<string | boolean>
}
