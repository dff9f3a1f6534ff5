import { type Db, only, type Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { messagesHere } from '../../platform/messages.ts'
import type { NotificationsContext } from './context.ts'
import type { Content } from './delivery.ts'
import { requireOwnLink } from './mails/render.ts'
import type { MailData, MailTemplate } from './mails/templates.ts'

interface Recipient {
  readonly email: string
  readonly userId?: bigint | undefined
  /** Language of the mail; that of the present call by default. */
  readonly language?: string | undefined
}

export interface NewMail<T extends MailTemplate> {
  readonly to: Recipient
  readonly template: T
  readonly data: MailData[T]
}

/** A mail has one job, with more attempts than fit into the 30 days for which the longest-lived mails are of use. */
const addJob = `graphile_worker.add_job('send_mail', json_build_object('mailId', mail.id), job_key => mail.id::text,
  job_key_mode => 'unsafe_dedupe', max_attempts => 1000)`
/** Address domain of deleted accounts (RFC 2606). */
const noMailbox = '@deleted.invalid'
const isWaiting = 'sent_at is null and given_up_at is null'

/** Stores a mail and the job that sends it. */
export async function writeMail<T extends MailTemplate>(
  { seal, publicUrl, realNow }: NotificationsContext,
  tx: Tx,
  { to, template, data }: NewMail<T>,
): Promise<void> {
  const { email, userId, language = messagesHere().language.code } = to
  if (email.endsWith(noMailbox)) return
  requireOwnLink(template, data, publicUrl)
  const at = realNow()
  const id = newId(at)
  const content: Content = { to: email, language, data }
  const sealed = seal.seal(JSON.stringify(content), id)
  await insertRow(tx, 'mail', { id, user_id: userId, template, content: sealed, created_at: at })
  await tx.query(`select ${addJob} from mail where id = $1`, [id])
}

/** Makes sure that every waiting mail has a job that a worker can take within the hour. */
export async function resumeSending(db: Db): Promise<void> {
  // By itself, the queue frees a dead worker's jobs after four hours, and lets pauses grow to six.
  await db.query(
    `update graphile_worker._private_jobs
        set locked_at = null, locked_by = null, run_at = least(run_at, now() + interval '1 hour')
      where task_id = (select id from graphile_worker._private_tasks where identifier = 'send_mail')
        and (locked_at < now() - interval '2 minutes' or run_at > now() + interval '1 hour')`,
  )
  // Jobs are lost with the queue, as when a database is restored without it. The mail is what counts.
  await db.query(
    `select ${addJob} from mail
      where ${isWaiting} and not exists (select from graphile_worker._private_jobs where key = mail.id::text)`,
  )
}

/** Seconds for which the oldest mail has been waiting; 0 when none is. */
export async function readWaitingSeconds(db: Db): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from mail where ${isWaiting}`,
  )
  return only(rows).seconds
}
