import { amountText } from '../../../platform/http/amount.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { add, type Money, parseDecimal } from '@tern/money/money'
import type { AddressedNotice } from '../../notifications/notifications.ts'
import { continueTrace } from '../../../platform/tracing/passed-traces.ts'
import type { NoticesContext } from './money-notices.ts'
import type { AppUserRow } from '../../identity/row-types.ts'

/** Maximum of mails about received money per user and hour; one summary covers the rest. */
const maxPerHour = 5
const hourMs = 3_600_000

type MailContext = Pick<NoticesContext, 'notifications' | 'publicUrl' | 'realNow'>
type StoredNotice = AddressedNotice & { readonly id: string }
type ReceivedNotice = Extract<StoredNotice, { code: 'money_received' }>

const isReceived = (notice: StoredNotice): notice is ReceivedNotice => notice.code === 'money_received'

type MailReader = Pick<AppUserRow, 'id' | 'email'> & {
  readonly recent: number
  /** Due time of the summary, if any. */
  readonly due_at: Date | null
}

/** Mails users about received money, or schedules a summary, in the transaction of the notices. */
export async function mailReceived(
  context: MailContext,
  tx: Tx,
  storedNotices: readonly StoredNotice[],
): Promise<void> {
  const receivedNotices = storedNotices.filter(isReceived)
  if (receivedNotices.length === 0) return
  const at = context.realNow?.() ?? new Date()
  const { rows: readers } = await tx.query<MailReader>(
    `select u.id, u.email,
            (select count(*)::int from mail
              where mail.user_id = u.id and template = 'money_received' and mail.created_at > $2) as recent,
            (select min(mail_due_at) from notification n where n.user_id = u.id and mail_due_at is not null) as due_at
       from app_user u
      where u.id = any($1) and not exists (select from mail_choice c where c.user_id = u.id and not c.payments)`,
    [[...new Set(receivedNotices.map(({ userId }) => userId))], new Date(at.getTime() - hourMs)],
  )
  for (const { id: userId, email, recent, due_at: dueAt } of readers) {
    const ownNotices = receivedNotices.filter((notice) => notice.userId === userId)
    const mailCount = dueAt ? 0 : Math.max(0, maxPerHour - recent) // not money: a number of mails
    for (const { params, subjectId } of ownNotices.slice(0, mailCount)) {
      await continueTrace(subjectId, 'write mail', () =>
        context.notifications.mail(tx, {
          to: { email, userId },
          template: 'money_received',
          data: {
            person: params.person.name,
            username: params.person.username ?? undefined,
            amount: `${params.amount} ${params.currency}`,
            description: params.description,
            link: `${context.publicUrl}/transactions?details=${subjectId ?? ''}`,
          },
        }),
      )
    }
    const deferredIds = ownNotices.slice(mailCount).map(({ id }) => id)
    await tx.query('update notification set mail_due_at = $2 where id = any($1)', [
      deferredIds,
      dueAt ?? new Date(at.getTime() + hourMs),
    ])
  }
}

/** Mails one user the due summary. False if none is due. */
export async function mailSummaries(context: MailContext, tx: Tx): Promise<boolean> {
  const at = context.realNow?.() ?? new Date()
  const { rows } = await tx.query<{ user_id: bigint; params: NotificationParams['money_received'] }>(
    `update notification set mail_due_at = null
      where mail_due_at is not null
        and user_id = (select user_id from notification where mail_due_at <= $1 order by mail_due_at limit 1)
      returning user_id, params`,
    [at],
  )
  const [first] = rows
  if (!first) return false
  const sums = new Map<string, Money>()
  for (const { params } of rows) {
    const amount = parseDecimal(params.currency, params.amount)
    const previousSum = sums.get(amount.currency)
    sums.set(amount.currency, previousSum ? add(previousSum, amount) : amount)
  }
  const { rows: readers } = await tx.query<Pick<AppUserRow, 'email'>>(
    `select email from app_user u
      where id = $1 and not exists (select from mail_choice c where c.user_id = u.id and not c.payments)`,
    [first.user_id],
  )
  for (const { email } of readers) {
    await context.notifications.mail(tx, {
      to: { email, userId: first.user_id },
      template: 'money_received_summary',
      data: {
        count: rows.length,
        amounts: [...sums.values()].map(amountText),
        link: `${context.publicUrl}/transactions`,
      },
    })
  }
  return true
}
