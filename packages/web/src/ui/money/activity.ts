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

/** Direction of the money as seen from the person's own balance. */
export const readDirection = ({ transaction_type: type }: Transaction): 'in' | 'out' =>
  type === 'RECEIVE' || type === 'DEPOSIT' ? 'in' : 'out'

/** True if the transaction waits for a check or for the sender's second confirmation. An undo window is not a hold. */
export const isOnHold = ({ hold_reason: reason }: Pick<Transaction, 'hold_reason'>): boolean =>
  reason === 'review' || reason === 'compliance' || reason === 'street_mode'

/** Direction of money that moved or is about to; undefined if the transaction failed or is on hold. */
export const readMoneyDirection = (transaction: Transaction): 'in' | 'out' | undefined =>
  transaction.status === 'FAILED' || isOnHold(transaction) ? undefined : readDirection(transaction)

/** Statuses shown for released money, by transaction type and release reason. */
const releasedStatuses: Readonly<Record<string, string>> = {
  'SEND cancelled': 'UNDONE',
  'EXCHANGE cancelled': 'CANCELED',
  'WITHDRAW cancelled': 'CANCELED',
  'EXCHANGE expired': 'EXPIRED',
}

/** State of a transaction as shown: on hold, cancelled by its owner, expired, else its status. */
export function displayStatus(transaction: Transaction): string {
  const { transaction_type: type, status, release_reason: reason } = transaction
  return isOnHold(transaction) ? 'HELD' : (releasedStatuses[`${type} ${reason}`] ?? status)
}

/** A transaction or a payment request with another person. */
interface HasCounterparty {
  readonly counterparty: { readonly name: string | null; readonly username: string } | null
}

/** Name of the counterparty, or their username; undefined without one. */
export const counterpartyName = ({ counterparty }: HasCounterparty): string | undefined =>
  counterparty ? (counterparty.name ?? counterparty.username) : undefined

/** True if a name consists of initials, such as "S. T.", as until a payment between the two has arrived. */
const isInitials = (name: string): boolean => name.split(' ').every((word) => word.endsWith('.'))

/** Unambiguous name of the counterparty: the username is added to mere initials. */
export function unambiguousName(transaction: HasCounterparty): string | undefined {
  const { counterparty } = transaction
  return counterparty?.name && isInitials(counterparty.name)
    ? words.nameAndUsername(counterparty.name, counterparty.username)
    : counterpartyName(transaction)
}

/** Counterparty for use in a sentence: the first name, or the username if only initials are known. */
export function shortCounterparty({ counterparty }: HasCounterparty): string {
  const { name, username = '' } = counterparty ?? {}
  return name && !isInitials(name) ? (name.split(' ')[0] ?? username) : username
}

/** Title of a transaction: the counterparty, the two currencies, or its description. */
export function writeTitle(transaction: Transaction): string {
  const { transaction_type: type, source_currency: source, target_currency: target, description } = transaction
  // Conversions by an order or a rule have a description.
  if (type === 'EXCHANGE') return description || words.exchanged(source, target)
  return unambiguousName(transaction) ?? (description || (words.types[type] ?? words.otherType))
}

/** Money from another person that has not arrived yet. */
export const isUpcoming = ({ transaction_type: type, status }: Transaction): boolean =>
  type === 'RECEIVE' && status === 'PENDING'

/** Amount in the other currency of the transaction, if it has one. */
function formatOtherAmount(transaction: Transaction): string | undefined {
  const { source_currency: source, target_currency: target } = transaction
  if (source === target) return undefined
  return readDirection(transaction) === 'in'
    ? formatMoney(transaction.source_amount, source)
    : formatMoney(transaction.target_amount, target)
}

/** Transaction as a row of a list: `<ActivityRow {...toActivity(transaction)} />`. */
export const toActivity = (transaction: Transaction): Activity => ({
  title: writeTitle(transaction),
  kind: words.kinds[transaction.transaction_type] ?? words.otherType,
  status: displayStatus(transaction),
  at: transaction.timestamp,
  amount: transaction.amount,
  currency: transaction.currency,
  direction: readMoneyDirection(transaction),
  otherAmount: isUpcoming(transaction) ? words.notYetYours : formatOtherAmount(transaction),
  person: counterpartyName(transaction),
  icon: icons[transaction.transaction_type],
})
