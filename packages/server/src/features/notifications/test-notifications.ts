import { newId } from '../../platform/ids.ts'
import { recordBody } from '../../platform/keys/test-secrets.ts'
import type { Notice, Notifications } from './notifications.ts'
import type { MailData, MailTemplate } from './mails/templates.ts'

/** One mail as it was asked for. */
export type AskedMail = {
  [T in MailTemplate]: { readonly email: string; readonly template: T; readonly data: MailData[T] }
}[MailTemplate]

/** One notification as it was asked for. */
export type Told = Notice & { readonly userId: bigint }

/** For tests: notifications that keep what they were asked to mail and to tell, instead of doing it. */
export function createTestNotifications(): Notifications & { readonly asked: AskedMail[]; readonly told: Told[] } {
  const asked: AskedMail[] = []
  const told: Told[] = []
  return {
    asked,
    told,
    notify: (_tx, userId, notice) => {
      told.push({ userId, ...notice })
      return Promise.resolve(true)
    },
    notifyAll: (_tx, notices) => {
      told.push(...notices)
      return Promise.resolve(notices.map((notice) => ({ ...notice, id: newId(new Date()) })))
    },
    mailChoices: () => Promise.resolve({ payments: true, requests: true }),
    setMailChoices: (_userId, choices) => Promise.resolve(choices),
    wantsMail: () => Promise.resolve(true),
    touch: () => Promise.resolve(),
    list: () => Promise.resolve({ needs_action: [], notifications: [], unread: 0, next_cursor: null }),
    groups: () => Promise.resolve({ needs_action: [], groups: [], unread: 0, next_cursor: null }),
    unreadCount: () => Promise.resolve(0),
    read: () => Promise.resolve(),
    readAbout: () => Promise.resolve(),
    readUpTo: () => Promise.resolve(),
    mail: (_tx, { email }, template, data) => {
      asked.push({ email, template, data } as AskedMail)
      recordBody(data)
      return Promise.resolve()
    },
    send: () => Promise.resolve(),
    resumeSending: () => Promise.resolve(),
    waitingSeconds: () => Promise.resolve(0),
  }
}
