import type { Tx } from '../../../platform/database/db.ts'
import type { NoticeTo } from '../../notifications/notifications.ts'
import type { FollowOptions } from './money-notices.ts'

type Told = NoticeTo & { readonly id: string }
type PaidSomeoneNew = Extract<Told, { code: 'new_payee_paid' }>

/**
 * Mails people that they have paid somebody for the first time, in the transaction that tells them in the product. Nobody can turn
 * this mail off: it is how an owner learns that somebody else is in their account.
 */
export async function mailNewPayees(
  tx: Tx,
  told: readonly Told[],
  { people, notifications }: Pick<FollowOptions, 'people' | 'notifications'>,
): Promise<void> {
  const paid = told.filter((notice): notice is PaidSomeoneNew => notice.code === 'new_payee_paid')
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
