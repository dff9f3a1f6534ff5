import type { Transaction } from '@tern/contract/transactions'
import { isEstimate } from '@tern/contract/transfers/estimate'
import { transactions as texts } from '#messages/transactions.ts'
import { shortNameOf } from '../../../ui/money/activity.ts'
import { conversionFlow } from '../../../ui/money/conversion.ts'

/** The route of the money from one currency to the other; undefined within one currency and for a failed transaction. */
export function conversionOf(transaction: Transaction) {
  const { source_currency: source, target_currency: target, rate, status } = transaction
  if (source === target || rate === null || status === 'FAILED') return undefined
  return conversionFlow(transaction, { ...captionsOf(transaction), between: texts.inTransit })
}

/** What the ends are called. */
function captionsOf(transaction: Transaction): { first: string; last: string } {
  const { transaction_type: type, status } = transaction
  const name = shortNameOf(transaction)
  if (type === 'RECEIVE') {
    return {
      first: texts.sent(name),
      last: isEstimate(transaction) ? texts.estimated : status === 'PENDING' ? texts.youWillGet : texts.youHave,
    }
  }
  if (type !== 'SEND')
    return { first: texts.youPaid, last: isEstimate(transaction) ? texts.estimated : texts.wasBought }
  const last = isEstimate(transaction) ? texts.willGetAbout : status === 'PENDING' ? texts.willGet : texts.has
  return { first: texts.youPaid, last: last(name) }
}
