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

/** Mails the sender of a transfer that it could not be delivered, and that its money is back. */
export async function mailReturn(
  { identity, notifications, publicUrl }: MailOptions,
  tx: Tx,
  { sender_id: userId, currency, amount_minor: minor }: HeldTransfer,
): Promise<void> {
  const sender = (await identity.usersById(tx, [userId])).get(userId)
  if (!sender) throw new Error(`user ${userId} is unknown`)
  const data = { amount: amountText(money(currency, minor)), link: `${publicUrl}/transactions` }
  await notifications.mail(tx, { to: { userId, email: sender.email }, template: 'transfer_undeliverable', data })
}
