import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { type Money, toDecimal } from '@tern/money/money'
import type { Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import type { DisputeContext } from './context.ts'
import type { StoredDispute } from './records/dispute-rows.ts'

export type DisputeStep = NotificationParams['dispute_changed']['step']

interface DisputeNotice {
  readonly row: StoredDispute
  readonly step: DisputeStep
  readonly amount: Money
  /** Date shown in the notice, such as the deadline of the answer or of the decision. */
  readonly by?: Date | undefined
  /** Date of the provisional credit if the dispute is still undecided then. */
  readonly creditBy?: Date | null | undefined
  /** Part of the credit that could not be reversed: the account cannot send money until it is repaid. */
  readonly missing?: Money
}

/** Notifies the account holder of a step, in the product and by email, regardless of their notification settings. */
export async function notifyHolder(
  { notifications, identity, publicUrl }: Pick<DisputeContext, 'notifications' | 'identity' | 'publicUrl'>,
  tx: Tx,
  { row, step, amount, by, creditBy, missing }: DisputeNotice,
): Promise<void> {
  const { id, user_id: userId } = row
  const date = by?.toISOString().slice(0, 10)
  await notifications.notify(tx, {
    userId,
    code: 'dispute_changed',
    params: { step, amount: toDecimal(amount), currency: amount.currency, ...(date ? { date } : {}) },
    subjectId: id,
    // A step with a date, such as a question or an extension, can happen again.
    dedupe: by ? `${id} ${step} ${by.toISOString()}` : `${id} ${step}`,
    needsAction: step === 'asked',
  })
  const user = (await identity.usersById(tx, [userId])).get(userId)
  if (!user) return
  const mail = {
    step,
    amount: amountText(amount),
    ...(date ? { date } : {}),
    ...(creditBy ? { creditDate: creditBy.toISOString().slice(0, 10) } : {}),
    ...(missing ? { missing: amountText(missing) } : {}),
    link: missing ? `${publicUrl}/settings#missing-money` : `${publicUrl}/disputes/${id}`,
  }
  await notifications.mail(tx, { to: { userId, email: user.email }, template: 'dispute_changed', data: mail })
}
