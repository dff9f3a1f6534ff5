import type pg from 'pg'
import type { SignedIds } from '../../platform/keys/signed-ids.ts'
import type { Counterparties, ListGate } from '../compliance/compliance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Payments } from '../payments/payments.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Wallets } from '../wallets/wallets.ts'

/** What every part of requests needs. */
export interface RequestContext {
  readonly pool: pg.Pool
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Transfers
  readonly identity: Pick<Identity, 'usersById'>
  readonly notifications: Pick<Notifications, 'notify' | 'touch' | 'mail'>
  readonly counterparties: Pick<Counterparties, 'check' | 'decidedBy' | 'end'>
  readonly lists: Pick<ListGate, 'areTooOld' | 'expectedBy'>
  readonly payments: Pick<Payments, 'collect' | 'collection' | 'cancelCollection' | 'payRequest'>
  /** Names requests. */
  readonly links: SignedIds
  /** Names guests' payments. */
  readonly receipts: SignedIds
  readonly publicUrl: string
  readonly now: () => Date
  /** For operators. */
  readonly log: { error(details: object, message: string): void }
}
