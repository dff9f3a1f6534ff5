import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { HeldTransfers, Transfers } from '../transfers/transfers.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'

/** Dependencies of orders, rate alerts and protection rules. */
export interface OrdersContext {
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Pick<
    Transfers,
    'begin' | 'decide' | 'nextAttempt' | 'moveWithin' | 'runOrderOnce' | 'prepareExchange' | 'readResult'
  >
  readonly heldTransfers: Pick<HeldTransfers, 'cancel'>
  readonly identity: Pick<Identity, 'usersById'>
  readonly notifications: Pick<Notifications, 'notify' | 'notifyAll' | 'touch' | 'mail'>
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: { error(details: object, message: string): void }
}

/** Dependencies of notifications, and of ending a held order. */
export type NoticeContext = Pick<OrdersContext, 'identity' | 'notifications' | 'publicUrl'>
