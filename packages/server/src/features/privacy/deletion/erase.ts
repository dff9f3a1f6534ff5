import type { UserAndTime } from '../../identity/identity.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { tables } from '../../list.ts'

/** Erasure statements of all tables, those of referencing tables first. */
const statements = Object.values(tables)
  .toReversed()
  .flatMap(({ erasure = [] }) => erasure)

/**
 * Deletes or ends everything that a deleted user has set up. Must run before the user's names are erased. The remaining
 * rows belong to the books, and identify the user only by id.
 */
export async function eraseUserSettings(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  for (const statement of statements) {
    await tx.query(statement, statement.includes('$2') ? [userId, at] : [userId])
  }
}
