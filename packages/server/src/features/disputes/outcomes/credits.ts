import { feeAccount, lossAccount, walletAccount } from '@tern/ledger/chart'
import { LedgerError, lockAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import type { DisputeCredits } from '../../payments/payments.ts'
import type { TransactionRow } from '../../wallets/move.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import type { DisputeContext } from '../context.ts'
import { claimedOf, type DisputeRow, type PostingRow } from '../records/dispute-rows.ts'
import { closeSettled, missingCredits, openLoss } from './missing-credits.ts'
import { creditedBy, type Parts, totalOf } from './still-due.ts'

// Postings of disputes. The amount comes from our losses and the fee from our fee income: a decision about a dispute
// never charges another person's wallet, so a recipient keeps the money.

/** Looked up before the transaction, which must not take a second connection. */
export interface Accounts {
  readonly wallet: Wallet
  readonly walletId: bigint
  readonly lossId: bigint
  readonly feeId: bigint
}

export async function accountsOf(
  { pool, wallets }: Pick<DisputeContext, 'pool' | 'wallets'>,
  row: DisputeRow,
): Promise<Accounts> {
  const wallet = await findWallet(pool, row.user_id)
  if (!wallet) throw new Error(`user ${row.user_id} has no wallet`)
  return {
    wallet,
    walletId: await wallets.accountId(pool, walletAccount(wallet.id, row.currency)),
    lossId: await wallets.accountId(pool, lossAccount(row.currency)),
    feeId: await wallets.accountId(pool, feeAccount(row.currency)),
  }
}

interface Step {
  readonly accounts: Accounts
  readonly row: DisputeRow
  readonly at: Date
}

/** Posts an amount and a fee to the account holder, provisionally or finally. Each happens once. */
export const giveBack = (
  context: DisputeContext,
  tx: Tx,
  step: Step,
  kind: 'provisional' | 'final',
  due: Parts,
): Promise<void> => post(context, tx, step, kind, due)

/**
 * Takes a provisional credit back as far as the wallet covers it: never below zero, and the amount before the fee. A
 * shortfall opens a loss. Returns the taken and the missing amount in minor units. Throws the ledger's `conflict` when
 * the money is spent concurrently; retry then.
 */
export async function takeBack(
  context: DisputeContext,
  tx: Tx,
  step: Step,
  credited: Parts,
): Promise<{ readonly taken: bigint; readonly missing: bigint }> {
  const { walletId, lossId, feeId } = step.accounts
  const balances = await lockAccounts(tx, [walletId, lossId, ...(credited.fee > 0n ? [feeId] : [])])
  const available = balances.get(walletId) ?? 0n
  const amount = available < credited.amount ? available : credited.amount
  const fee = available - amount < credited.fee ? available - amount : credited.fee
  const taken = amount + fee
  const missing = totalOf(credited) - taken
  if (taken > 0n) await post(context, tx, step, 'taken_back', { amount, fee })
  if (missing > 0n) await openLoss(tx, step.row, totalOf(credited), missing, step.at)
  return { taken, missing }
}

const codes = {
  provisional: 'dispute_credit',
  final: 'dispute_refund',
  taken_back: 'dispute_credit_taken_back',
} as const

/** Legs between the wallet and the accounts that fund disputes. A fee taken back is income again. */
function legsOf({ walletId, lossId, feeId }: Accounts, isIn: boolean, { amount, fee }: Parts): Leg[] {
  const legs: Leg[] = isIn
    ? [
        { from: lossId, to: walletId, amount, code: 'refund' },
        { from: feeId, to: walletId, amount: fee, code: 'refund' },
      ]
    : [
        { from: walletId, to: lossId, amount, code: 'refund' },
        { from: walletId, to: feeId, amount: fee, code: 'fee' },
      ]
  return legs.filter((leg) => leg.amount > 0n)
}

async function post(
  { mover }: DisputeContext,
  tx: Tx,
  { accounts, row, at }: Step,
  kind: keyof typeof codes,
  parts: Parts,
): Promise<void> {
  const { wallet } = accounts
  const { id, user_id: userId } = row
  const [isIn, code] = [kind !== 'taken_back', codes[kind]]
  const amount = money(row.currency, totalOf(parts))
  const postingId = derivedId('dispute', id, kind)
  const transactionId = newId(at)
  await insertRow(tx, 'dispute_posting', {
    ...{ posting_id: postingId, dispute_id: id, kind, transaction_id: transactionId },
    ...{ amount_minor: amount.minor, fee_minor: parts.fee, currency: amount.currency, at },
  })
  const seen: TransactionRow = {
    ...{
      userId,
      walletId: wallet.id,
      description: { code },
      source: amount,
      target: amount,
      status: 'COMPLETED' as const,
    },
    fee: money(amount.currency, 0n),
    ...(isIn
      ? ({ kind: 'DEPOSIT', recipientId: userId, toWalletId: wallet.id } as const)
      : ({ kind: 'WITHDRAW', senderId: userId, fromWalletId: wallet.id } as const)),
  }
  const hash = requestHash({ dispute: id, kind, amount: amountText(amount) })
  const outcome = await mover.moveWithin(tx, {
    movement: {
      id: postingId,
      requestHash: hash,
      kind: code,
      reference: transactionId,
      at,
      legs: legsOf(accounts, isIn, parts),
    },
    rows: [seen],
  })
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    throw new LedgerError('conflict', 'the wallet was spent from in the meantime')
  }
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`dispute ${id} was posted as ${kind} before`)
}

/**
 * Interface for payments. When a bank returns money that disputes already gave back, each dispute records what it
 * recovers.
 */
export const disputeCredits: DisputeCredits = {
  ...missingCredits,
  async recover(tx, { transactionId, postingId, amount, fee, at }) {
    const { rows } = await tx.query<PostingRow>(
      `select p.* from dispute_posting p join dispute d on d.id = p.dispute_id
        where d.transaction_id = $1 order by d.opened_at, d.id`,
      [transactionId],
    )
    let left: Parts = { amount: amount.minor, fee }
    for (const disputeId of new Set(rows.map((row) => row.dispute_id))) {
      const credited = creditedBy(rows.filter((row) => row.dispute_id === disputeId))
      const part = smallerParts(credited, left)
      if (totalOf(part) === 0n) continue
      await insertRow(tx, 'dispute_posting', {
        ...{ posting_id: postingId, dispute_id: disputeId, kind: 'recovered', amount_minor: totalOf(part) },
        ...{ fee_minor: part.fee, currency: amount.currency, at },
      })
      left = { amount: left.amount - part.amount, fee: left.fee - part.fee }
    }
    await closeSettled(tx, transactionId, 'recovered', at)
    return { amount: amount.minor - left.amount, fee: fee - left.fee }
  },
}

const smallerParts = (one: Parts, other: Parts): Parts => ({
  amount: one.amount < other.amount ? one.amount : other.amount,
  fee: one.fee < other.fee ? one.fee : other.fee,
})

export const claimText = (row: DisputeRow): string => amountText(claimedOf(row))
