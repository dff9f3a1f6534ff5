// Makes password hashing cheap in the integration tests by wrapping the library. The product has no setting for it.

import type * as argon2 from '@node-rs/argon2'
import { vi } from 'vitest'

// Global, since test files of one worker share the wrapped library but each load this module.
const state = globalThis as { usesRealPasswordCost?: boolean }
state.usesRealPasswordCost = false

/** Hashes at production cost until the end of the test file. */
export function useRealPasswordCost(): void {
  state.usesRealPasswordCost = true
}

vi.mock('@node-rs/argon2', async (importReal) => {
  const real = await importReal<typeof argon2>()
  const cheap: argon2.Options = { memoryCost: 8, timeCost: 1, parallelism: 1 }
  const hash = (password: string, options?: argon2.Options) =>
    real.hash(password, state.usesRealPasswordCost ? options : { ...options, ...cheap })
  return { ...real, hash }
})
