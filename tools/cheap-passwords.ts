// Loaded into the integration tests: passwords of test people are hashed in microseconds. It replaces the library that
// hashes, so that the product itself has no setting for it. Tests of the real cost say `vi.unmock('@node-rs/argon2')`.

import type { Options } from '@node-rs/argon2'
import { vi } from 'vitest'

vi.mock('@node-rs/argon2', async (importReal) => {
  const real = await importReal<typeof import('@node-rs/argon2')>()
  const hash = (password: string, options?: Options) =>
    real.hash(password, { ...options, memoryCost: 8, timeCost: 1, parallelism: 1 })
  return { ...real, hash }
})
