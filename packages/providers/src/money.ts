import type { BankProvider } from './bank/port.ts'
import type { CardProvider } from './card/port.ts'
import type { ProviderEvents } from './events/port.ts'
import type { PayoutProvider } from './payout/port.ts'
import type { ReportProvider } from './report/port.ts'

/** A provider that moves our money: cards, banks, payouts, its events and its books. */
export interface MoneyProvider {
  /** In the address of its events, and in every row it made. Never changes once used. */
  readonly name: string
  /** How long it remembers an idempotency key. Repeated after that, an order would be a second one. */
  readonly keysKeptMs: { readonly collections: number; readonly payouts: number }
  readonly card: CardProvider
  readonly bank: BankProvider
  readonly payout: PayoutProvider
  readonly events: ProviderEvents
  readonly report: ReportProvider
  /** What keeps it from working at all, such as a wrong key, in a sentence for operators; undefined when nothing does. */
  check?(): Promise<string | undefined>
}
