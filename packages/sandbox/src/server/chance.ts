import { createHash } from 'node:crypto'

/** Returns a pseudorandom integer from 0 to 99, determined by seed, purpose and index. */
export function chance(seed: number, purpose: string, index: number): number {
  return (
    createHash('sha256')
      .update(JSON.stringify([seed, purpose, index]))
      .digest()
      .readUInt32BE() % 100
  )
}
