import type { DisputeKind, DisputeOption } from '@tern/contract/disputes/disputes'
import { type Money, money } from '@tern/money/money'
import type { Queryable } from '../../../platform/database/db.ts'
import { selectTransactions, type StoredTransaction } from '../../wallets/wallets.ts'

// What can be said to be wrong with a transaction, and what would come back. Pure, but for reading the transaction.

/** What a transaction is, as far as disputes distinguish. */
type Disputed = 'send' | 'payout' | 'deposit' | 'exchange'

/** One of the user's transactions, as stored. */
export async function findStored(db: Queryable, userId: bigint, id: string): Promise<StoredTransaction | undefined> {
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
  // Both sides are the owner's. At whose rate it was made, its price proof says.
  exchange: ['wrong_amount'],
}

/** Why something cannot be said of a transaction now; null: it can. */
export function barredBy(row: StoredTransaction, kind: DisputeKind): Exclude<DisputeOption['barred'], 'too_late'> {
  const disputed = disputedOf(row)
  if (disputed === undefined || !possible[disputed].includes(kind)) return 'not_possible'
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

/**
 * The most that can come back: everything that left the wallet; of a withdrawal, its amount; of a deposit, what should be in the
 * wallet; of an exchange, what arrived.
 */
export const mostOf = (row: StoredTransaction): Money => (row.kind === 'SEND' ? paidOf(row) : arrivedOf(row))

/** What somebody says should have left, or should have arrived. */
export interface Expected {
  readonly side: 'paid' | 'arrived'
  readonly minor: bigint
}

/** The currency in which an expectation is told. */
export const expectedCurrency = (row: StoredTransaction, side: Expected['side']) =>
  side === 'paid' ? row.source_currency : row.target_currency

/**
 * What comes back if the amount should have been another: the difference, converted at the transaction's own rate where it is on
 * the side whose money does not come back, rounded up for the person. Undefined where nothing is missing, or more than there was.
 */
export function differenceOf(row: StoredTransaction, { side, minor }: Expected): Money | undefined {
  const most = mostOf(row)
  const missing = side === 'paid' ? paidOf(row).minor - minor : minor - arrivedOf(row).minor
  if (missing <= 0n) return undefined
  const isOwnSide = most.currency === expectedCurrency(row, side)
  const [to, from] = side === 'paid' ? [row.target_amount, row.source_amount] : [row.source_amount, row.target_amount]
  const due = isOwnSide ? missing : from === 0n ? 0n : (missing * to + from - 1n) / from
  return due > 0n && due <= most.minor ? money(most.currency, due) : undefined
}
