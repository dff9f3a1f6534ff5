import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what must not be readable in the database, and makes comparable what cannot be read. */
export interface Seal {
  /** Encrypts with a nonce of its own. `context` (such as the row's id) is bound in: elsewhere it cannot be opened. */
  seal(text: string, context: string): Buffer
  /** The text that was sealed. Throws when it was altered, moved to another context, or sealed with another secret. */
  open(sealed: Buffer, context: string): string
  /** A keyed hash: the same for the same text, and of no use to whoever lacks the secret. */
  fingerprint(text: string): Buffer
}

const version = 1
const nonceLength = 12
const tagLength = 16

/** A seal for one purpose. Its keys are derived from the installation's 32-byte secret; purposes share none. */
export function createSeal(secret: Buffer, purpose: string): Seal {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `tern/${purpose}/${use}`, 32))
  const encryptionKey = keyFor('encrypt')
  const fingerprintKey = keyFor('fingerprint')
  return {
    seal(text, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce).setAAD(Buffer.from(context))
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), encrypted])
    },
    open(sealed, context) {
      if (sealed[0] !== version) throw new Error(`unknown seal version ${sealed[0]}`)
      const nonce = sealed.subarray(1, 1 + nonceLength)
      const tag = sealed.subarray(1 + nonceLength, 1 + nonceLength + tagLength)
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, nonce, { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      const encrypted = sealed.subarray(1 + nonceLength + tagLength)
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8')
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest(),
  }
}
