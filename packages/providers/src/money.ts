import type { CollectProvider } from './collect/port.ts'
import type { ProviderEvents } from './events/port.ts'
import type { LinkProvider } from './link/port.ts'
import type { PayoutProvider } from './payout/port.ts'
import type { ReportProvider } from './report/port.ts'

/** Provider of money movements. It states its capabilities, and the product works without the others. */
export interface MoneyProvider {
  /** Used in the address of its events and in every row it created. Never changes once used. */
  readonly name: string
  readonly collect?: CollectProvider
  readonly link?: LinkProvider
  readonly payout?: PayoutProvider
  /** Its books; without them it is not reconciled. */
  readonly report?: ReportProvider
  /** Its webhook; without one, outcomes are found by polling alone. */
  readonly events?: ProviderEvents
  /** Returns a sentence for operators about a fatal problem, such as a wrong key; undefined if there is none. */
  check?(): Promise<string | undefined>
}

export type Capability = 'collect' | 'link' | 'payout' | 'report' | 'events'
