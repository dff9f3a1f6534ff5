import { hkdfSync } from 'node:crypto'
import { deriveKeyId, toRing, type Secret } from './seal.ts'

// Row seals (platform/schema.sql): when this program writes a row whose facts no ledger posting duplicates, the
// database seals it, so that the audit detects changes by anything else. The key is a setting of the connection and not
// stored in the database.

/** Length of two pads of one SHA-256 block each. */
const padBytes = 128

const rowSealKey = (secret: Buffer): string => {
  const pads = Buffer.from(hkdfSync('sha256', secret, '', 'tern/row-seals', padBytes))
  return `${deriveKeyId(secret).toString('hex')}.${pads.toString('hex')}`
}

/** Returns the keys of row seals, one for each secret of a ring; the first one signs new seals. */
export const rowSealKeys = (secret: Secret): [string, ...string[]] => {
  const [current, ...old] = toRing(secret)
  return [rowSealKey(current), ...old.map(rowSealKey)]
}
