import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'

/**
 * Emails that can be turned off. Emails about security, and about money from and to banks and cards, are always sent.
 */
const mailChoicesShape = z.object({ payments: z.boolean(), requests: z.boolean() })
export type MailChoice = keyof z.output<typeof mailChoicesShape>

export const mailChoices = endpoint({
  method: 'GET',
  path: '/user/mail-choices',
  summary: 'Which emails the caller gets about money from other people and about requests.',
  access: 'session',
  reply: mailChoicesShape,
})

export const setMailChoices = endpoint({
  method: 'PUT',
  path: '/user/mail-choices',
  summary:
    'Choose which emails to receive about money from other people and about requests. Security emails are always sent.',
  access: 'session',
  body: mailChoicesShape,
  reply: mailChoicesShape,
})
