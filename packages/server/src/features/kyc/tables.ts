import { documentSealPurpose } from './documents/documents.ts'
import { computeFingerprint } from './records/submission.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { Seal } from '../../platform/seal.ts'
import { type Tables, allPrivileges } from '../../platform/database/tables.ts'
import type { KycNumberRow, KycSubmissionRow } from './row-types.ts'

export const tables: Tables = {
  kyc_submission: {
    rights: allPrivileges,
    personal: {
      category: 'identity',
      columns: `id, status, first_name, last_name, date_of_birth, country, nationality, email, document_type, issuing_country,
      currency_preference, street_address, city, state, postal_code, reasons, submitted_at, decided_at, provider,
      provider_check_id, is_hosted, decided_by`,
      since: 'submitted_at',
    },
    sealed: [
      {
        column: 'numbers',
        key: 'id',
        keyType: 'uuid',
        purpose: 'kyc/numbers',
        context: 'id::text',
        rehash: rehashNumbers,
      },
      { column: 'local_name', key: 'id', keyType: 'uuid', purpose: 'kyc/numbers', context: "'local name ' || id" },
    ],
  },
  kyc_number: {
    rights: 'select, insert, delete',
    fixed: 'submission_id, kind, last_characters',
    personal: {
      category: 'identity',
      columns: 'submission_id, kind, last_characters, kyc_number.released_at',
      rows: 'from kyc_number join kyc_submission on id = submission_id where user_id = $1',
    },
  },
  kyc_document: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, document_type, side, content_type, size_bytes, created_at',
    personal: {
      category: 'identity',
      columns: 'id, document_type, side, content_type, size_bytes, created_at',
      since: 'created_at',
    },
    // Rows of deleted files are kept for two days, because the daily limit counts them. Files that never led to a
    // verification are deleted after 180 days, and those of a former user together with the retained identity.
    retention: {
      days: 2,
      clock: 'product',
      isOld: `deleted_at < $1
         or (created_at < $1 - interval '178 days'
             and exists (select from app_user where id = user_id
                           and kyc_status in ('not_started', 'needs_information', 'rejected'))
             and not exists (select from kyc_submission form
                               where form.user_id = kyc_document.user_id and form.status = 'verified')
             and not exists (select from retained_identity kept where kept.user_id = kyc_document.user_id))
         or exists (select from retained_identity left_long_ago
                     where left_long_ago.user_id = kyc_document.user_id and due_at < $1 + interval '2 days')`,
    },
    erasure: [
      // Files of a verified user are kept, sealed, for as long as the retained identity.
      `update kyc_document set content = null, deleted_at = $2
    where user_id = $1 and deleted_at is null and not exists (select from retained_identity where user_id = $1)`,
    ],
    sealed: [{ column: 'content', key: 'id', keyType: 'uuid', purpose: documentSealPurpose, context: 'id::text' }],
  },
  kyc_event: {
    rights: 'select, insert, delete',
    personal: 'none',
    // Providers repeat an event for some days at most.
    retention: { days: 90, clock: 'product', isOld: 'received_at < $1' },
  },
  kyc_redaction: {
    rights: 'select, insert, delete',
    personal: 'none',
  },
}

/** Recomputes the keyed hashes of a form's numbers. */
async function rehashNumbers(tx: Tx, seal: Seal, { key, text }: { key: unknown; text: string }): Promise<void> {
  const numbers = JSON.parse(text) as Partial<Record<string, string>>
  const { rows } = await tx.query<Pick<KycNumberRow, 'kind'> & Pick<KycSubmissionRow, 'country'>>(
    'select kind, country from kyc_number join kyc_submission on id = submission_id where submission_id = $1',
    [key],
  )
  for (const { kind, country } of rows) {
    const fingerprint = computeFingerprint(seal, country, kind, numbers[kind] ?? '')
    await tx.query('update kyc_number set fingerprint = $3 where submission_id = $1 and kind = $2', [
      key,
      kind,
      fingerprint,
    ])
  }
}
