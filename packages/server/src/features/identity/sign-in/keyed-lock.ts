/** Serializes work with the same key in this process, in order of arrival. Failed work does not stop the queue. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const previousWork = last.get(key)
    const currentWork = previousWork ? previousWork.then(work, work) : work()
    last.set(key, currentWork)
    try {
      return await currentWork
    } finally {
      if (last.get(key) === currentWork) last.delete(key)
    }
  }
}
