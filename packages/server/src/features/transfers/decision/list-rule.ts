import { heldForCases, type TransferRule } from './decide.ts'

/**
 * A payment waits while the lists that names are compared with are not up to date, and until its people have been screened by
 * them. An exchange pays nobody.
 */
export const listsTooOld: TransferRule = async ({ kind, senderId, recipientId = senderId }, { lists, pool }) =>
  kind !== 'exchange' && (await lists.hold(pool, [senderId, recipientId])) ? heldForCases : undefined
