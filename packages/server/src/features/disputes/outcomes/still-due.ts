import type { Tx } from '../../../platform/database/db.ts'
import { lockGivenBack } from '../../payments/payments.ts'
import type { StoredTransaction } from '../../wallets/wallets.ts'
import { type DisputeRow, type PostingRow, readPostings, readWithdrawnPostings } from '../records/dispute-rows.ts'

// How much of a disputed transaction is still to be given back, and what of that is its fee.

/** An amount without the fee, and the fee, in minor units of one currency. */
export interface Parts {
  readonly amount: bigint
  readonly fee: bigint
}

export const totalOf = ({ amount, fee }: Parts): bigint => amount + fee

/** How a disputed transaction stands with its provider, and what is still to be given back. */
export interface Due {
  /** Of its payment or payout, whose row is locked; undefined of one within wallets. */
  readonly outside: string | undefined
  readonly due: Parts
  /** Of what this dispute gave back, what the wallet has and we have not got again. */
  readonly credited: Parts
}

const signs = { provisional: 1n, final: 1n, taken_back: -1n, recovered: -1n, repaid: -1n } as const

/** Of what was given back, what the wallet has and we have not got again. */
export function creditedBy(postings: readonly PostingRow[]): Parts {
  const sum = (minorOf: (row: PostingRow) => bigint) =>
    postings.reduce((all, row) => all + signs[row.kind] * minorOf(row), 0n)
  return { amount: sum((row) => row.amount_minor - row.fee_minor), fee: sum((row) => row.fee_minor) }
}

const nothing: Parts = { amount: 0n, fee: 0n }

/**
 * What is still due to the owner of a disputed transaction: what they claim, less what they have back by any way. Locks its
 * payment or payout, so that what comes back later is counted by whoever comes second.
 */
export async function lockDue(tx: Tx, row: DisputeRow, transaction: StoredTransaction): Promise<Due> {
  const outside = transaction.payment_id === null ? undefined : await lockGivenBack(tx, transaction.payment_id)
  const postings = await readPostings(tx, [row.id])
  // Who spent a provisional credit and then withdrew the dispute has that money.
  const withdrawn = await readWithdrawnPostings(tx, row)
  const isOwn = transaction.kind === 'DEPOSIT' || transaction.kind === 'EXCHANGE'
  const isGone = transaction.status === 'FAILED' || (isOwn && outside?.status === 'reversed')
  // What of it disputes had given before, they have recovered: it counts here alone.
  const back = isOwn ? 0n : (outside?.minor ?? 0n)
  return {
    outside: outside?.status,
    due: isGone ? nothing : dueOf(row, creditedBy([...postings, ...withdrawn]), back),
    credited: creditedBy(postings),
  }
}

/** What came back from outside counts as the amount first. */
function dueOf(
  { claimed_minor: claimed, claimed_fee_minor: claimedFee }: DisputeRow,
  given: Parts,
  back: bigint,
): Parts {
  const left = claimed - totalOf(given) - back
  if (left <= 0n) return nothing
  const amountLeft = claimed - claimedFee - given.amount - back
  const [feeLeft, beyond] = [claimedFee - given.fee, left - (amountLeft > 0n ? amountLeft : 0n)]
  const fee = beyond < feeLeft ? beyond : feeLeft
  return { amount: left - fee, fee }
}
