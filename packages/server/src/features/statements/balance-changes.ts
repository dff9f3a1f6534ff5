// Changes of a wallet's balances by one posting, with the fees that they contain.

import type { CurrencyCode } from '@tern/money/currency'
import type { PostingRow } from '@tern/ledger/row-types'
import type { Entry } from './account-entries.ts'
import type { BalanceChange, MovementTransaction } from './movement.ts'
import type { AccountShare } from './read-movements.ts'

export interface PostingFacts {
  readonly kind: PostingRow['kind']
  readonly transaction: MovementTransaction | null
  /** Fee of a withdrawal, less the parts that disputes returned before. */
  readonly withdrawalFee: bigint
  /** Part of a dispute's credit, or of its reversal, that is a fee. */
  readonly disputeFee: bigint
}

/** Entry with its account's place, and whether its counterpart is the wallet's other part. */
interface PlacedEntry extends Entry {
  readonly isInternal: boolean
}

/** Legs between the two parts of one currency: reservations and releases. */
function findInternalLegs(shares: readonly AccountShare[]): Set<string> {
  const keys = shares.flatMap(({ account: { part, currency }, entries }) =>
    part === 'on_hold' ? entries.map(({ leg }) => `${currency} ${String(leg)}`) : [],
  )
  const held = new Set(keys)
  return new Set(
    shares.flatMap(({ account: { part, currency }, entries }) =>
      part === 'on_hold' ? [] : entries.map(({ leg }) => `${currency} ${String(leg)}`).filter((key) => held.has(key)),
    ),
  )
}

/** Returns whether a posting only moves money between the two parts of the wallet. */
export function isInternal(shares: readonly AccountShare[]): boolean {
  const internalLegs = findInternalLegs(shares)
  return shares.every(({ account: { currency }, entries }) =>
    entries.every(({ leg }) => internalLegs.has(`${currency} ${String(leg)}`)),
  )
}

/** Returns the changes by account: money in, then money out. */
export function computeChanges(shares: readonly AccountShare[], facts: PostingFacts): BalanceChange[] {
  const internalLegs = findInternalLegs(shares)
  return shares.flatMap(({ account: { part, currency }, entries }) => {
    const placed = entries.map((entry): PlacedEntry => ({
      ...entry,
      isInternal: internalLegs.has(`${currency} ${String(entry.leg)}`),
    }))
    const [first] = entries
    const last = entries.at(-1)
    if (!first || !last) return []
    const changes: BalanceChange[] = []
    let balance = first.balance - first.amount
    for (const direction of ['in', 'out'] as const) {
      const moved = placed.filter(({ amount }) => amount > 0n === (direction === 'in'))
      if (moved.length === 0) continue
      const amount = moved.reduce((sum, entry) => sum + entry.amount, 0n)
      balance += amount
      const fee = computeFee(moved, currency, facts)
      const internal = moved.reduce((sum, entry) => (entry.isInternal ? sum + entry.amount : sum), 0n)
      changes.push({ part, currency, amount, fee, internal, balance, version: last.version })
    }
    return changes
  })
}

/** Share of the fee in entries of one sign, signed like them. */
function computeFee(moved: readonly PlacedEntry[], currency: CurrencyCode, facts: PostingFacts): bigint {
  const { kind, transaction, withdrawalFee, disputeFee } = facts
  if (!transaction || transaction.fee_currency !== currency) return 0n
  const { fee_amount: fee, source_amount: source } = transaction
  const [first] = moved
  if (!first) return 0n
  const sign = first.amount > 0n ? 1n : -1n
  if (disputeFee > 0n) return sign * disputeFee
  if (kind === 'payout_returned') return sign * withdrawalFee
  const outside = moved.filter((entry) => !entry.isInternal)
  // The fee is the last leg of a payment, and follows the amount's.
  if (fee > 0n && outside.length > 1 && outside.at(-1)?.amount === -fee) return -fee
  const isReservation = transaction.kind === 'WITHDRAW' && first.isInternal && first.amount === sign * (source + fee)
  return isReservation ? sign * fee : 0n
}
