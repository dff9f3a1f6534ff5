import type { Money } from '@tern/money/money'
import type { Seal } from '../../platform/seal.ts'
import type { Identity } from '../identity/identity.ts'
import type { Kyc } from '../kyc/kyc.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { DownloadLimits } from './screening/fetch/download.ts'
import type { ListSource } from './screening/lists/entry.ts'
import type { ListedNamesMemory } from './screening/matcher/listed-names.ts'
import type { GateMemory } from './screening/store/list-gate.ts'

export interface ScreeningContext {
  readonly now: () => Date
  /** Never receives names or dates of birth. */
  readonly log: { error(details: object, message: string): void }
  /** Whether a missing or stale required list blocks verification and payments. */
  readonly areListsRequired: boolean
  /** Download addresses by list; a list without any is imported by hand. */
  readonly listAddresses: Readonly<Partial<Record<ListSource, readonly string[]>>>
  readonly downloadLimits: DownloadLimits
  /** Decrypts names in their own script on identity forms; without it, these names are not screened. */
  readonly formSeal?: Seal | undefined
  readonly listedNames: ListedNamesMemory
  readonly gate: GateMemory
}

export interface CaseContext {
  readonly notifications: Pick<Notifications, 'notify' | 'mail'>
  readonly identity: Pick<Identity, 'usersById'>
  readonly publicUrl: string
  readonly now: () => Date
}

export interface MonitoringContext {
  readonly now: () => Date
  readonly exchange: {
    hasRate(currency: Money['currency']): boolean
    /** Returns the value in US dollar cents, rounded up. */
    usdMinorOf(amount: Money): bigint
  }
}

export interface TravelRuleContext extends MonitoringContext {
  readonly kyc: Pick<Kyc, 'verifiedForm'>
  readonly seal: Seal
}

/** Returns the value in US dollar cents, rounded up; undefined without a rate. */
export const readUsdMinor = ({ exchange }: Pick<MonitoringContext, 'exchange'>, amount: Money): bigint | undefined =>
  exchange.hasRate(amount.currency) ? exchange.usdMinorOf(amount) : undefined
