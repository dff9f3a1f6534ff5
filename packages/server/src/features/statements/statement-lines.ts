// Lines of a statement, which shows the available balance in one currency.

import type { StatementLineKind } from '@tern/contract/statements'
import type { CurrencyCode } from '@tern/money/currency'
import type { BalanceChange, Counterparty, Movement, MovementTransaction } from './movement.ts'

export interface LineFacts {
  /** Posting and number of the line in it. */
  readonly id: string
  readonly at: Date
  readonly kind: StatementLineKind
  readonly status: 'completed' | 'pending' | 'failed'
  readonly transaction: MovementTransaction | null
  readonly counterparty: Counterparty | null
  /** Signed, in minor units. */
  readonly amount: bigint
  readonly balance: bigint
  /** True if the line shows the other side of a conversion. */
  readonly isConverted: boolean
}

interface LineSource {
  readonly movement: Movement
  readonly currency: CurrencyCode
  /** End of the statement, at which it states the status of transactions. */
  readonly asOf: Date
}

/** Returns the lines of a movement: of money in, then of money out; each amount before its fee. */
export function toLines({ movement, currency, asOf }: LineSource): LineFacts[] {
  const { postingId, at, transaction, changes } = movement
  const lines: LineFacts[] = []
  for (const change of changes) {
    if (change.part !== 'available' || change.currency !== currency) continue
    let balance = change.balance - change.amount
    for (const { kind, amount } of listShares(change, movement)) {
      balance += amount
      lines.push({
        id: `${postingId}:${String(lines.length + 1)}`,
        at,
        kind,
        status: readStatus(transaction, asOf),
        transaction,
        counterparty: transaction?.counterparty ?? null,
        amount,
        balance,
        isConverted: isConverted(kind, transaction),
      })
    }
  }
  return lines
}

interface Share {
  readonly kind: StatementLineKind
  readonly amount: bigint
}

/** Divides a change into what moved within the wallet, what moved otherwise, and the fee. */
function listShares(change: BalanceChange, movement: Movement): Share[] {
  const { amount, fee, internal } = change
  const isIn = amount > 0n
  const isWithdrawal = movement.transaction?.kind === 'WITHDRAW' && internal !== 0n
  const held: Share = isWithdrawal
    ? { kind: isIn ? 'refund' : 'withdrawal', amount: internal - fee }
    : { kind: isIn ? 'released_from_hold' : 'put_on_hold', amount: internal }
  const moved: Share = { kind: findKind(change, movement), amount: amount - fee - held.amount }
  const charged: Share = { kind: isIn ? 'fee_returned' : 'fee', amount: fee }
  const shares = isIn ? [moved, held, charged] : [held, moved, charged]
  return shares.filter((share) => share.amount !== 0n)
}

/** Kinds of deposits and withdrawals, by the code of their description; others are what their name says. */
const kindsByCode: Readonly<Record<string, StatementLineKind>> = {
  card_payment_refunded: 'refund',
  bank_payment_refunded: 'refund',
  card_payment_taken_back: 'chargeback',
  bank_payment_taken_back: 'chargeback',
  card_payment_returned: 'chargeback',
  bank_payment_returned: 'chargeback',
  card_payment_given_back: 'chargeback',
  bank_payment_given_back: 'chargeback',
  card_payment_won_back: 'chargeback',
  bank_payment_won_back: 'chargeback',
  withdrawal_returned: 'refund',
  dispute_refund: 'refund',
  dispute_credit: 'refund',
  dispute_credit_taken_back: 'correction',
  missing_money_paid: 'correction',
}

/** Kind of money that enters or leaves the wallet. */
function findKind({ amount, currency }: BalanceChange, { transaction, changes }: Movement): StatementLineKind {
  const isIn = amount > 0n
  if (!transaction) return 'correction'
  const { kind, description, target_currency: target } = transaction
  const byCode = kind === 'SEND' || kind === 'RECEIVE' ? undefined : kindsByCode[description.split(' ', 1)[0] ?? '']
  if (byCode !== undefined) return byCode
  if (kind === 'EXCHANGE') return isIn ? 'exchanged_in' : 'exchanged_out'
  if (kind === 'RECEIVE' && isIn) return 'received'
  if (kind === 'SEND') return isIn ? 'deposit' : 'sent'
  if (kind === 'WITHDRAW' && !isIn) return 'withdrawal'
  if (kind !== 'DEPOSIT') return 'correction'
  // A deposit from hold may be converted through the wallet.
  if (!isIn) return 'exchanged_out'
  const isFromHold = changes.some(({ part, amount: held }) => part === 'on_hold' && held < 0n)
  return isFromHold && currency === target ? 'exchanged_in' : 'deposit'
}

const plainKinds: ReadonlySet<StatementLineKind> = new Set(['fee', 'fee_returned', 'put_on_hold', 'released_from_hold'])

const isConverted = (kind: StatementLineKind, transaction: MovementTransaction | null): boolean =>
  transaction !== null && transaction.source_currency !== transaction.target_currency && !plainKinds.has(kind)

const statuses = { COMPLETED: 'completed', PENDING: 'pending', FAILED: 'failed' } as const

/** Status of a transaction at a time. */
function readStatus(transaction: MovementTransaction | null, asOf: Date): LineFacts['status'] {
  if (!transaction) return 'completed'
  const { status, changed_at: changedAt } = transaction
  return changedAt !== null && changedAt.getTime() >= asOf.getTime() ? 'pending' : statuses[status]
}

/** Sums of a statement, in minor units. */
export interface LineSums {
  lines: number
  moneyIn: bigint
  moneyOut: bigint
  fees: bigint
  putOnHold: bigint
}

export const startSums = (): LineSums => ({ lines: 0, moneyIn: 0n, moneyOut: 0n, fees: 0n, putOnHold: 0n })

/** Adds a line to the sums. */
export function addToSums(sums: LineSums, { kind, amount }: Pick<LineFacts, 'kind' | 'amount'>): void {
  sums.lines += 1
  if (kind === 'fee' || kind === 'fee_returned') sums.fees -= amount
  else if (kind === 'put_on_hold' || kind === 'released_from_hold') sums.putOnHold -= amount
  else if (amount > 0n) sums.moneyIn += amount
  else sums.moneyOut -= amount
}
