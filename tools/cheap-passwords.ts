// Makes password hashing cheap in the integration tests by wrapping what hands it to threads. The product has no setting for it.

import { vi } from 'vitest'
import type * as passwordThreads from '../packages/server/src/features/identity/users/password-threads.ts'

// Global, since test files of one worker share the wrapped module but each load this module.
const state = globalThis as { usesRealPasswordCost?: boolean }
state.usesRealPasswordCost = false

/** Hashes at production cost until the end of the test file. */
export function useRealPasswordCost(): void {
  state.usesRealPasswordCost = true
}

vi.mock('../packages/server/src/features/identity/users/password-threads.ts', async (importReal) => {
  const real = await importReal<typeof passwordThreads>()
  const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 }
  const inThread: typeof real.inThread = (task) =>
    real.inThread('cost' in task && !state.usesRealPasswordCost ? { ...task, cost: cheap } : task)
  return { ...real, inThread }
})
