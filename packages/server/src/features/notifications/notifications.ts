import type { MailProvider } from '@tern/providers/mail/port'
import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { type Catalogues, messagesHere, readCatalogues } from '../../platform/messages.ts'
import { createSeal } from '../../platform/seal.ts'
import { type Content, createDelivery } from './delivery.ts'
import { describe, type Log } from './log.ts'
import { addMail, deleteMailsBefore } from './queue.ts'
import { requireOwnLink } from './mails/render.ts'
import type { MailData, MailTemplate } from './mails/templates.ts'

export type { PayoutReason, SecurityChange } from './mails/templates.ts'

/** To whom a mail goes. */
export interface Recipient {
  readonly email: string
  readonly userId?: bigint | undefined
  /** In which they read; that of the call in which the mail is written, unless given. */
  readonly language?: string | undefined
}

/** Tells people by mail what concerns them. */
export interface Notifications {
  /** Writes a mail in the transaction of what it tells; it is sent after the commit, or never if that fails. */
  mail<T extends MailTemplate>(tx: Tx, to: Recipient, template: T, data: MailData[T]): Promise<void>
  /** Sends what is due without keeping anybody waiting: to be called after the commit. */
  deliverSoon(): void
  /** Sends what is due, also what an earlier attempt left behind; gives how many went out. */
  sendDue(): Promise<number>
  /** Deletes what was written more than 90 days ago. */
  forgetOld(): Promise<void>
  /** Waits for what is being sent, and sends nothing more. */
  close(): Promise<void>
}

export interface NotificationOptions {
  readonly pool: pg.Pool
  readonly secret: Buffer
  readonly provider: MailProvider
  readonly publicUrl: string
  readonly realNow?: () => Date
  readonly log: Log
  /** Those that the product has, unless given. */
  readonly catalogues?: Promise<Catalogues>
}

const keptMs = 90 * 86_400_000

/** Mails are kept in the database, sealed, until they have left: a crash loses none. */
export function createNotifications(options: NotificationOptions): Notifications {
  const { pool, secret, provider, publicUrl, log, catalogues = readCatalogues() } = options
  // Links in mails expire by the real clock, which a trial cannot move.
  const realNow = options.realNow ?? (() => new Date())
  const seal = createSeal(secret, 'notifications/mail')
  const delivery = createDelivery({ pool, seal, provider, realNow, log, publicUrl, catalogues })
  let running: Promise<void> | undefined
  let again = false

  async function deliver(): Promise<void> {
    try {
      do {
        again = false
        await delivery.sendDue()
      } while (again)
    } catch (error) {
      log.warn(describe(error), 'mails could not be sent')
    } finally {
      running = undefined
    }
  }

  return {
    async mail(tx, { email, userId, language = messagesHere().language.code }, template, data) {
      requireOwnLink(template, data, publicUrl)
      const at = realNow()
      const id = newId(at)
      const content: Content = { to: email, language, data }
      await addMail(tx, { id, userId, template, content: seal.seal(JSON.stringify(content), id), at })
    },
    deliverSoon() {
      // A run that has begun may have looked before this mail was committed.
      if (running) again = true
      else running = deliver()
    },
    sendDue: delivery.sendDue,
    forgetOld: () => deleteMailsBefore(pool, new Date(realNow().getTime() - keptMs)),
    async close() {
      await delivery.close()
      await running
    },
  }
}
