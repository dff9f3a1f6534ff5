// Tasks for tests of threads. `gateWorker` and `endlessWorker` are the modules to load; a gate is a task that ends on
// demand.

export interface GateInput {
  readonly shared: SharedArrayBuffer
}

export const gateWorker = new URL('test-gate-worker.ts', import.meta.url)
export const endlessWorker = new URL('test-endless-worker.ts', import.meta.url)

/** Creates a gate whose task runs until `open`. */
export function createGate() {
  const shared = new SharedArrayBuffer(8)
  const [state, wakeIndex] = [new Int32Array(shared), 1]
  return {
    input: { shared } satisfies GateInput,
    hasBegun: (): boolean => Atomics.load(state, 0) === 1,
    open(): void {
      Atomics.store(state, wakeIndex, 1)
      Atomics.notify(state, wakeIndex)
    },
  }
}
