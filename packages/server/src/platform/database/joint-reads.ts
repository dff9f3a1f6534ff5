import type { Db } from './db.ts'

interface PendingRead<V> {
  resolve(value: V | undefined): void
  reject(error: unknown): void
}

/**
 * Returns a reader of single keys that reads all keys requested on one connection during one turn of the event loop
 * together. A read begins after all calls it answers, so no value is older than its call. Keys missing from the result
 * of `read` are undefined.
 */
export function createJointReads<K, V>(
  read: (db: Db, keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (db: Db, key: K) => Promise<V | undefined> {
  const requested = new WeakMap<Db, Map<K, PendingRead<V>[]>>()

  async function readRequested(db: Db): Promise<void> {
    const pendingReads = requested.get(db) ?? new Map<K, PendingRead<V>[]>()
    requested.delete(db)
    try {
      const valuesByKey = await read(db, [...pendingReads.keys()])
      for (const [key, callers] of pendingReads) for (const { resolve } of callers) resolve(valuesByKey.get(key))
    } catch (error) {
      for (const callers of pendingReads.values()) for (const { reject } of callers) reject(error)
    }
  }

  return (db, key) =>
    new Promise((resolve, reject) => {
      const keys = requested.get(db) ?? new Map<K, PendingRead<V>[]>()
      if (keys.size === 0) {
        requested.set(db, keys)
        setImmediate(() => void readRequested(db))
      }
      const callers = keys.get(key) ?? []
      callers.push({ resolve, reject })
      keys.set(key, callers)
    })
}
