import type pg from 'pg'
import { onlyRow, type Db, transact } from '../../platform/database/db.ts'
import type { MailChoices, NotificationsContext } from './context.ts'

/** Returns which optional mails a user wants; all by default. */
export async function readMailChoices(db: Db, userId: bigint): Promise<MailChoices> {
  const { rows } = await db.query<MailChoices>('select payments, requests from mail_choice where user_id = $1', [
    userId,
  ])
  return rows[0] ?? { payments: true, requests: true }
}

/** Stores a user's mail choices and returns them. */
export async function setMailChoices(
  ctx: Pick<NotificationsContext, 'now' | 'accountEvents'>,
  pool: pg.Pool,
  { userId, payments, requests }: { userId: bigint } & MailChoices,
): Promise<MailChoices> {
  return transact(pool, async (tx) => {
    const { rows } = await tx.query<MailChoices>(
      `insert into mail_choice (user_id, payments, requests) values ($1, $2, $3)
       on conflict (user_id) do update set payments = excluded.payments, requests = excluded.requests
       returning payments, requests`,
      [userId, payments, requests],
    )
    const choices = onlyRow(rows)
    for (const { mailsChosen } of ctx.accountEvents) await mailsChosen?.(tx, { userId, choices, at: ctx.now() })
    return choices
  })
}
