import type { Tx } from '../../../platform/database/db.ts'
import type { NoticeTo } from '../../notifications/notifications.ts'
import type { NoticesContext } from './money-notices.ts'

type Sent = NoticeTo & { readonly id: string }
type PaidSomeoneNew = Extract<Sent, { code: 'new_payee_paid' }>

/**
 * Mails users about their first payment to a recipient, in the transaction of the notification. This mail cannot be
 * turned off: it warns an owner of an intruder in the account.
 */
export async function mailNewPayees(
  { people, notifications }: Pick<NoticesContext, 'people' | 'notifications'>,
  tx: Tx,
  sent: readonly Sent[],
): Promise<void> {
  const paid = sent.filter((notice): notice is PaidSomeoneNew => notice.code === 'new_payee_paid')
  if (paid.length === 0) return
  const payers = await people.usersById(tx, [...new Set(paid.map(({ userId }) => userId))])
  for (const { userId, params } of paid) {
    const email = payers.get(userId)?.email
    if (email === undefined) continue
    const { notMe, freeze } = await people.moneyAlertLinks(tx, { userId, email })
    await notifications.mail(tx, {
      to: { email, userId },
      template: 'new_payee_paid',
      data: {
        person: params.person.name,
        username: params.person.username ?? undefined,
        amount: `${params.amount} ${params.currency}`,
        description: params.description,
        freezeLink: freeze,
        link: notMe,
      },
    })
  }
}
