import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { conversionFlow } from '../../../ui/money/conversion.ts'

/** The way the money went from one currency to the other, or undefined when it stayed in one. */
export function conversionOf(transaction: Transaction) {
  const { source_currency: source, target_currency: target, rate, transaction_type: type } = transaction
  if (source === target || rate === null) return undefined
  const received = { ...texts, leavesYou: texts.sent, arrives: texts.reachesYou }
  return conversionFlow(transaction, type === 'RECEIVE' ? received : texts)
}
