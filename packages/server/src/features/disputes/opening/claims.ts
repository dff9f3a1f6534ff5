import type { DisputeKind, DisputeOption } from '@tern/contract/disputes/disputes'
import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { selectTransactions, type StoredTransaction } from '../../wallets/wallets.ts'
import type { StoredDispute } from '../records/dispute-rows.ts'

// Kinds of dispute that a transaction allows, and the amounts they claim. Only `findStoredTransaction` queries the
// database.

type DisputedKind = 'send' | 'payout' | 'deposit' | 'exchange'

/** Key of a transaction that is, or may be, disputed. */
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

// Excludes reversals of the same payment, which have codes of their own.
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
  // A deposit by a stranger credits the owner's own wallet; a send of the money can be disputed instead.
  deposit: ['not_received', 'wrong_amount'],
  // An exchange by a stranger costs the account holder only its fee: both balances are theirs, at a signed rate.
  exchange: ['unauthorized', 'wrong_amount'],
}

/** Returns why this kind of dispute of a transaction is not possible now, or null. */
export function findObstacle(row: StoredTransaction, kind: DisputeKind): Exclude<DisputeOption['barred'], 'too_late'> {
  const disputedKind = classifyTransaction(row)
  if (disputedKind === undefined || !possibleKinds[disputedKind].includes(kind)) return 'not_possible'
  if (claimableAmount(row, kind).minor === 0n) return 'not_possible'
  if (row.status === 'COMPLETED') return null
  // A failed payment may still have been charged to a card or bank account.
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

/** Total to return if the dispute is upheld, in minor units; `fee` is the part that is a fee. */
export interface Claim extends Money {
  readonly fee: bigint
}

const createClaim = ({ currency, minor }: Money, fee: bigint): Claim => ({ currency, minor, fee })

/**
 * Returns the largest claim. Send or withdrawal: the amount that left the wallet, with the fee. Deposit: the amount due
 * in the wallet. Exchange: the amount received, or the fee alone if `unauthorized`.
 */
export function claimableAmount(row: StoredTransaction, kind: DisputeKind): Claim {
  const { fee_amount: fee, fee_currency: currency } = row
  if (row.kind === 'SEND' || row.kind === 'WITHDRAW') return createClaim(computePaidAmount(row), fee)
  if (row.kind === 'EXCHANGE' && kind === 'unauthorized') return createClaim(money(currency, fee), fee)
  return createClaim(arrivedAmount(row), 0n)
}

/** Amount that the account holder expected to pay, or to receive, in minor units of that side's currency. */
export interface ExpectedAmount {
  readonly side: 'paid' | 'arrived'
  readonly minor: bigint
}

export const expectedCurrency = (row: StoredTransaction, side: ExpectedAmount['side']) =>
  side === 'paid' ? row.source_currency : row.target_currency

const shareRoundedUp = (amount: bigint, part: bigint, whole: bigint): bigint =>
  whole === 0n ? 0n : (amount * part + whole - 1n) / whole

/**
 * Returns the claim for a wrong amount: the difference, converted at the transaction's own rate if the other side was
 * stated, with the same share of the fee for a send or withdrawal. Converted amounts are rounded up. Undefined if
 * nothing is missing, or if the claim exceeds the transaction.
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

/** `paid` includes the fee; `arrived` does not. */
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
