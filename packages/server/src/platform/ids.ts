import { hash, randomFillSync, randomInt } from 'node:crypto'
import { v7, validate } from 'uuid'

/** Namespace of `derivedId`: the UUID 5d0c1f5e-3b0e-4f53-9a43-6d2c7a6c7e11. */
const namespace = Buffer.from('5d0c1f5e3b0e4f539a436d2c7a6c7e11', 'hex')

let last = { msecs: -1, seq: 0 }

// Buffers random bytes, because a call for few bytes costs nearly as much as one for many.
const bytesPerId = 16
const randomBytes = new Uint8Array(256 * bytesPerId)
let usedBytes = randomBytes.length

function nextRandomBytes(): Uint8Array {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes)
    usedBytes = 0
  }
  usedBytes += bytesPerId
  return randomBytes.subarray(usedBytes - bytesPerId, usedBytes)
}

/** Returns a UUIDv7 (RFC 9562, section 5.7) dated `at`; sorts by millisecond and, within a process, by creation. */
export function newId(at: Date): string {
  const msecs = at.getTime()
  last = { msecs, seq: last.msecs === msecs ? last.seq + 1 : randomInt(2 ** 31) }
  return v7({ ...last, random: nextRandomBytes() })
}

/** Returns the time of a UUIDv7, to the millisecond. */
export const readIdTime = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)) // not money: milliseconds

/** Returns a lower bound of all UUIDv7 generated from this time on. */
export function buildFirstId(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Returns a UUIDv5 (RFC 9562, section 5.5) of its parts: equal parts give the same id, as for a repeated request. */
export function derivedId(...parts: readonly (string | bigint)[]): string {
  const bytes = hash('sha1', Buffer.concat([namespace, Buffer.from(parts.join('\n'))]), 'buffer')
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Returns whether an untrusted text is a UUID. */
export const isUuid = (text: string): boolean => validate(text)

/** Converts a user number of ten digits for JSON, without loss. */
export const wireId = (userId: bigint): number => Number(userId) // not money: a user's number
