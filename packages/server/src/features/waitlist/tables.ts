import { type Tables } from '../../platform/database/tables.ts'

export const tables: Tables = {
  waitlist: {
    rights: 'select, insert, delete',
    fixed: 'id, email, joined_at',
    personal: {
      category: 'messages',
      columns: 'email, country, joined_at, forwarded_at',
      rows: 'from waitlist where email = (select lower(email) from app_user where id = $1)',
      since: 'joined_at',
    },
    erasure: ['delete from waitlist where email = (select lower(email) from app_user where id = $1)'],
  },
}
