import { createHash, randomBytes } from 'node:crypto'

/** A secret of 256 bits that is handed out once; the database keeps its hash alone. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** What the database keeps of a secret. It has too many bits to be guessed, so a plain hash is enough. */
export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
