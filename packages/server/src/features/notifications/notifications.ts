import type { MailProvider } from '@tern/providers/mail/port'
import type pg from 'pg'
import type { Tx } from '../../db.ts'
import type { MailData, MailTemplate } from './templates.ts'

export type { SecurityChange } from './templates.ts'

/** Tells people by mail what concerns them. */
export interface Notifications {
  /** Writes a mail in the transaction of what it tells; it is sent after the commit, or never if that fails. */
  mail<T extends MailTemplate>(
    tx: Tx,
    to: { email: string; userId?: bigint | undefined },
    template: T,
    data: MailData[T],
  ): Promise<void>
  /** Sends what is due without keeping anybody waiting: to be called after the commit. */
  deliverSoon(): void
  /** Sends what is due, also what an earlier attempt left behind; gives how many went out. */
  sendDue(): Promise<number>
  /** Waits for what is being sent. */
  close(): Promise<void>
}

export interface NotificationOptions {
  readonly pool: pg.Pool
  readonly secret: Buffer
  readonly provider: MailProvider
  readonly publicUrl: string
  /** Dates the mails. */
  readonly now: () => Date
  readonly realNow?: () => Date
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}

export function createNotifications(_options: NotificationOptions): Notifications {
  return {
    mail: () => Promise.resolve(),
    deliverSoon() {},
    sendDue: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  }
}
