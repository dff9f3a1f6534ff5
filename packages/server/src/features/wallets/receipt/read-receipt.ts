import type { Receipt } from '@tern/contract/transactions'
import type { Db } from '../../../platform/database/db.ts'
import { countryCode, countryForOthersSql } from '../../identity/identity.ts'
import { findTransaction } from '../transactions.ts'
import type { AppUserRow } from '../../identity/row-types.ts'

type DeliveryRow = Pick<AppUserRow, 'username' | 'name'> & {
  readonly country: string | null
  readonly delivered_at: Date | null
}

/**
 * Reads the receipt of one of the user's own transactions, if any has this id. The time of delivery is that of the
 * decision on a held transfer, otherwise of the row's last change of status, otherwise of its creation.
 */
export async function readReceipt(
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id: string },
): Promise<Pick<Receipt, 'transaction' | 'delivered_at' | 'owner'> | undefined> {
  const transaction = await findTransaction(db, { userId, id })
  if (!transaction) return undefined
  const { rows } = await db.query<DeliveryRow>(
    `select u.username, u.name, ${countryForOthersSql('u.id')} as country,
            case when t.status = 'COMPLETED' then coalesce(f.decided_at, t.changed_at, t.created_at) end as delivered_at
       from transaction t
       join app_user u on u.id = t.user_id
       left join transfer f on f.id = t.id and f.state = 'settled'
      where t.user_id = $1 and t.id = $2`,
    [userId, id],
  )
  const [deliveryRow] = rows
  if (!deliveryRow) return undefined
  const { delivered_at: deliveredAt, username, name, country } = deliveryRow
  const owner = { username, name, country: countryCode(country) }
  // Rows use the product's clock, changes the database's. If they disagree, the duration is unknown.
  const isKnown = deliveredAt !== null && deliveredAt.getTime() >= new Date(transaction.timestamp).getTime()
  return { transaction, delivered_at: isKnown ? deliveredAt.toISOString() : null, owner }
}
