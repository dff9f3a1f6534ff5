import type { Db } from '../database/db.ts'
import { createSeal, deriveHashKey, deriveKeyId, toRing, type Seal, type Secret, UnknownSecretError } from '../seal.ts'
import type { RetainedHashKeyRow } from '../row-types.ts'

/**
 * Purposes whose keyed hashes cannot be recomputed from stored data: recovery codes, user handles of passkeys,
 * signatures of quotes, which prove the promised price, and pseudonyms of operators, which must not change. When a
 * secret is removed from the ring, its hash keys for these purposes are kept, sealed under its successor.
 */
const retainedPurposes = ['identity/recovery-code', 'identity/passkey', 'exchange/quote', 'privacy/operator']

export const retainedKeyPurpose = 'retained-hash-key'

const buildSealContext = (purpose: string, keyId: string): string => `${purpose} ${keyId}`

/**
 * Returns the retained hash keys by purpose. Throws UnknownSecretError if they are sealed under a secret that is not
 * configured.
 */
export async function readRetainedKeys(db: Db, secret: Secret): Promise<Map<string, Buffer[]>> {
  const seal = createSeal(secret, retainedKeyPurpose)
  const { rows } = await db.query<Pick<RetainedHashKeyRow, 'purpose' | 'key_id' | 'key'>>(
    'select purpose, key_id, key from retained_hash_key order by created_at, key_id',
  )
  const keys = new Map<string, Buffer[]>()
  for (const { purpose, key_id: keyId, key } of rows) {
    keys.set(purpose, [...(keys.get(purpose) ?? []), openKey(seal, key, buildSealContext(purpose, keyId))])
  }
  return keys
}

function openKey(seal: Seal, sealedKey: Buffer, context: string): Buffer {
  try {
    return Buffer.from(seal.open(sealedKey, context), 'base64')
  } catch (cause) {
    throw new UnknownSecretError(
      'TERN_SECRET cannot open the retained keys of this database; give the one before as TERN_OLD_SECRET.',
      {
        cause,
      },
    )
  }
}

/** Stores the hash keys of all secrets in the ring except the first. Idempotent. */
export async function retainOldKeys(db: Db, secret: Secret): Promise<void> {
  const [, ...old] = toRing(secret)
  const seal = createSeal(secret, retainedKeyPurpose)
  for (const each of old) {
    const keyId = deriveKeyId(each).toString('hex')
    for (const purpose of retainedPurposes) {
      await db.query(
        `insert into retained_hash_key (purpose, key_id, key) values ($1, $2, $3) on conflict do nothing`,
        [purpose, keyId, seal.seal(deriveHashKey(each, purpose).toString('base64'), buildSealContext(purpose, keyId))],
      )
    }
  }
}
