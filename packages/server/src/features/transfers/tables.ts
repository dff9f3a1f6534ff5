import { type Tables, amountSql, appendOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  transfer: {
    rights: appendOnly,
    fixed: `id, kind, sender_id, recipient_id, payment_id, amount_minor, currency, usd_minor,
      request_hash, created_at`,
    personal: {
      category: 'money',
      columns: `id, kind, state, recipient_id, ${amountSql('amount_minor', 'currency', 'amount')}, currency, description,
      hold_reason, held_until, release_reason, created_at, held_at, decided_at`,
      rows: 'from transfer where sender_id = $1',
      since: 'created_at',
    },
    facts: {
      rows: 'held transfers',
      keys: 'id',
      columns: `kind, state, sender_id, recipient_id, payment_id, amount_minor, currency, usd_minor, locked_price, quote_id, hold_reason, held_until,
    release_reason, decided_by, decision_note, created_at, held_at, decided_at`,
    },
  },
  payee_warning_policy: {
    rights: 'select',
    personal: 'none',
  },
  payee_warning: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, payee_id, amount_minor, currency, patterns, policy_version, facts, shown_at, expires_at',
    // The facts are left out, because they are about the payee.
    personal: {
      category: 'limits',
      columns: `id, payee_id, ${amountSql('amount_minor', 'currency', 'amount')}, currency, patterns, policy_version,
      shown_at, acknowledged_at, used_by`,
      since: 'shown_at',
    },
    // Payments can be disputed for 13 months (PSD2, article 71); what senders were warned of is kept for two years.
    retention: { days: 730, clock: 'real', isOld: 'shown_at < $1' },
  },
  undo_window: {
    rights: 'select, insert, delete',
    fixed: 'user_id',
    personal: { category: 'plans', columns: 'seconds, applies_to, updated_at' },
    erasure: ['delete from undo_window where user_id = $1'],
  },
  tracking_link: {
    rights: 'select, insert, delete',
    fixed: 'id, transaction_id, user_id, created_at',
    personal: {
      category: 'plans',
      columns: 'id, transaction_id, shows_amounts, created_at, ended_at',
      since: 'created_at',
    },
    retention: { days: 90, clock: 'product', isOld: 'ended_at < $1' },
    erasure: ['update tracking_link set ended_at = $2 where user_id = $1 and ended_at is null'],
  },
  street_hold: {
    rights: appendOnly,
    fixed: 'transfer_id, confirm_after_seconds',
    personal: { category: 'money', unread: 'derived' },
    facts: { rows: 'holds of street mode', keys: 'transfer_id', columns: 'confirm_after_seconds, confirmed_at' },
  },
}
