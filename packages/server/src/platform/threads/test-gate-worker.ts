import type { GateInput } from './test-tasks.ts'

/** Says that it has begun, waits until it is opened, and returns how long that took in milliseconds. */
export function work({ shared }: GateInput): number {
  const began = performance.now()
  const state = new Int32Array(shared)
  Atomics.store(state, 0, 1)
  Atomics.wait(state, 1, 0)
  return performance.now() - began
}
