import type { Tx } from '../../../platform/database/db.ts'
import { continueTrace } from '../../../platform/tracing/passed-traces.ts'
import type { AddressedNotice } from '../../notifications/notifications.ts'
import type { NoticesContext } from './money-notices.ts'

type StoredNotice = AddressedNotice & { readonly id: string }
type NewPayeeNotice = Extract<StoredNotice, { code: 'new_payee_paid' }>

/**
 * Mails users about their first payment to a recipient, in the transaction of the notification. Users cannot turn this
 * mail off, because it warns them of an intruder in their account.
 */
export async function mailNewPayees(
  { people, notifications }: Pick<NoticesContext, 'people' | 'notifications'>,
  tx: Tx,
  storedNotices: readonly StoredNotice[],
): Promise<void> {
  const newPayeeNotices = storedNotices.filter((notice): notice is NewPayeeNotice => notice.code === 'new_payee_paid')
  if (newPayeeNotices.length === 0) return
  const payers = await people.usersById(tx, [...new Set(newPayeeNotices.map(({ userId }) => userId))])
  for (const { userId, params, subjectId } of newPayeeNotices) {
    const email = payers.get(userId)?.email
    if (email === undefined) continue
    const { notMe, freeze } = await people.moneyAlertLinks(tx, { userId, email })
    await continueTrace(subjectId, 'write mail', () =>
      notifications.mail(tx, {
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
      }),
    )
  }
}
