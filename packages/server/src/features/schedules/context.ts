import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Wallets } from '../wallets/wallets.ts'

export interface SchedulesContext {
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Pick<
    Transfers,
    'begin' | 'nextAttempt' | 'moveWithin' | 'runOrderOnce' | 'prepareScheduled' | 'readResult'
  >
  readonly identity: Pick<Identity, 'usersById' | 'requireStepUp'>
  readonly notifications: Pick<Notifications, 'notify' | 'touch' | 'mail'>
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: { error(details: object, message: string): void }
}
