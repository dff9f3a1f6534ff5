import type { Category } from '@tern/contract/insight'
import type { Db } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import { haveTransacted } from '../identity/identity.ts'

interface Choice {
  readonly userId: bigint
  /** Null removes the choice. */
  readonly category: Category | null
  readonly at: Date
}

/** Tables of chosen categories, with the column of their subject. */
const subjectColumns = {
  counterparty_category: 'counterparty_id',
  transaction_category: 'transaction_id',
} as const

interface StoredChoice extends Choice {
  readonly table: keyof typeof subjectColumns
  readonly subjectId: bigint | string
}

/** Stores a choice, replaces the previous one, or removes it. */
async function storeChoice(db: Db, { table, subjectId, userId, category, at }: StoredChoice): Promise<void> {
  const column = subjectColumns[table]
  if (category === null) {
    await db.query(`delete from ${table} where user_id = $1 and ${column} = $2`, [userId, subjectId])
    return
  }
  await db.query(
    `insert into ${table} (user_id, ${column}, category, chosen_at) values ($1, $2, $3, $4)
     on conflict (user_id, ${column}) do update set category = $3, chosen_at = $4`,
    [userId, subjectId, category, at],
  )
}

/**
 * Chooses the category of all of a user's transactions with another. Refuses `not_found` unless a payment between the
 * two has arrived.
 */
export async function chooseForCounterparty(
  db: Db,
  { counterpartyId, ...choice }: Choice & { readonly counterpartyId: bigint },
): Promise<void> {
  if (!(await haveTransacted(db, { userId: choice.userId, otherId: counterpartyId }))) refuse('not_found')
  await storeChoice(db, { ...choice, table: 'counterparty_category', subjectId: counterpartyId })
}

/**
 * Chooses the category of one transaction. Refuses `not_found` for transactions of others, and for those with no other
 * person.
 */
export async function chooseForTransaction(
  db: Db,
  { transactionId, ...choice }: Choice & { readonly transactionId: string },
): Promise<void> {
  const { rowCount } = await db.query(
    `select from transaction where user_id = $1 and id = $2
        and (kind in ('SEND', 'RECEIVE') or kind = 'DEPOSIT' and description like 'guest\\_payment%')`,
    [choice.userId, transactionId],
  )
  if (rowCount === 0) refuse('not_found')
  await storeChoice(db, { ...choice, table: 'transaction_category', subjectId: transactionId })
}
