import { type Tables, allPrivileges } from '../../platform/database/tables.ts'

export const tables: Tables = {
  counterparty_category: {
    rights: allPrivileges,
    personal: {
      category: 'people',
      columns: `counterparty_id, (select username from app_user where id = counterparty_id) as username, category, chosen_at`,
      since: 'chosen_at',
    },
    erasure: ['delete from counterparty_category where user_id = $1'],
  },
  transaction_category: {
    rights: allPrivileges,
    personal: { category: 'people', columns: 'transaction_id, category, chosen_at', since: 'chosen_at' },
    erasure: ['delete from transaction_category where user_id = $1'],
  },
}
