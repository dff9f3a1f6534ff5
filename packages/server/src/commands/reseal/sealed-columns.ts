import { travelRulePurpose } from '../../features/compliance/compliance.ts'
import { disputeFilePurpose } from '../../features/disputes/disputes.ts'
import { documentPurpose } from '../../features/kyc/documents/documents.ts'
import { fingerprintOf } from '../../features/kyc/records/submission.ts'
import type { Tx } from '../../platform/database/db.ts'
import { retainedKeyPurpose } from '../../platform/keys/retained-keys.ts'
import type { Seal } from '../../platform/seal.ts'

/** A column of sealed values. reseal.test.ts fails when a bytea column is neither here nor known to hold none. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key, in whose order the rows are taken, and its type. */
  readonly key: string
  readonly keyType: string
  /** What `createSeal` was called with. */
  readonly purpose: string
  /** What each value is bound to, as an SQL expression over its row. */
  readonly context: string
  /** Makes again what else depends on the secret, in the transaction that re-seals a row. */
  readonly rehash?: (tx: Tx, seal: Seal, row: { readonly key: unknown; readonly text: string }) => Promise<void>
}

/** Every column that `TERN_SECRET` seals. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'kyc_submission', column: 'numbers', key: 'id', keyType: 'uuid' },
    ...{ purpose: 'kyc/numbers', context: 'id::text' },
    rehash: rehashNumbers,
  },
  {
    ...{ table: 'kyc_submission', column: 'local_name', key: 'id', keyType: 'uuid' },
    ...{ purpose: 'kyc/numbers', context: "'local name ' || id" },
  },
  {
    ...{ table: 'app_user', column: 'local_name', key: 'id', keyType: 'bigint' },
    ...{ purpose: 'identity/local-name', context: "'local name ' || id" },
  },
  {
    ...{ table: 'kyc_document', column: 'content', key: 'id', keyType: 'uuid' },
    ...{ purpose: documentPurpose, context: 'id::text' },
  },
  {
    ...{ table: 'dispute_file', column: 'content', key: 'id', keyType: 'uuid' },
    ...{ purpose: disputeFilePurpose, context: 'id::text' },
  },
  ...['secret', 'next_secret'].map((column) => ({
    table: 'totp',
    column,
    key: 'user_id',
    keyType: 'bigint',
    purpose: 'identity/totp',
    context: "'totp ' || user_id",
  })),
  {
    ...{ table: 'mail', column: 'content', key: 'id', keyType: 'uuid' },
    ...{ purpose: 'notifications/mail', context: 'id::text' },
  },
  {
    ...{ table: 'external_sign_in', column: 'verifier', key: 'hash', keyType: 'bytea' },
    ...{ purpose: 'identity/external-sign-in', context: "encode(hash, 'hex')" },
  },
  {
    ...{ table: 'retained_identity', column: 'content', key: 'id', keyType: 'uuid' },
    ...{ purpose: 'privacy/retained-identity', context: 'id::text' },
  },
  {
    ...{ table: 'travel_rule_record', column: 'content', key: 'transaction_id', keyType: 'uuid' },
    ...{ purpose: travelRulePurpose, context: 'transaction_id::text' },
  },
  // Last: without their secret nothing starts, so that nobody goes on without it while anything else is under it.
  {
    ...{ table: 'retained_hash_key', column: 'key', key: "purpose || ' ' || key_id", keyType: 'text' },
    ...{ purpose: retainedKeyPurpose, context: "purpose || ' ' || key_id" },
  },
  {
    ...{ table: 'signing_key', column: 'private_key', key: 'id', keyType: 'text' },
    ...{ purpose: 'identity/signing-key', context: 'id' },
  },
]

/** The keyed hashes by which forms with the same number are found. */
async function rehashNumbers(tx: Tx, seal: Seal, { key, text }: { key: unknown; text: string }): Promise<void> {
  const numbers = JSON.parse(text) as Partial<Record<string, string>>
  const { rows } = await tx.query<{ kind: string; country: string }>(
    'select kind, country from kyc_number join kyc_submission on id = submission_id where submission_id = $1',
    [key],
  )
  for (const { kind, country } of rows) {
    const fingerprint = fingerprintOf(seal, country, kind, numbers[kind] ?? '')
    await tx.query('update kyc_number set fingerprint = $3 where submission_id = $1 and kind = $2', [
      key,
      kind,
      fingerprint,
    ])
  }
}
