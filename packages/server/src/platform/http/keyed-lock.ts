/**
 * Lets what has the same key happen one after another in this process, in the order it was asked for; each waits for
 * the ones before it, however they end.
 */
export function createKeyedLock() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key)
    const mine = before ? before.then(work, work) : work()
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
