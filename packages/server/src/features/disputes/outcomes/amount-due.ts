import type { Tx } from '../../../platform/database/db.ts'
import { lockReturnedAmount } from '../../payments/payments.ts'
import type { StoredTransaction } from '../../wallets/wallets.ts'
import { type StoredDispute, readPostings, readWithdrawnPostings } from '../records/dispute-rows.ts'
import type { DisputePostingRow } from '../row-types.ts'

/** Amount without the fee, and the fee, in minor units of the dispute's currency. */
export interface DisputeAmounts {
  readonly amount: bigint
  readonly fee: bigint
}

export const sumAmounts = ({ amount, fee }: DisputeAmounts): bigint => amount + fee

/** Amounts of a dispute, with the provider's status of its payment. */
export interface AmountDue {
  /** Status of the locked payment or payout; undefined for a transfer between wallets. */
  readonly providerStatus: string | undefined
  readonly due: DisputeAmounts
  /** Net credit of this dispute: credits minus reversals, recoveries and repayments. */
  readonly credited: DisputeAmounts
}

const signs = { provisional: 1n, final: 1n, taken_back: -1n, recovered: -1n, repaid: -1n } as const

/** Returns credits minus reversals, recoveries and repayments. */
export function netCredit(postings: readonly DisputePostingRow[]): DisputeAmounts {
  const sum = (minorOf: (row: DisputePostingRow) => bigint) =>
    postings.reduce((all, row) => all + signs[row.kind] * minorOf(row), 0n)
  return { amount: sum((row) => row.amount_minor - row.fee_minor), fee: sum((row) => row.fee_minor) }
}

const zeroAmounts: DisputeAmounts = { amount: 0n, fee: 0n }

/**
 * Returns the amount still due to the account holder: the claim minus everything returned so far. Locks the payment or
 * payout against a concurrent return.
 */
export async function lockDue(tx: Tx, row: StoredDispute, transaction: StoredTransaction): Promise<AmountDue> {
  const providerReturn =
    transaction.payment_id === null ? undefined : await lockReturnedAmount(tx, transaction.payment_id)
  const postings = await readPostings(tx, [row.id])
  // The unrecovered credit of a withdrawn dispute counts as paid.
  const withdrawnPostings = await readWithdrawnPostings(tx, row)
  const isOwn = transaction.kind === 'DEPOSIT' || transaction.kind === 'EXCHANGE'
  const isUndone = transaction.status === 'FAILED' || (isOwn && providerReturn?.status === 'reversed')
  // The credits above already exclude what was recovered from a bank's return, so the return counts in full here.
  const returnedMinor = isOwn ? 0n : (providerReturn?.minor ?? 0n)
  return {
    providerStatus: providerReturn?.status,
    due: isUndone ? zeroAmounts : computeDue(row, netCredit([...postings, ...withdrawnPostings]), returnedMinor),
    credited: netCredit(postings),
  }
}

/** Subtracts `returnedMinor` from the amount first, and from the fee last. */
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
