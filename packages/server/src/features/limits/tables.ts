import { type Tables, dollarSql, allPrivileges, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  limit_usage: {
    rights: readOnly,
    personal: {
      category: 'limits',
      columns: `day, ${dollarSql('usd_minor', 'usd')}, movements`,
      since: 'day::timestamptz',
    },
    // Deleted by a database function that keeps the last 400 days. The application itself may not delete usage.
    retention: { days: 400, clock: 'product', statement: 'select from clear_limit_usage($1::date, $2)' },
  },
  limit_usage_by_method: {
    rights: readOnly,
    personal: {
      category: 'limits',
      columns: `day, method, ${dollarSql('usd_minor', 'usd')}, movements`,
      since: 'day::timestamptz',
    },
  },
  limit_policy: {
    rights: readOnly,
    personal: 'none',
  },
  limit_policy_version: {
    rights: readOnly,
    personal: 'none',
  },
  own_limit: {
    rights: allPrivileges,
    personal: {
      category: 'limits',
      columns: `direction, period, ${dollarSql('max_usd_minor', 'max_usd')}, ${dollarSql('next_max_usd_minor', 'next_max_usd')},
      next_at`,
    },
    erasure: ['delete from own_limit where user_id = $1'],
    facts: {
      rows: 'limits that people set',
      keys: 'user_id,direction,period',
      columns: 'max_usd_minor, next_max_usd_minor, next_at',
    },
  },
}

/** SECURITY DEFINER functions; true if the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.reverse_limit_usage': true,
  'public.lock_limit_usage': true,
  'public.clear_limit_usage': true,
  'public.count_limit_usage': true,
  'public.limits_of': true,
  'public.decide_limits': false,
  'public.renew_free_room': false,
  'public.open_limit_usage': false,
  'public.note_limit_policy': false,
  'public.forget_free_room': false,
}
