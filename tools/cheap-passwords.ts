// Loaded into the integration tests: passwords of test people are hashed in microseconds. It stands around the library
// that hashes, so that the product itself has no setting for it.

import type * as argon2 from '@node-rs/argon2'
import { vi } from 'vitest'

// Files share what was imported, also this library, so what one of them asks for cannot be kept in a module.
const state = globalThis as { usesRealPasswordCost?: boolean }
state.usesRealPasswordCost = false

/** For tests of the work that a password takes: from here to the end of the file it takes as much as in the product. */
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
