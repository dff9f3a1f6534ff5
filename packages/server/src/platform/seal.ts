import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encryption for stored data, and keyed hashes to compare it. */
export interface Seal {
  /** Encrypts with a fresh nonce, bound to `context` (such as the row's id). */
  seal(text: string, context: string): Buffer
  /** Decrypts. Throws for altered data, another context or another secret. */
  open(sealed: Buffer, context: string): string
  /** A keyed hash: deterministic, and useless without the secret. */
  fingerprint(text: string): Buffer
}

const version = 1
const nonceLength = 12
const tagLength = 16

/** A seal for one purpose, with keys derived from the installation's 32-byte secret. */
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
