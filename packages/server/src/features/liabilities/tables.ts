import type { Tables } from '../../platform/database/tables.ts'

/** Days for which proofs of balances are kept. */
export const keptDays = 35

/** Advisory lock of the process that builds a tree. */
export const treeLock = 'tern liabilities'

export const tables: Tables = {
  liability_day: {
    rights: 'select, insert, delete',
    fixed: 'day, seed, depth, root_hash, built_at',
    personal: 'none',
    // Deletes the rest of the tree too. Proofs that were saved stay valid: they need the log only.
    retention: { days: keptDays, clock: 'product', isOld: 'built_at < $1' },
  },
  liability_total: { rights: 'select, insert, delete', personal: 'none' },
  liability_tile: { rights: 'select, insert, delete', personal: 'none' },
  liability_holder: {
    rights: 'select, insert, delete',
    personal: { category: 'money', columns: 'day, position' },
    erasure: [
      // Lets a tree that is being built end first. Later ones leave out the deleted account's proof.
      `select pg_advisory_xact_lock(hashtextextended('${treeLock}', 0)) where $1::bigint is not null`,
      'delete from liability_holder where user_id = $1',
    ],
  },
}
