import type { DisputeKind, DisputeOption } from '@tern/contract/disputes/disputes'
import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { selectTransactions, type StoredTransaction } from '../../wallets/wallets.ts'

// What can be said to be wrong with a transaction, and what would come back. Pure, but for reading the transaction.

/** What a transaction is, as far as disputes distinguish. */
type Disputed = 'send' | 'payout' | 'deposit' | 'exchange'

/** One of the user's transactions, as stored. */
export async function findStored(db: Db, userId: bigint, id: string): Promise<StoredTransaction | undefined> {
  const { rows } = await db.query<StoredTransaction>(`${selectTransactions} where t.user_id = $1 and t.id = $2`, [
    userId,
    id,
  ])
  return rows[0]
}

// What reverses another transaction has its payment, but says so itself.
const depositCodes = new Set(['card_deposit', 'bank_deposit', 'guest_payment'])
const codeOf = ({ description }: StoredTransaction): string => description.split(' ', 1)[0] ?? ''

function disputedOf(row: StoredTransaction): Disputed | undefined {
  if (row.kind === 'SEND') return 'send'
  if (row.kind === 'EXCHANGE') return 'exchange'
  if (row.kind === 'WITHDRAW') return row.is_payout ? 'payout' : undefined
  return row.kind === 'DEPOSIT' && depositCodes.has(codeOf(row)) ? 'deposit' : undefined
}

const possible: Readonly<Record<Disputed, readonly DisputeKind[]>> = {
  send: ['unauthorized', 'not_received', 'wrong_amount'],
  payout: ['unauthorized', 'not_received', 'wrong_amount'],
  // It is in the owner's own wallet, so a stranger has gained nothing by it: what they sent on is disputed.
  deposit: ['not_received', 'wrong_amount'],
  // Both sides are the owner's, so of one that somebody else made, what is gone is its fee. At whose rate it was made, its price proof
  // says.
  exchange: ['unauthorized', 'wrong_amount'],
}

/** Why something cannot be said of a transaction now; null: it can. */
export function barredBy(row: StoredTransaction, kind: DisputeKind): Exclude<DisputeOption['barred'], 'too_late'> {
  const disputed = disputedOf(row)
  if (disputed === undefined || !possible[disputed].includes(kind)) return 'not_possible'
  if (mostOf(row, kind).minor === 0n) return 'not_possible'
  if (row.status === 'COMPLETED') return null
  // Money that a card or a bank gave may be missing here.
  if (row.status === 'FAILED')
    return kind === 'not_received' && disputed !== 'payout' && row.payment_id !== null ? null : 'not_possible'
  return kind === 'wrong_amount' ? 'not_yet' : null
}

const paidOf = ({ source_currency: currency, source_amount: source, fee_amount: fee }: StoredTransaction): Money =>
  money(currency, source + fee)
const arrivedOf = ({ target_currency: currency, target_amount: minor }: StoredTransaction): Money =>
  money(currency, minor)

/** What comes back if somebody is right: all of it, and of that the fee, in minor units. */
export interface Claim extends Money {
  readonly fee: bigint
}

const claim = ({ currency, minor }: Money, fee: bigint): Claim => ({ currency, minor, fee })

/**
 * The most that can come back: of a send or withdrawal, everything that left the wallet, with its fee; of a deposit, what should be in
 * the wallet; of an exchange, what arrived, or, where somebody else made it, its fee.
 */
export function mostOf(row: StoredTransaction, kind: DisputeKind): Claim {
  const { fee_amount: fee, fee_currency: currency } = row
  if (row.kind === 'SEND' || row.kind === 'WITHDRAW') return claim(paidOf(row), fee)
  if (row.kind === 'EXCHANGE' && kind === 'unauthorized') return claim(money(currency, fee), fee)
  return claim(arrivedOf(row), 0n)
}

/** What somebody says should have left, or should have arrived. */
export interface Expected {
  readonly side: 'paid' | 'arrived'
  readonly minor: bigint
}

/** The currency in which an expectation is told. */
export const expectedCurrency = (row: StoredTransaction, side: Expected['side']) =>
  side === 'paid' ? row.source_currency : row.target_currency

const shareUp = (whole: bigint, part: bigint, of: bigint): bigint => (of === 0n ? 0n : (whole * part + of - 1n) / of)

/**
 * What comes back if the amount should have been another: the difference, converted at the transaction's own rate where it is on
 * the side whose money does not come back, and of a send or withdrawal the same share of the fee; rounded up for the person.
 * Undefined where nothing is missing, or more than there was.
 */
export function differenceOf(row: StoredTransaction, { side, minor }: Expected): Claim | undefined {
  const most = mostOf(row, 'wrong_amount')
  const missing = side === 'paid' ? paidOf(row).minor - minor : minor - arrivedOf(row).minor
  if (missing <= 0n) return undefined
  const due =
    row.kind === 'SEND' || row.kind === 'WITHDRAW' ? outgoing(row, side, missing) : incoming(row, side, missing)
  return due.minor > 0n && due.minor <= most.minor ? due : undefined
}

/** What should have left counts with its fee; what should have arrived without. */
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
