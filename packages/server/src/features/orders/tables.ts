import { type Tables, amountSql, undeletable } from '../../platform/database/tables.ts'

export const tables: Tables = {
  exchange_order: {
    rights: 'select, insert, delete',
    fixed: `id, user_id, wallet_id, transaction_id, kind, source_currency, target_currency, rate_currency,
      request_hash, created_at`,
    personal: {
      category: 'plans',
      columns: `id, kind, state, ${amountSql('source_minor', 'source_currency', 'source_amount')}, source_currency,
      target_currency, ${amountSql('fee_minor', 'source_currency', 'fee')}, rate, rate_currency, worst_rate, expires_at,
      transaction_id, created_at, edited_at, ended_at`,
      since: 'created_at',
    },
    // Filled orders are kept with their transaction and quote.
    retention: { days: 730, clock: 'product', isOld: "ended_at < $1 and state <> 'filled'" },
    facts: {
      rows: 'exchange orders',
      keys: 'id',
      columns: `user_id, wallet_id, transaction_id, kind, state, source_currency, target_currency, source_minor, fee_minor, fee_basis_points,
    rate_currency, rate, worst_rate, minimum_minor, trigger_numerator, trigger_denominator, expires_at, quote_id, created_at, ended_at`,
    },
  },
  exchange_order_edit: {
    rights: 'select, insert, delete',
    personal: {
      category: 'plans',
      columns: 'e.order_id, e.created_at',
      rows: 'from exchange_order_edit e join exchange_order o on o.id = e.order_id where o.user_id = $1',
      since: 'e.created_at',
    },
    retention: { days: 90, clock: 'product', isOld: 'created_at < $1' },
  },
  protection_rule: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, kind, request_hash, created_at',
    personal: {
      category: 'plans',
      columns: `id, kind, is_on, currency, base_currency, share_percent,
      ${amountSql('threshold_minor', 'base_currency', 'threshold')}, created_at, updated_at`,
      since: 'created_at',
    },
    erasure: ['delete from protection_rule where user_id = $1'],
    facts: {
      rows: 'protection rules',
      keys: 'id',
      columns: 'user_id, kind, is_on, currency, base_currency, share_percent, threshold_minor',
    },
  },
  protection_action: {
    rights: 'select, insert, delete',
    fixed: 'id, rule_id, incoming_id, created_at',
    personal: {
      category: 'plans',
      columns: 'a.rule_id, a.state, a.reason, a.transaction_id, a.created_at, a.closed_at',
      rows: 'from protection_action a join protection_rule r on r.id = a.rule_id where r.user_id = $1',
      since: 'a.created_at',
    },
    retention: { days: 730, clock: 'product', isOld: 'closed_at < $1' },
    erasure: ['delete from protection_action where rule_id in (select id from protection_rule where user_id = $1)'],
  },
  protection_position: {
    rights: undeletable,
    personal: 'none',
  },
  rate_alert: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, source_currency, target_currency, request_hash, created_at',
    personal: {
      category: 'plans',
      columns: 'id, source_currency, target_currency, rate_side, rate, told_at, told_rate, created_at',
      since: 'created_at',
    },
    retention: { days: 90, clock: 'product', isOld: 'told_at < $1' },
    erasure: ['delete from rate_alert where user_id = $1'],
  },
  rate_return_alert: {
    rights: 'select, insert, delete',
    fixed: 'user_id, source_currency, target_currency',
    personal: { category: 'plans', columns: 'source_currency, target_currency, created_at', since: 'created_at' },
    // Deletes alerts that were not sent within 30 days.
    retention: { days: 30, clock: 'product', isOld: 'created_at < $1' },
    erasure: ['delete from rate_return_alert where user_id = $1'],
  },
}

/** SECURITY DEFINER functions; true if the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.price_pending_order': true,
}
