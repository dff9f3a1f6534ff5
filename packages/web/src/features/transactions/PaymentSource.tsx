import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'

/** Payment method of an external payment, in sentence case. */
export function PaymentSource({ source }: { source: Exclude<Transaction['payment_source'], 'wallet' | null> }) {
  return <span className="sentence-case">{texts.paymentSources[source]}</span>
}
