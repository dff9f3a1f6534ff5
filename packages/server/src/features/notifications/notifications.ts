import type { MailProvider } from '@tern/providers/mail/port'
import type pg from 'pg'
import { only, type Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { type Catalogues, messagesHere, readCatalogues } from '../../platform/messages.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { type Content, sendMail } from './delivery.ts'
import type { Log } from './log.ts'
import { createMailChoices, type MailChoices, type OnMailChoices } from './mail-choices.ts'
import { createNotices, type Notices } from './notices.ts'
import { requireOwnLink } from './mails/render.ts'
import type { MailData, MailTemplate } from './mails/templates.ts'

export type { Notice, NoticeTo } from './notices.ts'
export type { MailData, PayoutReason, SecurityChange } from './mails/templates.ts'
export { factorChanges } from './mails/templates.ts'

/** To whom a mail goes. */
export interface Recipient {
  readonly email: string
  readonly userId?: bigint | undefined
  /** In which they read; that of the call in which the mail is written, unless given. */
  readonly language?: string | undefined
}

/** Tells people what concerns them, in the product and by mail. */
export interface Notifications extends Notices, MailChoices {
  /** Writes a mail, and the job that sends it, in the transaction of what it tells. */
  mail<T extends MailTemplate>(tx: Tx, to: Recipient, template: T, data: MailData[T]): Promise<void>
  /** The job of a mail: sends it if it still waits. Throws when the provider did not answer, to be tried again. */
  send(id: string): Promise<void>
  /** Sees to it that every waiting mail has a job that a worker can take within the hour. */
  resumeSending(): Promise<void>
  /** For how many seconds the oldest mail has been waiting; 0 when none is. */
  waitingSeconds(): Promise<number>
}

export interface NotificationOptions {
  readonly pool: pg.Pool
  readonly secret: Secret
  readonly provider: MailProvider
  readonly publicUrl: string
  readonly realNow?: () => Date
  /** Dates what is told in the product; the real clock unless given. */
  readonly now?: () => Date
  /** Wakes the event streams of these users; none unless given. */
  readonly wake?: (userIds: readonly bigint[]) => void
  /** Notes what somebody chose about their mails; nothing unless given. */
  readonly onMailChoices?: OnMailChoices | undefined
  readonly log: Log
  /** Those that the product has, unless given. */
  readonly catalogues?: Promise<Catalogues>
}

/** A mail has one job, with more attempts than fit into the 30 days for which the longest-lived mails are of use. */
const addJob = `graphile_worker.add_job('send_mail', json_build_object('mailId', mail.id), job_key => mail.id::text,
  job_key_mode => 'unsafe_dedupe', max_attempts => 1000)`
/** The address of somebody who has left (RFC 2606). */
const noMailbox = '@deleted.invalid'
const isWaiting = 'sent_at is null and given_up_at is null'

/** Mails are kept in the database, sealed, until they have left: a crash loses none. */
export function createNotifications(options: NotificationOptions): Notifications {
  const { pool, secret, publicUrl, catalogues = readCatalogues() } = options
  // Links in mails expire by the real clock, which a trial cannot move.
  const realNow = options.realNow ?? (() => new Date())
  const seal = createSeal(secret, 'notifications/mail')
  return {
    ...createNotices({ pool, now: options.now ?? realNow, wake: options.wake ?? (() => {}) }),
    ...createMailChoices(pool, options.onMailChoices),
    async mail(tx, { email, userId, language = messagesHere().language.code }, template, data) {
      if (email.endsWith(noMailbox)) return
      requireOwnLink(template, data, publicUrl)
      const at = realNow()
      const id = newId(at)
      const content: Content = { to: email, language, data }
      const sealed = seal.seal(JSON.stringify(content), id)
      await insertRow(tx, 'mail', { id, user_id: userId, template, content: sealed, created_at: at })
      await tx.query(`select ${addJob} from mail where id = $1`, [id])
    },
    send: (id) => sendMail({ ...options, realNow, seal, catalogues }, id),
    async resumeSending() {
      // By itself, the queue frees a dead worker's jobs after four hours, and lets pauses grow to six.
      await pool.query(
        `update graphile_worker._private_jobs
            set locked_at = null, locked_by = null, run_at = least(run_at, now() + interval '1 hour')
          where task_id = (select id from graphile_worker._private_tasks where identifier = 'send_mail')
            and (locked_at < now() - interval '2 minutes' or run_at > now() + interval '1 hour')`,
      )
      // A job is lost where the queue is, as when a database is restored without it. The mail is what counts.
      await pool.query(
        `select ${addJob} from mail
          where ${isWaiting} and not exists (select from graphile_worker._private_jobs where key = mail.id::text)`,
      )
    },
    async waitingSeconds() {
      const { rows } = await pool.query<{ seconds: number }>(
        `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from mail where ${isWaiting}`,
      )
      return only(rows).seconds
    },
  }
}
