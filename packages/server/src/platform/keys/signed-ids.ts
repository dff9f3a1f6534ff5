import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { toRing, type Secret } from '../seal.ts'

const idBytes = 16
// 128 bits cannot be guessed, and the link is short enough for a QR code of version 8 at level H.
const signatureBytes = 16
/** Length of 32 bytes in base64url without padding. */
const dataLength = 43

/** Creates and reads signed ids in public addresses: payment links, receipts, tracking links. */
export interface SignedIds {
  /** Returns the id of a row with its signature, in base64url (RFC 4648, section 5). */
  issue(rowId: string): string
  /** Returns the id in `data`; undefined unless `data` is exactly a text issued here. */
  read(data: string): string | undefined
}

/**
 * Signs ids with a key derived from the installation's secret and the purpose; accepts signatures of every key in the
 * ring.
 */
export function createSignedIds(secret: Secret, purpose: string): SignedIds {
  const keys = toRing(secret).map((each) => Buffer.from(hkdfSync('sha256', each, '', purpose, 32)))
  const sign = (key: Buffer, id: Buffer) => createHmac('sha256', key).update(id).digest().subarray(0, signatureBytes)
  return {
    issue(rowId) {
      const id = Buffer.from(parse(rowId))
      const [current] = keys as [Buffer, ...Buffer[]]
      return Buffer.concat([id, sign(current, id)]).toString('base64url')
    },
    read(data) {
      if (data.length !== dataLength) return undefined
      const bytes = Buffer.from(data, 'base64url')
      // Node ignores foreign characters and unused bits, so the bytes must have this spelling.
      if (bytes.length !== idBytes + signatureBytes || bytes.toString('base64url') !== data) return undefined
      const [id, signature] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes)]
      const isOwnId = keys.map((key) => timingSafeEqual(sign(key, id), signature)).includes(true)
      return isOwnId ? stringify(id) : undefined
    },
  }
}
