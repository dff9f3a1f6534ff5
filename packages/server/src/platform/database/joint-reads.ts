interface Waiting<V> {
  resolve(value: V | undefined): void
  reject(error: unknown): void
}

/**
 * Returns a reader of single keys that reads all keys requested in one turn of the event loop together. A read begins after every
 * call it answers, so no caller is given what was true before it called. Values that `read` leaves out are undefined.
 */
export function createJointReads<K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let requested: Map<K, Waiting<V>[]> | undefined

  async function readRequested(waiting: ReadonlyMap<K, readonly Waiting<V>[]>): Promise<void> {
    try {
      const found = await read([...waiting.keys()])
      for (const [key, callers] of waiting) for (const { resolve } of callers) resolve(found.get(key))
    } catch (error) {
      for (const callers of waiting.values()) for (const { reject } of callers) reject(error)
    }
  }

  function begin(): void {
    const waiting = requested
    requested = undefined
    if (waiting) void readRequested(waiting)
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (!requested) {
        requested = new Map()
        setImmediate(begin)
      }
      const callers = requested.get(key) ?? []
      callers.push({ resolve, reject })
      requested.set(key, callers)
    })
}
