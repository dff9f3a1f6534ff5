import { hkdfSync } from 'node:crypto'
import { keyIdOf, ringOf, type Secret } from './seal.ts'

// Rows whose facts no posting repeats are sealed by the database when this program writes them (platform/schema.sql), so that
// the audit finds what anything else has changed. The key comes with the connection and is stored nowhere in the database.

/** Two pads of a block of SHA-256. */
const padBytes = 128

const rowSealKey = (secret: Buffer): string => {
  const pads = Buffer.from(hkdfSync('sha256', secret, '', 'tern/row-seals', padBytes))
  return `${keyIdOf(secret).toString('hex')}.${pads.toString('hex')}`
}

/** Keys of row seals, one for each secret of a ring; the first one seals. */
export const rowSealKeys = (secret: Secret): [string, ...string[]] => {
  const [current, ...old] = ringOf(secret)
  return [rowSealKey(current), ...old.map(rowSealKey)]
}
