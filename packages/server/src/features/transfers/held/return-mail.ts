import { money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { HeldTransfer } from './held-rows.ts'

export interface MailOptions {
  readonly pool: Db
  readonly identity: Pick<Identity, 'usersById'>
  readonly notifications: Pick<Notifications, 'mail'>
  readonly publicUrl: string
}

/** Tells the sender of a transfer that it could not be delivered at its deadline and that its money is back. */
export async function mailOfReturn(
  { pool, identity, notifications, publicUrl }: MailOptions,
  { sender_id: userId, currency, amount_minor: minor }: HeldTransfer,
): Promise<(tx: Tx) => Promise<void>> {
  const sender = (await identity.usersById(pool, [userId])).get(userId)
  if (!sender) throw new Error(`user ${userId} is unknown`)
  const mail = { amount: amountText(money(currency, minor)), link: `${publicUrl}/transactions` }
  return (tx) =>
    notifications.mail(tx, { to: { userId, email: sender.email }, template: 'transfer_undeliverable', data: mail })
}
