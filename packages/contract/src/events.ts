import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { transactionShape } from './transactions.ts'
import { walletShape } from './wallets.ts'

/**
 * Topics of `changed` events. `account`: freeze of the account; `alerts`: rate alerts; `calls`: calls by
 * operators; `protection`: protection rules;
 * `transfers`: held transfers. Wallet and transactions have separate event types.
 */
export const topic = z.enum([
  'account',
  'alerts',
  'calls',
  'notifications',
  'orders',
  'protection',
  'requests',
  'schedules',
  'transfers',
])
export type Topic = z.output<typeof topic>

/**
 * Stream event: the current wallet, a new or changed transaction, the topics that changed, or `refetch` if lists must
 * be reloaded because events may have been missed.
 */
export const userEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('balance'), wallet: walletShape }),
  z.object({ type: z.literal('transaction'), transaction: transactionShape }),
  z.object({ type: z.literal('changed'), topics: z.array(topic) }),
  z.object({ type: z.literal('refetch') }),
])
export type UserEvent = z.output<typeof userEvent>

export const events = endpoint({
  method: 'GET',
  path: '/events',
  summary: 'Balance and transaction events of the caller, resumable by Last-Event-ID.',
  access: 'session',
  stream: true,
  reply: userEvent,
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Topic: topic,
  UserEvent: userEvent,
}
