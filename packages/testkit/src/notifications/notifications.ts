import type { Tx } from '@tern/server/platform/database/db'
import { newId } from '@tern/server/platform/ids'
import { recordBody } from '../secrets.ts'
import type { NewMail, AddressedNotice, Notifications } from '@tern/server/features/notifications/notifications'
import type { MailData, MailTemplate } from '@tern/server/features/notifications/mails/templates'

export type RequestedMail = {
  [T in MailTemplate]: { readonly email: string; readonly template: T; readonly data: MailData[T] }
}[MailTemplate]

/** For tests: notifications that record mails and notices instead of sending them. */
export function createTestNotifications(): Notifications & {
  readonly requestedMails: RequestedMail[]
  readonly recordedNotices: AddressedNotice[]
} {
  const requestedMails: RequestedMail[] = []
  const recordedNotices: AddressedNotice[] = []
  return {
    requestedMails,
    recordedNotices,
    notify: (_tx, notice) => {
      recordedNotices.push(notice)
      return Promise.resolve(true)
    },
    notifyAll: (_tx, notices) => {
      recordedNotices.push(...notices)
      return Promise.resolve(notices.map((notice) => ({ ...notice, id: newId(new Date()) })))
    },
    mailChoices: () => Promise.resolve({ payments: true, requests: true }),
    setMailChoices: ({ payments, requests }) => Promise.resolve({ payments, requests }),
    touch: () => Promise.resolve(),
    list: () => Promise.resolve({ needs_action: [], notifications: [], unread: 0, next_cursor: null }),
    groups: () => Promise.resolve({ needs_action: [], groups: [], unread: 0, next_cursor: null }),
    unreadCount: () => Promise.resolve(0),
    read: () => Promise.resolve(),
    markSubjectRead: () => Promise.resolve(),
    readUpTo: () => Promise.resolve(),
    mail: <T extends MailTemplate>(_tx: Tx, { to, template, data }: NewMail<T>) => {
      requestedMails.push({ email: to.email, template, data } as RequestedMail)
      recordBody(data)
      return Promise.resolve()
    },
    send: () => Promise.resolve('sent'),
    resumeSending: () => Promise.resolve(),
    waitingSeconds: () => Promise.resolve(0),
  }
}
