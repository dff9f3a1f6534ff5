import type { CollectProvider } from './collect/port.ts'
import type { ProviderEvents } from './events/port.ts'
import type { LinkProvider } from './link/port.ts'
import type { PayeeProvider } from './payee/port.ts'
import type { PayoutProvider } from './payout/port.ts'
import type { ReportProvider } from './report/port.ts'
import type { ProviderSetup } from './setup.ts'

/** Provider of money movements. Missing capabilities are undefined, and the product works without them. */
export interface MoneyProvider {
  /** Part of the webhook address and of every row created with this provider; never changes once used. */
  readonly name: string
  readonly collect?: CollectProvider
  readonly link?: LinkProvider
  readonly payout?: PayoutProvider
  /** Compares payees' names with those that their banks know; only for accounts that this provider linked. */
  readonly payee?: PayeeProvider
  /** Lists the provider's movements for reconciliation. */
  readonly report?: ReportProvider
  /** Reads the provider's webhook; without it, outcomes are found only by polling. */
  readonly events?: ProviderEvents
  /** Checks our account there, for `npx tern doctor`. */
  readonly setup?: ProviderSetup
  /** Returns a sentence for operators about a fatal problem, such as a wrong key; undefined if there is none. */
  check?(): Promise<string | undefined>
}

export type Capability = 'collect' | 'link' | 'payout' | 'payee' | 'report' | 'events'
