import { type Tables, dollarSql, allPrivileges, undeletable, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  risk_policy: {
    rights: readOnly,
    personal: 'none',
  },
  risk_profile: {
    rights: undeletable,
    personal: {
      category: 'limits',
      columns: `proven_at, ${dollarSql('unproven_usd_minor', 'unproven_usd')}, unproven_payments`,
    },
  },
  risk_payee_day: {
    rights: 'select, insert, update, delete',
    personal: {
      category: 'limits',
      columns: `day, payee, is_trusted, ${dollarSql('usd_minor', 'usd')}`,
      since: 'day::timestamptz',
    },
    retention: { days: 40, clock: 'product', isOld: 'day < $1::date' },
  },
  risk_decision: {
    rights: 'select, insert, delete',
    fixed:
      'id, movement, request_digest, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed, inputs',
    personal: {
      category: 'limits',
      columns: `decided_at, kind, payee, ${dollarSql('usd_minor', 'usd')}, rule, passed, policy_version, inputs`,
      since: 'decided_at',
    },
    // Payments can be disputed for 13 months (PSD2, article 71); decisions are kept for two years.
    retention: { days: 730, clock: 'product', isOld: 'decided_at < $1' },
  },
  street_policy: {
    rights: readOnly,
    personal: 'none',
  },
  street_setting: {
    rights: allPrivileges,
    personal: {
      category: 'limits',
      columns: 'valid_from, is_on, limit_minor, currency, night_from, night_until, time_zone',
      since: 'valid_from',
    },
    erasure: ['delete from street_setting where user_id = $1'],
  },
  street_place: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, network, created_at',
    personal: { category: 'limits', columns: 'name, country, network, trusted_from, created_at', since: 'created_at' },
    erasure: ['delete from street_place where user_id = $1'],
  },
  street_passed: {
    rights: 'select, insert, delete',
    personal: { category: 'limits', columns: `passed_at, ${dollarSql('usd_minor', 'usd')}`, since: 'passed_at' },
    retention: { days: 40, clock: 'product', isOld: 'passed_at < $1' },
    erasure: ['delete from street_passed where user_id = $1'],
  },
  send_guard: {
    rights: readOnly,
    personal: { category: 'limits', unread: 'derived' },
  },
}

/** Definer functions; true if the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.forget_send_room': false,
  'public.open_send_guard': false,
}
