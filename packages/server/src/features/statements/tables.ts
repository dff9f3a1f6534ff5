import { type Tables, allPrivileges } from '../../platform/database/tables.ts'

/** Purpose of the seal of certificates' facts. */
export const certificateSealPurpose = 'statements/certificate'

export const tables: Tables = {
  balance_certificate: {
    rights: 'select, insert, delete',
    personal: { category: 'money', columns: 'id, created_at', since: 'created_at' },
    retention: { days: 1826, clock: 'product', isOld: 'created_at < $1' },
    erasure: ['delete from balance_certificate where user_id = $1'],
    sealed: [{ column: 'facts', key: 'id', keyType: 'uuid', purpose: certificateSealPurpose, context: 'id::text' }],
  },
  statement_mail: {
    rights: allPrivileges,
    personal: {
      category: 'messages',
      columns: 'time_zone, next_month, due_at, created_at',
      since: 'created_at',
    },
    erasure: ['delete from statement_mail where user_id = $1'],
  },
}
