import type { BankProvider } from './bank/port.ts'
import type { CardProvider } from './card/port.ts'
import type { ProviderEvents } from './events/port.ts'
import type { PayoutProvider } from './payout/port.ts'
import type { ReportProvider } from './report/port.ts'

/** Provider of money movements: cards, banks, payouts, its events and its books. */
export interface MoneyProvider {
  /** Used in the address of its events and in every row it created. Never changes once used. */
  readonly name: string
  /** Lifetime of an idempotency key at the provider, in milliseconds. A later repetition would order a second time. */
  readonly keysKeptMs: { readonly collections: number; readonly payouts: number }
  readonly card: CardProvider
  readonly bank: BankProvider
  readonly payout: PayoutProvider
  readonly events: ProviderEvents
  readonly report: ReportProvider
  /** Returns a sentence for operators about a fatal problem, such as a wrong key; undefined if there is none. */
  check?(): Promise<string | undefined>
}
