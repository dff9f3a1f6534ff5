import { disclosedAccessesSql } from './data-access.ts'
import { type Tables } from '../../platform/database/tables.ts'

export const tables: Tables = {
  consent: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, document, version, given_how, given_at',
    personal: {
      category: 'privacy',
      columns: 'document, version, given_how, given_at, withdrawn_at',
      since: 'given_at',
    },
    // Consents, accesses and corrections are kept as evidence for five years.
    retention: { days: 1827, clock: 'product', isOld: 'withdrawn_at < $1' },
    erasure: ['update consent set withdrawn_at = $2 where user_id = $1 and withdrawn_at is null'],
  },
  data_access: {
    rights: 'select, insert, delete',
    personal: {
      category: 'privacy',
      columns: 'at, role, operator, purpose, what',
      rows: disclosedAccessesSql,
      since: 'at',
    },
    retention: { days: 1827, clock: 'product', isOld: 'at < $1' },
  },
  correction_request: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, field, right_value, note, created_at, due_at',
    personal: {
      category: 'privacy',
      columns: 'field, right_value, note, state, created_at, due_at, decided_at, answer',
      since: 'created_at',
    },
    retention: { days: 1827, clock: 'product', isOld: 'decided_at < $1' },
    erasure: ['delete from correction_request where user_id = $1'],
  },
  retained_identity: {
    rights: 'select, insert, delete',
    personal: { category: 'identity', unread: 'elsewhere' },
    retention: { days: 0, clock: 'product', isOld: 'due_at < $1' },
    sealed: [
      { column: 'content', key: 'id', keyType: 'uuid', purpose: 'privacy/retained-identity', context: 'id::text' },
    ],
  },
}
