import { createHash, randomBytes } from 'node:crypto'

/** Generates a 256-bit secret, of which the database stores only the hash. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Hashes a secret for storage. SHA-256 without a salt suffices for 256 random bits. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
