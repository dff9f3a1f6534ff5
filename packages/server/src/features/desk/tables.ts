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
  desk_call: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, operator_id, caller, about, started_at, expires_at',
    // The code of an open call is left out: only the app and the caller show it.
    personal: {
      category: 'logins',
      columns: 'id, caller, about, started_at, confirmed_at, ended_at, ended_by',
      since: 'started_at',
    },
    retention: { days: 400, clock: 'real', isOld: 'ended_at < $1' },
    erasure: [
      `update desk_call set ended_at = now(), ended_by = 'account', code = null where user_id = $1 and ended_at is null`,
    ],
  },
  desk_call_alert: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, call_id, raised_at',
    personal: { category: 'logins', columns: 'id, call_id, raised_at', since: 'raised_at' },
    retention: { days: 400, clock: 'real', isOld: 'raised_at < $1 and seen_at is not null' },
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
