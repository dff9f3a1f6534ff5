import { randomFillSync, randomInt } from 'node:crypto'
import { v5, v7, validate } from 'uuid'

const namespace = '5d0c1f5e-3b0e-4f53-9a43-6d2c7a6c7e11'

let last = { msecs: -1, seq: 0 }

// Each call for random bytes is as dear as a thousand bytes of them.
const bytesOfId = 16
const randomBytes = new Uint8Array(256 * bytesOfId)
let usedBytes = randomBytes.length

function nextRandom(): Uint8Array {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes)
    usedBytes = 0
  }
  usedBytes += bytesOfId
  return randomBytes.subarray(usedBytes - bytesOfId, usedBytes)
}

/**
 * A new UUIDv7 (RFC 9562, section 5.7) dated `at`: ids of a later millisecond sort after those of an earlier one, and of
 * those that this process makes one after the other for one millisecond, the later after the earlier.
 */
export function newId(at: Date): string {
  const msecs = at.getTime()
  last = { msecs, seq: last.msecs === msecs ? last.seq + 1 : randomInt(2 ** 31) }
  return v7({ ...last, random: nextRandom() })
}

/** The same id for the same parts, always (UUIDv5): whoever repeats a request arrives at the same movement. */
export const derivedId = (...parts: readonly (string | bigint)[]): string => v5(parts.join('\n'), namespace)

/** Whether a text from outside is a UUID at all. */
export const isUuid = (text: string): boolean => validate(text)

/** A user's number as it stands on the wire: ten digits, which a JSON number holds exactly. */
export const wireId = (userId: bigint): number => Number(userId) // not money: a user's number
