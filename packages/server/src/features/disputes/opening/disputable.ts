import type { DisputeKind, DisputeOption } from '@tern/contract/disputes/disputes'
import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { selectTransactions, type StoredTransaction } from '../../wallets/wallets.ts'
import type { StoredDispute } from '../records/dispute-rows.ts'

// Possible disputes of a transaction and the money they claim. Pure, except for reading the transaction.

type Disputed = 'send' | 'payout' | 'deposit' | 'exchange'

/** Transaction of a dispute, or of one that may be opened. */
type Disputable = Pick<StoredDispute, 'user_id' | 'transaction_id'>

export async function findStored(
  db: Db,
  { user_id: userId, transaction_id: id }: Disputable,
): Promise<StoredTransaction | undefined> {
  const { rows } = await db.query<StoredTransaction>(`${selectTransactions} where t.user_id = $1 and t.id = $2`, [
    userId,
    id,
  ])
  return rows[0]
}

// A reversal belongs to the same payment, but has a code of its own.
const depositCodes = new Set(['card_deposit', 'bank_deposit', 'guest_payment'])
const codeOf = ({ description }: StoredTransaction): string => description.split(' ', 1)[0] ?? ''

function classifyTransaction(row: StoredTransaction): Disputed | undefined {
  if (row.kind === 'SEND') return 'send'
  if (row.kind === 'EXCHANGE') return 'exchange'
  if (row.kind === 'WITHDRAW') return row.is_payout ? 'payout' : undefined
  return row.kind === 'DEPOSIT' && depositCodes.has(codeOf(row)) ? 'deposit' : undefined
}

const possible: Readonly<Record<Disputed, readonly DisputeKind[]>> = {
  send: ['unauthorized', 'not_received', 'wrong_amount'],
  payout: ['unauthorized', 'not_received', 'wrong_amount'],
  // The money is in the owner's wallet, so a stranger gained nothing; sends of it can be disputed.
  deposit: ['not_received', 'wrong_amount'],
  // Both sides belong to the account holder, so an exchange by a stranger only cost its fee. The price proof covers its
  // rate.
  exchange: ['unauthorized', 'wrong_amount'],
}

/** Returns why a transaction cannot be disputed in this way now, or null. */
export function barredBy(row: StoredTransaction, kind: DisputeKind): Exclude<DisputeOption['barred'], 'too_late'> {
  const disputed = classifyTransaction(row)
  if (disputed === undefined || !possible[disputed].includes(kind)) return 'not_possible'
  if (claimableAmount(row, kind).minor === 0n) return 'not_possible'
  if (row.status === 'COMPLETED') return null
  // A failed deposit may still have been charged to a card or bank account.
  if (row.status === 'FAILED')
    return kind === 'not_received' && disputed !== 'payout' && row.payment_id !== null ? null : 'not_possible'
  return kind === 'wrong_amount' ? 'not_yet' : null
}

const paidOf = ({ source_currency: currency, source_amount: source, fee_amount: fee }: StoredTransaction): Money =>
  money(currency, source + fee)
const arrivedOf = ({ target_currency: currency, target_amount: minor }: StoredTransaction): Money =>
  money(currency, minor)

/** Amount to return if the dispute is upheld, including the fee, in minor units. */
export interface Claim extends Money {
  readonly fee: bigint
}

const claim = ({ currency, minor }: Money, fee: bigint): Claim => ({ currency, minor, fee })

/**
 * Returns the largest claim: for a send or withdrawal, everything that left the wallet including the fee; for a
 * deposit, the amount due in the wallet; for an exchange, the amount received, or its fee if a stranger made it.
 */
export function claimableAmount(row: StoredTransaction, kind: DisputeKind): Claim {
  const { fee_amount: fee, fee_currency: currency } = row
  if (row.kind === 'SEND' || row.kind === 'WITHDRAW') return claim(paidOf(row), fee)
  if (row.kind === 'EXCHANGE' && kind === 'unauthorized') return claim(money(currency, fee), fee)
  return claim(arrivedOf(row), 0n)
}

/** Amount the account holder expected to pay or to receive. */
export interface Expected {
  readonly side: 'paid' | 'arrived'
  readonly minor: bigint
}

export const expectedCurrency = (row: StoredTransaction, side: Expected['side']) =>
  side === 'paid' ? row.source_currency : row.target_currency

const shareUp = (total: bigint, part: bigint, of: bigint): bigint => (of === 0n ? 0n : (total * part + of - 1n) / of)

/**
 * Returns the claim for a wrong amount: the difference, converted at the transaction's own rate when stated on the
 * other side, and for a send or withdrawal the same share of the fee; rounded up in the person's favour. Undefined when
 * nothing is missing, or more than the transaction moved.
 */
export function missingAmount(row: StoredTransaction, { side, minor }: Expected): Claim | undefined {
  const most = claimableAmount(row, 'wrong_amount')
  const missing = side === 'paid' ? paidOf(row).minor - minor : minor - arrivedOf(row).minor
  if (missing <= 0n) return undefined
  const due =
    row.kind === 'SEND' || row.kind === 'WITHDRAW' ? outgoing(row, side, missing) : incoming(row, side, missing)
  return due.minor > 0n && due.minor <= most.minor ? due : undefined
}

/** An expected payment includes the fee, an expected arrival does not. */
function outgoing(row: StoredTransaction, side: Expected['side'], missing: bigint): Claim {
  const { source_amount: source, target_amount: target, fee_amount: fee } = row
  const paid = paidOf(row)
  if (side === 'paid') return claim(money(paid.currency, missing), (fee * missing) / paid.minor)
  const amount = shareUp(source, missing, target)
  const share = shareUp(fee, amount, source)
  return claim(money(paid.currency, amount + share), share)
}

function incoming(row: StoredTransaction, side: Expected['side'], missing: bigint): Claim {
  const { currency } = arrivedOf(row)
  if (currency === expectedCurrency(row, side)) return claim(money(currency, missing), 0n)
  return claim(money(currency, shareUp(row.target_amount, missing, row.source_amount)), 0n)
}
