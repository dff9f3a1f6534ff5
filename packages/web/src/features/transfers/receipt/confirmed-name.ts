import type { Transaction } from '@tern/contract/transactions'
import { savedRecipient, type SavedTransfer } from '../pending-transfer.ts'

/** "L. M." for "Lucas Moreau": the server abbreviates names until a payment has settled. */
const abbreviateName = (name: string): string =>
  name
    .split(/\s+/u)
    .filter(Boolean)
    .map((word) => `${(Array.from(word)[0] ?? '').toUpperCase()}.`)
    .join(' ')

/**
 * Replaces the server's initials with the full name that the sender confirmed in the review. The stored name is
 * untrusted, so one with different initials is ignored.
 */
export function applyConfirmedName(transaction: Transaction, saved: SavedTransfer | undefined): Transaction {
  const { counterparty } = transaction
  const confirmed = saved && savedRecipient(saved)
  if (!counterparty?.name || !confirmed?.name || confirmed.id !== counterparty.id) return transaction
  if (abbreviateName(confirmed.name) !== counterparty.name) return transaction
  return { ...transaction, counterparty: { ...counterparty, name: confirmed.name } }
}
