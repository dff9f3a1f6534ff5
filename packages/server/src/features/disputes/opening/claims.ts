import type { DisputeKind, DisputeOption } from '@tern/contract/disputes/disputes'
import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { selectTransactions, type StoredTransaction } from '../../wallets/wallets.ts'
import type { StoredDispute } from '../records/dispute-rows.ts'

// Possible disputes of a transaction and the money they claim. Pure, except for reading the transaction.

type DisputedKind = 'send' | 'payout' | 'deposit' | 'exchange'

/** Transaction of a dispute, or of one that may be opened. */
type Disputable = Pick<StoredDispute, 'user_id' | 'transaction_id'>

export async function findStoredTransaction(
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
const transactionCode = ({ description }: StoredTransaction): string => description.split(' ', 1)[0] ?? ''

function classifyTransaction(row: StoredTransaction): DisputedKind | undefined {
  if (row.kind === 'SEND') return 'send'
  if (row.kind === 'EXCHANGE') return 'exchange'
  if (row.kind === 'WITHDRAW') return row.is_payout ? 'payout' : undefined
  return row.kind === 'DEPOSIT' && depositCodes.has(transactionCode(row)) ? 'deposit' : undefined
}

const possibleKinds: Readonly<Record<DisputedKind, readonly DisputeKind[]>> = {
  send: ['unauthorized', 'not_received', 'wrong_amount'],
  payout: ['unauthorized', 'not_received', 'wrong_amount'],
  // The money is in the owner's wallet, so a stranger gained nothing; sends of it can be disputed.
  deposit: ['not_received', 'wrong_amount'],
  // Both sides belong to the account holder, so an exchange by a stranger only cost its fee. The price proof covers its
  // rate.
  exchange: ['unauthorized', 'wrong_amount'],
}

/** Returns why a transaction cannot be disputed in this way now, or null. */
export function findObstacle(row: StoredTransaction, kind: DisputeKind): Exclude<DisputeOption['barred'], 'too_late'> {
  const disputedKind = classifyTransaction(row)
  if (disputedKind === undefined || !possibleKinds[disputedKind].includes(kind)) return 'not_possible'
  if (claimableAmount(row, kind).minor === 0n) return 'not_possible'
  if (row.status === 'COMPLETED') return null
  // A failed deposit may still have been charged to a card or bank account.
  if (row.status === 'FAILED')
    return kind === 'not_received' && disputedKind !== 'payout' && row.payment_id !== null ? null : 'not_possible'
  return kind === 'wrong_amount' ? 'not_yet' : null
}

const computePaidAmount = ({
  source_currency: currency,
  source_amount: source,
  fee_amount: fee,
}: StoredTransaction): Money => money(currency, source + fee)
const arrivedAmount = ({ target_currency: currency, target_amount: minor }: StoredTransaction): Money =>
  money(currency, minor)

/** Amount to return if the dispute is upheld, including the fee, in minor units. */
export interface Claim extends Money {
  readonly fee: bigint
}

const createClaim = ({ currency, minor }: Money, fee: bigint): Claim => ({ currency, minor, fee })

/**
 * Returns the largest claim: for a send or withdrawal, everything that left the wallet including the fee; for a
 * deposit, the amount due in the wallet; for an exchange, the amount received, or its fee if a stranger made it.
 */
export function claimableAmount(row: StoredTransaction, kind: DisputeKind): Claim {
  const { fee_amount: fee, fee_currency: currency } = row
  if (row.kind === 'SEND' || row.kind === 'WITHDRAW') return createClaim(computePaidAmount(row), fee)
  if (row.kind === 'EXCHANGE' && kind === 'unauthorized') return createClaim(money(currency, fee), fee)
  return createClaim(arrivedAmount(row), 0n)
}

/** Amount the account holder expected to pay or to receive. */
export interface ExpectedAmount {
  readonly side: 'paid' | 'arrived'
  readonly minor: bigint
}

export const expectedCurrency = (row: StoredTransaction, side: ExpectedAmount['side']) =>
  side === 'paid' ? row.source_currency : row.target_currency

const shareRoundedUp = (amount: bigint, part: bigint, whole: bigint): bigint =>
  whole === 0n ? 0n : (amount * part + whole - 1n) / whole

/**
 * Returns the claim for a wrong amount: the difference, converted at the transaction's own rate when stated on the
 * other side, and for a send or withdrawal the same share of the fee; rounded up in the person's favour. Undefined when
 * nothing is missing, or more than the transaction moved.
 */
export function missingAmount(row: StoredTransaction, { side, minor }: ExpectedAmount): Claim | undefined {
  const maxClaim = claimableAmount(row, 'wrong_amount')
  const missingMinor = side === 'paid' ? computePaidAmount(row).minor - minor : minor - arrivedAmount(row).minor
  if (missingMinor <= 0n) return undefined
  const claim =
    row.kind === 'SEND' || row.kind === 'WITHDRAW'
      ? buildOutgoingClaim(row, side, missingMinor)
      : buildIncomingClaim(row, side, missingMinor)
  return claim.minor > 0n && claim.minor <= maxClaim.minor ? claim : undefined
}

/** An expected payment includes the fee, an expected arrival does not. */
function buildOutgoingClaim(row: StoredTransaction, side: ExpectedAmount['side'], missing: bigint): Claim {
  const { source_amount: source, target_amount: target, fee_amount: fee } = row
  const paid = computePaidAmount(row)
  if (side === 'paid') return createClaim(money(paid.currency, missing), (fee * missing) / paid.minor)
  const amount = shareRoundedUp(source, missing, target)
  const share = shareRoundedUp(fee, amount, source)
  return createClaim(money(paid.currency, amount + share), share)
}

function buildIncomingClaim(row: StoredTransaction, side: ExpectedAmount['side'], missing: bigint): Claim {
  const { currency } = arrivedAmount(row)
  if (currency === expectedCurrency(row, side)) return createClaim(money(currency, missing), 0n)
  return createClaim(money(currency, shareRoundedUp(row.target_amount, missing, row.source_amount)), 0n)
}
