import { feeAccount, lossAccount, walletAccount } from '@tern/ledger/chart'
import { LedgerError, lockAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import type { DisputeCredits } from '../../payments/payments.ts'
import type { NewTransaction } from '../../wallets/move.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import type { DisputeContext } from '../context.ts'
import type { StoredDispute } from '../records/dispute-rows.ts'
import { closeSettledLosses, missingCredits, openLoss } from './missing-credits.ts'
import { netCredit, type DisputeAmounts, sumAmounts } from './amount-due.ts'
import type { DisputePostingRow } from '../row-types.ts'

// Postings of disputes. Our losses fund the amount and our fee income the fee. Another person's wallet is never
// debited, so a recipient keeps the money.

/** Wallet of the account holder, and ledger ids of the accounts that a dispute debits and credits. */
export interface Accounts {
  readonly wallet: Wallet
  readonly walletId: bigint
  readonly lossId: bigint
  readonly feeId: bigint
}

export async function findAccounts(
  { wallets }: Pick<DisputeContext, 'wallets'>,
  db: Db,
  row: StoredDispute,
): Promise<Accounts> {
  const wallet = await findWallet(db, row.user_id)
  if (!wallet) throw new Error(`user ${row.user_id} has no wallet`)
  return {
    wallet,
    walletId: await wallets.accountId(db, walletAccount(wallet.id, row.currency)),
    lossId: await wallets.accountId(db, lossAccount(row.currency)),
    feeId: await wallets.accountId(db, feeAccount(row.currency)),
  }
}

interface DisputeStepInput {
  readonly accounts: Accounts
  readonly row: StoredDispute
  readonly at: Date
}

/** Credits an amount and its fee to the account holder. Throws if this dispute already has a credit of this kind. */
export const postCredit = (
  ctx: Pick<DisputeContext, 'mover'>,
  tx: Tx,
  credit: DisputeStepInput & { readonly kind: 'provisional' | 'final'; readonly amounts: DisputeAmounts },
): Promise<void> => postMovement(ctx, tx, credit)

/**
 * Reverses a provisional credit up to the wallet's balance, the amount before the fee, and opens a loss for the
 * shortfall. Returns the reversed and the missing amount in minor units. Throws the ledger's `conflict` if the money is
 * spent concurrently; the caller retries.
 */
export async function reverseCredit(
  ctx: Pick<DisputeContext, 'mover'>,
  tx: Tx,
  { credited, ...step }: DisputeStepInput & { readonly credited: DisputeAmounts },
): Promise<{ readonly takenMinor: bigint; readonly missing: bigint }> {
  const { walletId, lossId, feeId } = step.accounts
  const balances = await lockAccounts(tx, [walletId, lossId, ...(credited.fee > 0n ? [feeId] : [])])
  const available = balances.get(walletId) ?? 0n
  const amount = available < credited.amount ? available : credited.amount
  const fee = available - amount < credited.fee ? available - amount : credited.fee
  const takenMinor = amount + fee
  const missing = sumAmounts(credited) - takenMinor
  if (takenMinor > 0n) await postMovement(ctx, tx, { ...step, kind: 'taken_back', amounts: { amount, fee } })
  if (missing > 0n) await openLoss(tx, { row: step.row, credited: sumAmounts(credited), missing, at: step.at })
  return { takenMinor, missing }
}

const codes = {
  provisional: 'dispute_credit',
  final: 'dispute_refund',
  taken_back: 'dispute_credit_taken_back',
} as const

/** Legs between the wallet and the accounts that fund disputes. A reversed fee refund counts as fee income again. */
function creditLegs({ walletId, lossId, feeId }: Accounts, isCredit: boolean, { amount, fee }: DisputeAmounts): Leg[] {
  const legs: Leg[] = isCredit
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

interface Posting extends DisputeStepInput {
  readonly kind: keyof typeof codes
  readonly amounts: DisputeAmounts
}

async function postMovement(
  { mover }: Pick<DisputeContext, 'mover'>,
  tx: Tx,
  { accounts, row, at, kind, amounts }: Posting,
): Promise<void> {
  const { wallet } = accounts
  const { id, user_id: userId } = row
  const isCredit = kind !== 'taken_back'
  const code = codes[kind]
  const amount = money(row.currency, sumAmounts(amounts))
  const postingId = derivedId('dispute', id, kind)
  const transactionId = newId(at)
  await insertRow(tx, 'dispute_posting', {
    posting_id: postingId,
    dispute_id: id,
    kind,
    transaction_id: transactionId,
    amount_minor: amount.minor,
    fee_minor: amounts.fee,
    currency: amount.currency,
    at,
  })
  const transaction: NewTransaction = {
    userId,
    walletId: wallet.id,
    description: { code },
    source: amount,
    target: amount,
    status: 'COMPLETED',
    fee: money(amount.currency, 0n),
    ...(isCredit
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
      legs: creditLegs(accounts, isCredit, amounts),
    },
    rows: [transaction],
  })
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    throw new LedgerError('conflict', 'the wallet was spent from in the meantime')
  }
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`dispute ${id} was posted as ${kind} before`)
}

/**
 * Interface for payments. `recover` divides a bank's return among the disputes that already refunded the money, and
 * returns the part that it assigned.
 */
export const disputeCredits: DisputeCredits = {
  ...missingCredits,
  async recover(tx, { transactionId, postingId, amount, fee, at }) {
    const { rows } = await tx.query<DisputePostingRow>(
      `select p.* from dispute_posting p join dispute d on d.id = p.dispute_id
        where d.transaction_id = $1 order by d.opened_at, d.id`,
      [transactionId],
    )
    let remaining: DisputeAmounts = { amount: amount.minor, fee }
    for (const disputeId of new Set(rows.map((row) => row.dispute_id))) {
      const credited = netCredit(rows.filter((row) => row.dispute_id === disputeId))
      const part = minAmounts(credited, remaining)
      if (sumAmounts(part) === 0n) continue
      await insertRow(tx, 'dispute_posting', {
        posting_id: postingId,
        dispute_id: disputeId,
        kind: 'recovered',
        amount_minor: sumAmounts(part),
        fee_minor: part.fee,
        currency: amount.currency,
        at,
      })
      remaining = { amount: remaining.amount - part.amount, fee: remaining.fee - part.fee }
    }
    await closeSettledLosses(tx, { transactionId, resolution: 'recovered', at })
    return { amount: amount.minor - remaining.amount, fee: fee - remaining.fee }
  },
}

const minAmounts = (a: DisputeAmounts, b: DisputeAmounts): DisputeAmounts => ({
  amount: a.amount < b.amount ? a.amount : b.amount,
  fee: a.fee < b.fee ? a.fee : b.fee,
})
