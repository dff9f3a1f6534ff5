import { accountMails } from './mails/account.ts'
import { frame } from './mails/frame.ts'
import { moneyMails } from './mails/money.ts'
import { securityMails } from './mails/security.ts'

/** What the mails say. */
export const mails = { frame, account: accountMails, security: securityMails, money: moneyMails } as const
