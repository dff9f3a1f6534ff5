import { type Tables } from '../../platform/database/tables.ts'

export const tables: Tables = {
  fee_index_month: {
    rights: 'select, insert, delete',
    personal: 'none',
  },
}
