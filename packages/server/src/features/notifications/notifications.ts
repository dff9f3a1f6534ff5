import type pg from 'pg'
import type { Db, Tx } from '../../platform/database/db.ts'
import { readCatalogues } from '../../platform/messages.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import type { NotificationsContext } from './context.ts'
import { sendMail } from './delivery.ts'
import { readMailChoices, setMailChoices } from './mail-choices.ts'
import type { MailTemplate } from './mails/templates.ts'
import { type NewMail, readWaitingSeconds, resumeSending, writeMail } from './new-mails.ts'
import { countUnreadGroups, listGroups, listNotices } from './notice-groups.ts'
import {
  notify,
  notifyAll,
  type AddressedNotice,
  markSubjectRead,
  markGroupRead,
  markReadUpTo,
  notifyPages,
} from './notices.ts'

export { readMailChoices } from './mail-choices.ts'
export type { NewMail } from './new-mails.ts'
export type { Notice, AddressedNotice } from './notices.ts'
export type { MailData, PayoutReason, SecurityChange } from './mails/templates.ts'
export { factorChanges } from './mails/templates.ts'

type OptionalParts = 'catalogues' | 'now' | 'realNow' | 'wake' | 'accountEvents'

export interface NotificationOptions
  extends Omit<NotificationsContext, OptionalParts | 'seal'>, Partial<Pick<NotificationsContext, OptionalParts>> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

export type Notifications = ReturnType<typeof createNotifications>

/**
 * Notifies users in the product and by mail. Mails are stored sealed until they are sent, so that a crash loses none.
 */
export function createNotifications({ pool, secret, ...options }: NotificationOptions) {
  const realNow = options.realNow ?? (() => new Date())
  const ctx: NotificationsContext = {
    now: realNow,
    wake: () => {},
    accountEvents: [],
    catalogues: readCatalogues(),
    ...options,
    realNow,
    seal: createSeal(secret, 'notifications/mail'),
  }
  return {
    notify: (tx: Tx, notice: AddressedNotice) => notify(ctx, tx, notice),
    notifyAll: <N extends AddressedNotice>(tx: Tx, notices: readonly N[]) => notifyAll(ctx, tx, notices),
    touch: (tx: Tx, changed: Parameters<typeof notifyPages>[2]) => notifyPages(ctx, tx, changed),
    markSubjectRead: (tx: Tx, subject: { userId: bigint; subjectId: string }) => markSubjectRead(ctx, tx, subject),
    mail: <T extends MailTemplate>(tx: Tx, mail: NewMail<T>) => writeMail(ctx, tx, mail),

    list: (db: Db, page: Parameters<typeof listNotices>[1]) => listNotices(db, page),
    groups: (db: Db, page: Parameters<typeof listGroups>[1]) => listGroups(db, page),
    unreadCount: (db: Db, userId: bigint) => countUnreadGroups(db, userId),
    read: (notice: { userId: bigint; id: string }) => markGroupRead(ctx, pool, notice),
    readUpTo: (notice: { userId: bigint; id: string }) => markReadUpTo(ctx, pool, notice),
    mailChoices: (userId: bigint) => readMailChoices(pool, userId),
    setMailChoices: (choices: Parameters<typeof setMailChoices>[2]) => setMailChoices(ctx, pool, choices),

    send: (id: string) => sendMail(ctx, pool, id),
    resumeSending: () => resumeSending(pool),
    waitingSeconds: () => readWaitingSeconds(pool),
  }
}
