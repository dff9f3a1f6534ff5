import { type Tables, appendOnly, allPrivileges, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  desk_operator: {
    rights: appendOnly,
    fixed: 'id, name, created_at',
    personal: 'none',
  },
  desk_enrolment: {
    rights: 'select, insert, delete',
    personal: 'none',
    retention: { days: 1, clock: 'real', isOld: 'expires_at < $1' },
  },
  desk_passkey: {
    rights: allPrivileges,
    personal: 'none',
  },
  desk_ceremony: {
    rights: allPrivileges,
    personal: 'none',
    retention: { days: 0, clock: 'real', isOld: 'expires_at < $1' },
  },
  desk_session: {
    rights: allPrivileges,
    personal: 'none',
    retention: { days: 1, clock: 'real', isOld: 'created_at < $1' },
  },
  desk_policy: {
    rights: readOnly,
    personal: 'none',
  },
  desk_item: {
    rights: appendOnly,
    fixed: 'queue, subject',
    personal: 'none',
    facts: { rows: 'items of the desk', keys: 'queue,subject', columns: 'round, verdict' },
  },
  desk_decision: {
    rights: appendOnly,
    personal: 'none',
    facts: {
      rows: 'decisions of the desk',
      keys: 'id',
      columns: 'queue, subject, round, seat, operator_id, verdict, reason, decided_at',
    },
  },
  desk_log: {
    rights: appendOnly,
    personal: 'none',
  },
  desk_own_account: {
    rights: 'select, insert, delete',
    fixed: 'operator_id, user_id, linked_at',
    // Personal data of the user who is the operator.
    personal: { category: 'privacy', columns: 'linked_at, unlinked_at', since: 'linked_at' },
    // Links are deleted five years after they end or the account is deleted; a trigger enforces this period.
    retention: {
      days: 1827,
      clock: 'real',
      isOld: 'unlinked_at < $1 or exists (select from app_user u where u.id = user_id and u.deleted_at < $1)',
    },
  },
}
