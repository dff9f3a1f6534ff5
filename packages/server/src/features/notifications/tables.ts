import { type Tables, allPrivileges } from '../../platform/database/tables.ts'

export const tables: Tables = {
  mail: {
    rights: allPrivileges,
    personal: {
      category: 'messages',
      columns: 'template, created_at, sent_at, given_up_at, given_up_reason',
      since: 'created_at',
    },
    retention: { days: 90, clock: 'real', isOld: 'created_at < $1' },
    sealed: [{ column: 'content', key: 'id', keyType: 'uuid', purpose: 'notifications/mail', context: 'id::text' }],
  },
  notification: {
    rights: allPrivileges,
    personal: {
      category: 'messages',
      columns: 'id, code, params, subject_id, needs_action, created_at, read_at, answered_at',
      since: 'created_at',
    },
    // Unread notifications, and those that still need an action, are kept twice as long.
    retention: {
      days: 90,
      clock: 'product',
      isOld: `created_at < $1 and (read_at is not null and not (needs_action and answered_at is null)
                            or created_at < $1 - interval '90 days')`,
    },
    erasure: ['delete from notification where user_id = $1'],
  },
  changed_topic: {
    rights: 'select, insert, delete',
    personal: { category: 'messages', unread: 'passing' },
    // Event streams look back less than half an hour.
    retention: { days: 1, clock: 'real', isOld: 'changed_at < $1' },
  },
  mail_choice: {
    rights: allPrivileges,
    personal: { category: 'messages', columns: 'payments, requests' },
    erasure: ['delete from mail_choice where user_id = $1'],
  },
}
