import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { shortNameOf } from '../../../ui/money/activity.ts'
import { conversionFlow, totalOf } from '../../../ui/money/conversion.ts'

/** The way the money went from one currency to the other, or undefined when it stayed in one. */
export function conversionOf(transaction: Transaction) {
  const { source_currency: source, target_currency: target, rate } = transaction
  if (source === target || rate === null) return undefined
  return conversionFlow(transaction, { ...captionsOf(transaction), between: texts.inTransit })
}

/** What the ends are called: the sender paid the fee too, which is nobody else's matter. */
function captionsOf(transaction: Transaction): { first: string; last: string; paid?: string | undefined } {
  const { transaction_type: type, status } = transaction
  const name = shortNameOf(transaction)
  const at = { COMPLETED: 0, PENDING: 1, FAILED: 2 }[status]
  if (type === 'RECEIVE') {
    return { first: texts.sent(name), last: [texts.youHave, texts.youWillGet, texts.notArrived][at] ?? '' }
  }
  const paid = totalOf(transaction)
  if (type !== 'SEND') return { first: texts.youPaid, last: texts.wasBought, paid }
  const last = [texts.has, texts.willGet, texts.notDelivered][at] ?? texts.has
  return { first: texts.youPaid, last: last(name), paid }
}
