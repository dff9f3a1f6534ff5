import type { Transaction } from '@tern/contract/transactions'
import { transaction as words } from '#messages/transaction.ts'
import type { Activity } from './ActivityRow.tsx'
import { formatMoney } from '../format/format.ts'
import type { IconName } from '../icon/icons.ts'

const icons: Record<Transaction['transaction_type'], IconName> = {
  DEPOSIT: 'deposit',
  WITHDRAW: 'bank',
  SEND: 'send',
  RECEIVE: 'receive',
  EXCHANGE: 'swap',
}

/** Whether the money came into the person's own balance or left it. */
export const directionOf = ({ transaction_type: type }: Transaction): 'in' | 'out' =>
  type === 'RECEIVE' || type === 'DEPOSIT' ? 'in' : 'out'

/** Whether it waits for a check, or for its sender to confirm it again. What can be taken back for a moment only is on its way. */
export const isOnHold = ({ hold_reason: reason }: Pick<Transaction, 'hold_reason'>): boolean =>
  reason === 'review' || reason === 'compliance' || reason === 'street_mode'

/** The same of money that moved or is about to; undefined where a transaction failed, or while it is on hold. */
export const movedOf = (transaction: Transaction): 'in' | 'out' | undefined =>
  transaction.status === 'FAILED' || isOnHold(transaction) ? undefined : directionOf(transaction)

/** How money that came back is told, by why it did; otherwise it was not moved. */
const released: Readonly<Record<string, string>> = {
  'SEND cancelled': 'UNDONE',
  'EXCHANGE cancelled': 'CANCELED',
  'WITHDRAW cancelled': 'CANCELED',
  'EXCHANGE expired': 'EXPIRED',
}

/** The state of a transaction as it is shown: its status, or that it is on hold, or that its owner took it back, or that its time was over. */
export function shownStatusOf(transaction: Transaction): string {
  const { transaction_type: type, status, release_reason: reason } = transaction
  return isOnHold(transaction) ? 'HELD' : (released[`${type} ${reason}`] ?? status)
}

/** A transaction or a payment request with another person. */
interface Personal {
  readonly counterparty: { readonly name: string | null; readonly username: string } | null
}

/** The other person by the name they go by, or undefined when nobody else took part. */
export const personOf = ({ counterparty }: Personal): string | undefined =>
  counterparty ? (counterparty.name ?? counterparty.username) : undefined

/** Whether a name is only the initials of somebody whom the reader has not transacted with, such as "S. T.". */
const isInitials = (name: string): boolean => name.split(' ').every((word) => word.endsWith('.'))

/** The other person so that nobody mistakes them: initials alone could be anybody's, so the username stands beside them. */
export function whoOf(transaction: Personal): string | undefined {
  const { counterparty } = transaction
  return counterparty?.name && isInitials(counterparty.name)
    ? words.nameAndUsername(counterparty.name, counterparty.username)
    : personOf(transaction)
}

/** What a sentence calls the other person: the first name, or the username where only initials are known. */
export function shortNameOf({ counterparty }: Personal): string {
  const { name, username = '' } = counterparty ?? {}
  return name && !isInitials(name) ? (name.split(' ')[0] ?? username) : username
}

/** What a transaction is headed by: the other person, the two currencies, or what it was for. */
export function titleOf(transaction: Transaction): string {
  const { transaction_type: type, source_currency: source, target_currency: target, description } = transaction
  // That of an order or a rule says so.
  if (type === 'EXCHANGE') return description || words.exchanged(source, target)
  return whoOf(transaction) ?? (description || (words.types[type] ?? words.otherType))
}

/** Money that somebody sends, and that is not here yet. */
export const isComing = ({ transaction_type: type, status }: Transaction): boolean =>
  type === 'RECEIVE' && status === 'PENDING'

/** What the other side gave or got, when that was another currency. */
function otherAmountOf(transaction: Transaction): string | undefined {
  const { source_currency: source, target_currency: target } = transaction
  if (source === target) return undefined
  return directionOf(transaction) === 'in'
    ? formatMoney(transaction.source_amount, source)
    : formatMoney(transaction.target_amount, target)
}

/** A transaction as a row of a list: `<ActivityRow {...activityOf(transaction)} />`. */
export const activityOf = (transaction: Transaction): Activity => ({
  title: titleOf(transaction),
  kind: words.kinds[transaction.transaction_type] ?? words.otherType,
  status: shownStatusOf(transaction),
  at: transaction.timestamp,
  amount: transaction.amount,
  currency: transaction.currency,
  direction: movedOf(transaction),
  otherAmount: isComing(transaction) ? words.notYetYours : otherAmountOf(transaction),
  person: personOf(transaction),
  icon: icons[transaction.transaction_type],
})
