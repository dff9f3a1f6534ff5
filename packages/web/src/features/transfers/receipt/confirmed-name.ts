import type { Transaction } from '@tern/contract/transactions'
import { recipientOf, type SavedTransfer } from '../pending-transfer.ts'

/** "L. M." for "Lucas Moreau", as the server writes names until a payment has arrived. */
const initialsOf = (name: string): string =>
  name
    .split(/\s+/u)
    .filter(Boolean)
    .map((word) => `${(Array.from(word)[0] ?? '').toUpperCase()}.`)
    .join(' ')

/**
 * The transaction with the whole name that its sender confirmed in the review, where the server shows its initials. The
 * name is what this device has kept of the form, so another than these initials is not shown.
 */
export function withConfirmedName(transaction: Transaction, saved: SavedTransfer | undefined): Transaction {
  const { counterparty } = transaction
  const confirmed = saved && recipientOf(saved)
  if (!counterparty?.name || !confirmed?.name || confirmed.id !== counterparty.id) return transaction
  if (initialsOf(confirmed.name) !== counterparty.name) return transaction
  return { ...transaction, counterparty: { ...counterparty, name: confirmed.name } }
}
