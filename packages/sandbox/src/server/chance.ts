import { createHash } from 'node:crypto'

/**
 * A number from 0 to 99 that seems to be drawn by lot and is always the same for the same seed, purpose and index, so
 * that a run can be repeated.
 */
export function chance(seed: number, purpose: string, index: number): number {
  return (
    createHash('sha256')
      .update(JSON.stringify([seed, purpose, index]))
      .digest()
      .readUInt32BE() % 100
  )
}
