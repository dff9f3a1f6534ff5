/** Unanswered order, with all data needed to repeat it exactly. */
export interface PersistedOrder<Order> {
  readonly idempotencyKey: string
  readonly order: Order
}

/** Storage of an order from before it is sent until it is answered, so that a reload cannot duplicate it. */
export interface OrderStore<Order> {
  read(): PersistedOrder<Order> | undefined
  save(order: PersistedOrder<Order>): void
  /** Removes only the order with this key. */
  remove(idempotencyKey: string): void
}

export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Order of one page, stored for this tab. `isOrder` checks the parsed order: its owner, and that it can be sent. */
export function tabOrderStore<Order>(
  page: 'deposit' | 'withdraw' | 'convert' | 'order' | 'pay' | 'guest',
  isOrder: (order: unknown) => boolean,
): OrderStore<Order> {
  const json = storedJson('sessionStorage', `${page}Order`)
  const read = () => {
    const persisted = json.read() as PersistedOrder<Order> | null | undefined
    // Returns the stored order, not a schema's output, so that the repetition is exact.
    return persisted && uuidPattern.test(persisted.idempotencyKey) && isOrder(persisted.order) ? persisted : undefined
  }
  return {
    read,
    save: json.write,
    remove: (idempotencyKey) => (read()?.idempotencyKey === idempotencyKey ? json.remove() : undefined),
  }
}

/** One JSON value in the browser's storage. Failures to store are reported and otherwise ignored. */
export const storedJson = (storage: 'localStorage' | 'sessionStorage', key: string) => ({
  /** Undefined if nothing is stored, null if it cannot be read. */
  read(): unknown {
    try {
      const text = globalThis[storage].getItem(key)
      return text === null ? undefined : JSON.parse(text)
    } catch {
      return null
    }
  },
  write: (value: unknown) => attempt(() => globalThis[storage].setItem(key, JSON.stringify(value))),
  remove: () => attempt(() => globalThis[storage].removeItem(key)),
})

function attempt(task: () => void): void {
  try {
    task()
  } catch (error) {
    reportError(error)
  }
}
