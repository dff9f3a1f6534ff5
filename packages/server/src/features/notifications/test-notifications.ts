import { recordBody } from '../../platform/test-secrets.ts'
import type { Notifications } from './notifications.ts'
import type { MailData, MailTemplate } from './mails/templates.ts'

/** One mail as it was asked for. */
export type AskedMail = {
  [T in MailTemplate]: { readonly email: string; readonly template: T; readonly data: MailData[T] }
}[MailTemplate]

/** For tests: notifications that keep what they were asked to mail instead of sending it. */
export function createTestNotifications(): Notifications & { readonly asked: AskedMail[] } {
  const asked: AskedMail[] = []
  return {
    asked,
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
