import { createHash, randomBytes } from 'node:crypto'

/** A 256-bit secret, handed out once; the database stores only its hash. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Hash for storage. A plain hash suffices for 256 random bits. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
