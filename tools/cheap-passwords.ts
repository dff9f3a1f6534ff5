// Makes password hashing cheap in integration tests by wrapping the module that passes it to threads. The product
// itself has no setting for this.

import { vi } from 'vitest'
import type * as passwordThreads from '../packages/server/src/features/identity/users/password-threads.ts'

// Global, since test files in one worker share the wrapped module but each load this one.
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
