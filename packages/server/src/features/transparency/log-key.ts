// Key of the log. Made once, when the product first starts, and sealed like all keys of the installation.

import { createSigningKey, generateSigningKey, type SigningKey } from '@tern/transparency/note-keys'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { type Seal, UnknownSecretError } from '../../platform/seal.ts'
import type { TransparencyKeyRow } from './row-types.ts'

export interface LogKeyContext {
  readonly seal: Seal
  /** Origin of a log that has no key yet. */
  readonly origin: string
  readonly realNow: () => Date
}

/** Makes the log's key unless there is one. Safe to run in several processes at once. */
export async function ensureLogKey({ seal, origin, realNow }: LogKeyContext, pool: pg.Pool): Promise<void> {
  const { seed, publicKey } = generateSigningKey({ name: origin, type: 1 })
  await pool.query(
    `insert into transparency_key (origin, public_key, private_key, created_at)
      select $1, $2, $3, $4 where not exists (select from transparency_key) on conflict do nothing`,
    [origin, Buffer.from(publicKey), seal.seal(Buffer.from(seed), origin), realNow()],
  )
}

/** Reads the key that signs checkpoints. */
export async function readLogKey({ seal }: Pick<LogKeyContext, 'seal'>, db: Db): Promise<SigningKey> {
  const { rows } = await db.query<Pick<TransparencyKeyRow, 'origin' | 'private_key'>>(
    'select origin, private_key from transparency_key',
  )
  const [row] = rows
  if (!row) throw new Error('the transparency log has no key')
  return createSigningKey({ name: row.origin, type: 1, seed: openSeed(seal, row) })
}

function openSeed(seal: Seal, row: Pick<TransparencyKeyRow, 'origin' | 'private_key'>): Uint8Array {
  try {
    return new Uint8Array(seal.openBytes(row.private_key, row.origin))
  } catch (cause) {
    throw new UnknownSecretError(
      'TERN_SECRET cannot open the key of the transparency log; give the one before as TERN_OLD_SECRET.',
      { cause },
    )
  }
}
