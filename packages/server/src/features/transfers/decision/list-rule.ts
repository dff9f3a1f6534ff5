import { heldForCases, type TransferRule } from './decide.ts'

/**
 * Holds a payment while the screening lists are stale, and until its parties have been screened against fresh ones. Exchanges
 * have no payee and pass.
 */
export const listsTooOld: TransferRule = async ({ kind, senderId, recipientId = senderId }, { lists, pool }) =>
  kind !== 'exchange' && (await lists.hold(pool, [senderId, recipientId])) ? heldForCases : undefined
