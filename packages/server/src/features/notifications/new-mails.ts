import { type Db, onlyRow, type Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import { tracing } from '../../platform/tracing/tracing.ts'
import type { NotificationsContext } from './context.ts'
import type { MailContent } from './delivery.ts'
import { requireOwnLink } from './mails/render.ts'
import type { MailData, MailTemplate } from './mails/templates.ts'

interface Recipient {
  readonly email: string
  readonly userId?: bigint | undefined
  /** Defaults to the language of the request. */
  readonly language?: string | undefined
}

export interface NewMail<T extends MailTemplate> {
  readonly to: Recipient
  readonly template: T
  readonly data: MailData[T]
}

/**
 * Returns SQL that adds one job per mail, with the span that it continues. Its attempts suffice for the 30 days for which
 * a mail is useful at most.
 */
const addJob = (traceparent: string) => `graphile_worker.add_job('send_mail',
  json_strip_nulls(json_build_object('mailId', mail.id, 'traceparent', ${traceparent})), job_key => mail.id::text,
  job_key_mode => 'unsafe_dedupe', max_attempts => 1000)`
/** Domain of the placeholder addresses of deleted accounts (RFC 2606). */
const deletedDomain = '@deleted.invalid'
const isWaiting = 'sent_at is null and given_up_at is null'

/** Stores a mail and adds the job that sends it. Skips deleted accounts. */
export async function writeMail<T extends MailTemplate>(
  { seal, publicUrl, realNow }: NotificationsContext,
  tx: Tx,
  { to, template, data }: NewMail<T>,
): Promise<void> {
  const { email, userId, language = currentRequestMessages().language.code } = to
  if (email.endsWith(deletedDomain)) return
  requireOwnLink(template, data, publicUrl)
  const at = realNow()
  const id = newId(at)
  const content: MailContent = { to: email, language, data }
  const sealedContent = seal.seal(JSON.stringify(content), id)
  await insertRow(tx, 'mail', { id, user_id: userId, template, content: sealedContent, created_at: at })
  await tx.query(`select ${addJob('$2::text')} from mail where id = $1`, [id, tracing()?.current()])
}

/** Ensures that every waiting mail has a job that runs within the hour. */
export async function resumeSending(db: Db): Promise<void> {
  // By default the queue unlocks a dead worker's jobs after four hours, and its pauses grow to six hours.
  await db.query(
    `update graphile_worker._private_jobs
        set locked_at = null, locked_by = null, run_at = least(run_at, now() + interval '1 hour')
      where task_id = (select id from graphile_worker._private_tasks where identifier = 'send_mail')
        and (locked_at < now() - interval '2 minutes' or run_at > now() + interval '1 hour')`,
  )
  // Adds jobs that were lost with the queue, for example by a restore without it.
  await db.query(
    `select ${addJob('null')} from mail
      where ${isWaiting} and not exists (select from graphile_worker._private_jobs where key = mail.id::text)`,
  )
}

/** Returns the age of the oldest waiting mail in seconds; 0 if none is waiting. */
export async function readWaitingSeconds(db: Db): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from mail where ${isWaiting}`,
  )
  return onlyRow(rows).seconds
}
