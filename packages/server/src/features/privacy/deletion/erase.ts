import type { UserAndTime } from '../../identity/identity.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { tables } from '../../list.ts'

/** Statements for referencing rows come first. */
const statements = Object.values(tables)
  .toReversed()
  .flatMap(({ erasure = [] }) => erasure)

/**
 * Deletes or ends arrangements of a leaving user, while the names are still stored. Rows that stay belong to the books,
 * and name a user number only.
 */
export async function eraseUserSettings(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  for (const statement of statements) {
    await tx.query(statement, statement.includes('$2') ? [userId, at] : [userId])
  }
}
