import { createHash } from 'node:crypto'
import { refuse } from './refuse.ts'

/** What was asked for, as the hash the ledger keeps with a posting: the same request always gives the same hash. */
export const requestHash = (request: Readonly<Record<string, unknown>>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest()

/**
 * Lets each key run once at a time in this process: a second call while the first runs is refused `request_in_progress`.
 * Across processes the ledger's posting id decides, so a race there ends as a replay.
 */
export function createSingleFlight() {
  const running = new Set<string>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (running.has(key)) refuse('request_in_progress')
    running.add(key)
    try {
      return await work()
    } finally {
      running.delete(key)
    }
  }
}
