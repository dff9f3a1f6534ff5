import { type Tables, appendOnly, undeletable, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  quote: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, recipient_id, created_at, expires_at, locked_price, signature',
    personal: {
      category: 'money',
      columns: 'id, recipient_id, locked_price, created_at, expires_at',
      since: 'created_at',
    },
    // Keeps quotes whose token is used or reserved, since a movement or payment refers to them.
    retention: {
      days: 90,
      clock: 'product',
      isOld: 'expires_at < $1 and not exists (select from ledger.token where token.id = quote.id)',
    },
  },
  rate_fix: {
    rights: appendOnly,
    fixed: 'id, source, base, quote, as_of, numerator, denominator, received_at',
    personal: 'none',
  },
  rate_latest: {
    rights: undeletable,
    personal: 'none',
  },
  rate_policy: {
    rights: readOnly,
    personal: 'none',
  },
  spread: {
    rights: readOnly,
    personal: 'none',
  },
  fee_policy: {
    rights: readOnly,
    personal: 'none',
  },
  liquidity_limit: {
    rights: undeletable,
    personal: 'none',
    facts: {
      rows: 'limits of positions',
      keys: 'currency',
      columns: 'long_minor, short_minor, flatten_above_minor, changed_by, changed_at',
    },
  },
  liquidity_default: {
    rights: readOnly,
    personal: 'none',
  },
  liquidity_reservation: {
    rights: 'select, insert, delete',
    fixed: 'id, currency, minor, usd_minor, user_id',
    personal: { category: 'money', unread: 'passing' },
  },
  liquidity_total: {
    rights: undeletable,
    personal: 'none',
  },
  liquidity_change: {
    rights: 'select, insert, delete',
    personal: 'none',
  },
}
