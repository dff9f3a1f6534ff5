import { accountMails } from './mails/account.ts'
import { checkMails } from './mails/checks.ts'
import { frame } from './mails/frame.ts'
import { moneyMails } from './mails/money.ts'
import { orderMails } from './mails/orders.ts'
import { peopleMails } from './mails/people.ts'
import { scheduleMails } from './mails/schedules.ts'
import { statementMails } from './mails/statements.ts'
import { securityMails } from './mails/security.ts'

export const mails = {
  frame,
  account: accountMails,
  security: securityMails,
  money: moneyMails,
  people: peopleMails,
  schedules: scheduleMails,
  statements: statementMails,
  orders: orderMails,
  checks: checkMails,
} as const
