import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { ringOf, type Secret } from '../seal.ts'

const idBytes = 16
// 128 bits: nobody guesses one, and the whole link stays short enough for a QR code of version 8 at level H.
const signatureBytes = 16
/** Base64url without padding: 32 bytes are 43 characters. */
const dataLength = 43

/** Makes and reads what names a row in addresses that people are given: payment links, receipts, tracking links. */
export interface SignedIds {
  /** For a row's id: the id and a signature over it, in base64url (RFC 4648, section 5). */
  dataOf(requestId: string): string
  /** The id that `data` names; undefined unless it is exactly a text that was made here. */
  read(data: string): string | undefined
}

/** Ids signed with a key derived from the installation's secret and their purpose; those of every key of the ring are read. */
export function createSignedIds(secret: Secret, purpose: string): SignedIds {
  const keys = ringOf(secret).map((each) => Buffer.from(hkdfSync('sha256', each, '', purpose, 32)))
  const sign = (key: Buffer, id: Buffer) => createHmac('sha256', key).update(id).digest().subarray(0, signatureBytes)
  return {
    dataOf(requestId) {
      const id = Buffer.from(parse(requestId))
      const [current] = keys as [Buffer, ...Buffer[]]
      return Buffer.concat([id, sign(current, id)]).toString('base64url')
    },
    read(data) {
      if (data.length !== dataLength) return undefined
      const bytes = Buffer.from(data, 'base64url')
      // Node ignores foreign characters and unused bits: only one text stands for these bytes.
      if (bytes.length !== idBytes + signatureBytes || bytes.toString('base64url') !== data) return undefined
      const [id, signature] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes)]
      const isOurs = keys.map((key) => timingSafeEqual(sign(key, id), signature)).includes(true)
      return isOurs ? stringify(id) : undefined
    },
  }
}
