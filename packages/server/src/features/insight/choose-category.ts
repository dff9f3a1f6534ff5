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

/**
 * Chooses the category of all of a user's transactions with another. Refuses `not_found` unless a payment between the
 * two has arrived.
 */
export async function chooseForCounterparty(
  db: Db,
  { userId, counterpartyId, category, at }: Choice & { readonly counterpartyId: bigint },
): Promise<void> {
  if (!(await haveTransacted(db, { userId, otherId: counterpartyId }))) refuse('not_found')
  if (category === null) {
    await db.query('delete from counterparty_category where user_id = $1 and counterparty_id = $2', [
      userId,
      counterpartyId,
    ])
    return
  }
  await db.query(
    `insert into counterparty_category (user_id, counterparty_id, category, chosen_at) values ($1, $2, $3, $4)
     on conflict (user_id, counterparty_id) do update set category = $3, chosen_at = $4`,
    [userId, counterpartyId, category, at],
  )
}

/**
 * Chooses the category of one transaction. Refuses `not_found` for transactions of others, and for those with no other
 * person.
 */
export async function chooseForTransaction(
  db: Db,
  { userId, transactionId, category, at }: Choice & { readonly transactionId: string },
): Promise<void> {
  const { rowCount } = await db.query(
    `select from transaction where user_id = $1 and id = $2
        and (kind in ('SEND', 'RECEIVE') or kind = 'DEPOSIT' and description like 'guest\\_payment%')`,
    [userId, transactionId],
  )
  if (rowCount === 0) refuse('not_found')
  if (category === null) {
    await db.query('delete from transaction_category where user_id = $1 and transaction_id = $2', [
      userId,
      transactionId,
    ])
    return
  }
  await db.query(
    `insert into transaction_category (user_id, transaction_id, category, chosen_at) values ($1, $2, $3, $4)
     on conflict (user_id, transaction_id) do update set category = $3, chosen_at = $4`,
    [userId, transactionId, category, at],
  )
}
