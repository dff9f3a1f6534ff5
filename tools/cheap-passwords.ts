// Makes password hashing cheap in integration tests by wrapping the module that passes hashing to threads; the product
// has no setting for this.

import { vi } from 'vitest'
import type * as passwordThreads from '../packages/server/src/features/identity/users/password-threads.ts'

// Global, since the test files of a worker share the wrapped module, but each loads this module again.
const state = globalThis as { usesRealPasswordCost?: boolean }
state.usesRealPasswordCost = false

/** Restores the production hashing cost until the end of the test file. */
export function useRealPasswordCost(): void {
  state.usesRealPasswordCost = true
}

vi.mock('../packages/server/src/features/identity/users/password-threads.ts', async (importOriginal) => {
  const original = await importOriginal<typeof passwordThreads>()
  const cheapCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
  const inThread: typeof original.inThread = (task) =>
    original.inThread('cost' in task && !state.usesRealPasswordCost ? { ...task, cost: cheapCost } : task)
  return { ...original, inThread }
})
