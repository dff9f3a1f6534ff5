import type { GateInput } from './test-tasks.ts'

/** Reports its start, waits until its gate is opened, and returns the elapsed milliseconds. */
export function work({ shared }: GateInput): number {
  const startedAt = performance.now()
  const state = new Int32Array(shared)
  Atomics.store(state, 0, 1)
  Atomics.wait(state, 1, 0)
  return performance.now() - startedAt
}
