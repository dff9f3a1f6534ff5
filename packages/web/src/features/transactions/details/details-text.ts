import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { formatDateTime, formatMoney } from '../../../ui/format/format.ts'
import { isUpcoming, unambiguousName } from '../../../ui/money/activity.ts'
import { listKeyFacts } from './key-facts.ts'
import type { ExternalOrder } from './external-order.ts'
import { transaction as words } from '#messages/transaction.ts'

/** Heading of the details: "Money sent to Lucas Moreau". */
export function describeTransaction(transaction: Transaction): string {
  const { transaction_type: type, status } = transaction
  const person = unambiguousName(transaction)
  if (person === undefined) return words.types[type] ?? words.otherType
  if (isUpcoming(transaction)) return texts.heading.coming(person)
  if (status !== 'COMPLETED')
    return type === 'RECEIVE' ? texts.heading.paymentFrom(person) : texts.heading.paymentTo(person)
  return type === 'RECEIVE' ? texts.heading.received(person) : texts.heading.sent(person)
}

/** The transaction as plain text, for sharing. */
export function detailsText(transaction: Transaction, externalOrder: ExternalOrder | null | undefined): string {
  const { id, amount, currency, timestamp, description } = transaction
  const lines = [
    { term: texts.date, value: formatDateTime(timestamp) },
    { term: texts.amount, value: formatMoney(amount, currency) },
    ...listKeyFacts(transaction, externalOrder),
    { term: texts.description, value: description || texts.noDescription },
    { term: texts.reference, value: deriveReference(id) },
    { term: texts.id, value: id },
  ]
  return [describeTransaction(transaction), ...lines.map(({ term, value }) => `${term}: ${value}`)].join('\n')
}
