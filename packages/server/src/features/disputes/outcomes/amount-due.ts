import type { Tx } from '../../../platform/database/db.ts'
import { lockReturnedAmount } from '../../payments/payments.ts'
import type { StoredTransaction } from '../../wallets/wallets.ts'
import { type StoredDispute, readPostings, readWithdrawnPostings } from '../records/dispute-rows.ts'
import type { DisputePostingRow } from '../row-types.ts'

// Amount of a disputed transaction still to return, with its fee.

/** Amount without the fee, and fee, in minor units of one currency. */
export interface DisputeAmounts {
  readonly amount: bigint
  readonly fee: bigint
}

export const sumAmounts = ({ amount, fee }: DisputeAmounts): bigint => amount + fee

/** Provider status of a disputed transaction, and the amounts still to settle. */
export interface AmountDue {
  /** Status of its payment or payout, whose row is locked; undefined for a transfer between wallets. */
  readonly providerStatus: string | undefined
  readonly due: DisputeAmounts
  /** Net credit of this dispute: paid back minus recovered. */
  readonly credited: DisputeAmounts
}

const signs = { provisional: 1n, final: 1n, taken_back: -1n, recovered: -1n, repaid: -1n } as const

/** Returns the net credit: paid back minus recovered. */
export function netCredit(postings: readonly DisputePostingRow[]): DisputeAmounts {
  const sum = (minorOf: (row: DisputePostingRow) => bigint) =>
    postings.reduce((all, row) => all + signs[row.kind] * minorOf(row), 0n)
  return { amount: sum((row) => row.amount_minor - row.fee_minor), fee: sum((row) => row.fee_minor) }
}

const zeroAmounts: DisputeAmounts = { amount: 0n, fee: 0n }

/**
 * Returns the amount still due to the account holder: the claim minus all amounts already returned. Locks the payment
 * or payout, so that a concurrent return is counted afterwards.
 */
export async function lockDue(tx: Tx, row: StoredDispute, transaction: StoredTransaction): Promise<AmountDue> {
  const providerReturn =
    transaction.payment_id === null ? undefined : await lockReturnedAmount(tx, transaction.payment_id)
  const postings = await readPostings(tx, [row.id])
  // A credit that was spent before the dispute was withdrawn counts as paid.
  const withdrawnPostings = await readWithdrawnPostings(tx, row)
  const isOwn = transaction.kind === 'DEPOSIT' || transaction.kind === 'EXCHANGE'
  const isUndone = transaction.status === 'FAILED' || (isOwn && providerReturn?.status === 'reversed')
  // Disputes have recovered their part of a bank's return, so it counts here only.
  const returnedMinor = isOwn ? 0n : (providerReturn?.minor ?? 0n)
  return {
    providerStatus: providerReturn?.status,
    due: isUndone ? zeroAmounts : computeDue(row, netCredit([...postings, ...withdrawnPostings]), returnedMinor),
    credited: netCredit(postings),
  }
}

/** Money returned from outside counts towards the amount before the fee. */
function computeDue(
  { claimed_minor: claimed, claimed_fee_minor: claimedFee }: StoredDispute,
  credited: DisputeAmounts,
  returnedMinor: bigint,
): DisputeAmounts {
  const outstanding = claimed - sumAmounts(credited) - returnedMinor
  if (outstanding <= 0n) return zeroAmounts
  const amountLeft = claimed - claimedFee - credited.amount - returnedMinor
  const feeLeft = claimedFee - credited.fee
  const excess = outstanding - (amountLeft > 0n ? amountLeft : 0n)
  const fee = excess < feeLeft ? excess : feeLeft
  return { amount: outstanding - fee, fee }
}
