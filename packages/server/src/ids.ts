import { v5, v7, validate } from 'uuid'

const namespace = '5d0c1f5e-3b0e-4f53-9a43-6d2c7a6c7e11'

/** A new UUIDv7 (RFC 9562, section 5.7) dated `at`: ids of a later millisecond sort after those of an earlier one. */
export const newId = (at: Date): string => v7({ msecs: at.getTime() })

/** The same id for the same parts, always (UUIDv5): whoever repeats a request arrives at the same movement. */
export const derivedId = (...parts: readonly (string | bigint)[]): string => v5(parts.join('\n'), namespace)

/** Whether a text from outside is a UUID at all. */
export const isUuid = (text: string): boolean => validate(text)

/** A user's number as it stands on the wire: ten digits, which a JSON number holds exactly. */
export const wireId = (userId: bigint): number => Number(userId) // not money: a user's number
