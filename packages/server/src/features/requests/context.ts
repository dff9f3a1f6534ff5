import { createSignedIds, type SignedIds } from '../../platform/keys/signed-ids.ts'
import type { Secret } from '../../platform/seal.ts'
import type { Counterparties, ListGate } from '../compliance/compliance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Payments } from '../payments/payments.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Wallets } from '../wallets/wallets.ts'

export interface RequestContext {
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Transfers
  readonly identity: Pick<Identity, 'usersById'>
  readonly notifications: Pick<Notifications, 'notify' | 'touch' | 'mail'>
  readonly counterparties: Pick<Counterparties, 'check' | 'decidedBy' | 'end'>
  readonly lists: Pick<ListGate, 'areTooOld' | 'expectedBy'>
  /** Signed ids of requests. */
  readonly links: SignedIds
  /** Signed ids of guests' payments. */
  readonly receipts: SignedIds
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: { error(details: object, message: string): void }
}

/**
 * Context that includes card and bank payments. Separate, because `createRequestPurpose` runs before the payments
 * feature is created.
 */
export interface OutsideContext extends RequestContext {
  readonly payments: Pick<Payments, 'collect' | 'collection' | 'cancelCollection' | 'payRequest'>
}

export type RequestDeps = Omit<RequestContext, 'links' | 'receipts'> & { readonly secret: Secret }

export const requestContext = ({ secret, ...deps }: RequestDeps): RequestContext => ({
  ...deps,
  links: createSignedIds(secret, 'tern payment link'),
  receipts: createSignedIds(secret, 'tern guest payment'),
})
