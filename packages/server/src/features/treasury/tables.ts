import { type Tables, appendOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  treasury_order: {
    rights: appendOnly,
    fixed: 'id, provider, currency, sell_currency, sell_minor, buy_currency, ordered_by, created_at',
    personal: 'none',
    facts: {
      rows: 'orders to venues',
      keys: 'id',
      columns: `provider, currency, sell_currency, sell_minor, buy_currency, state, reference, sold_minor, bought_minor, reason, ordered_by, created_at,
    filled_at`,
    },
  },
}
