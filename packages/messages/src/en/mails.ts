import { accountMails } from './mails/account.ts'
import { frame } from './mails/frame.ts'
import { moneyMails } from './mails/money.ts'
import { scheduleMails } from './mails/schedules.ts'
import { securityMails } from './mails/security.ts'

/** What the mails say. */
export const mails = {
  frame,
  account: accountMails,
  security: securityMails,
  money: moneyMails,
  schedules: scheduleMails,
} as const
