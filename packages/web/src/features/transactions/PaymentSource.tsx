import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'

/** How a payment from outside was paid: a label in capitals, set as a sentence. */
export function PaymentSource({ source }: { source: Exclude<Transaction['payment_source'], 'wallet' | null> }) {
  return <span className="sentence-case">{texts.paymentSources[source]}</span>
}
