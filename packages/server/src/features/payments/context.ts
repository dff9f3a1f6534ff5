import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import type { MoneyProvider } from '../../platform/providers.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Kyc } from '../kyc/kyc.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'

/** Where payments tell what an operator has to know. */
export interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What every part of payments stands on. */
export interface PaymentContext {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Transfers
  readonly identity: Pick<Identity, 'usersById' | 'stepUp'>
  readonly kyc: Pick<Kyc, 'residenceOf'>
  readonly notifications: Pick<Notifications, 'mail' | 'deliverSoon'>
  readonly provider: MoneyProvider
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: Log
}

/**
 * What follows from something the provider has said for certain, to be carried out in a transaction with whatever else
 * belongs to it. All that needs another connection was looked up before. Gives the outcome in a few words, for the
 * record of events; carried out again it changes nothing.
 */
export type Transition = (tx: Tx) => Promise<string>
