import type { UserAt } from '../../identity/identity.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { tables } from '../../list.ts'

/** Rows that name others come first. */
const statements = Object.values(tables)
  .toReversed()
  .flatMap(({ erasure = [] }) => erasure)

/**
 * Deletes or ends everything inert of an account holder who leaves, while the names still stand. Rows that stay belong to
 * the books, and name a user number only.
 */
export async function eraseArrangements(tx: Tx, { userId, at }: UserAt): Promise<void> {
  for (const statement of statements) {
    await tx.query(statement, statement.includes('$2') ? [userId, at] : [userId])
  }
}
