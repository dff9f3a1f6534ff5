import { lossAccount, walletAccount } from '@tern/ledger/chart'
import { LedgerError, lockAccounts } from '@tern/ledger/ledger'
import { type Money, money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { type DisputeCredits, lockGivenBack } from '../../payments/payments.ts'
import type { TransactionRow } from '../../wallets/move.ts'
import type { StoredTransaction, Wallet } from '../../wallets/wallets.ts'
import type { DisputeContext } from '../context.ts'
import { mostOf } from '../opening/disputable.ts'
import {
  claimedOf,
  type DisputeRow,
  type PostingRow,
  readPostings,
  readWithdrawnPostings,
} from '../records/dispute-rows.ts'

// What moves because of a dispute. The money comes from our losses: nobody's wallet is charged for a decision about somebody else's
// dispute, so a recipient keeps what they were sent.

/** What is looked up before the transaction: inside it, no second connection is taken. */
export interface Accounts {
  readonly wallet: Wallet
  readonly walletId: bigint
  readonly lossId: bigint
}

export async function accountsOf({ wallets }: Pick<DisputeContext, 'wallets'>, row: DisputeRow): Promise<Accounts> {
  const wallet = await wallets.walletOf(row.user_id)
  if (!wallet) throw new Error(`user ${row.user_id} has no wallet`)
  return {
    wallet,
    walletId: await wallets.accountId(walletAccount(wallet.id, row.currency)),
    lossId: await wallets.accountId(lossAccount(row.currency)),
  }
}

/** How a disputed transaction stands with its provider, and what is still to be given back. */
export interface Due {
  /** Of its payment or payout, whose row is locked; undefined of one within wallets. */
  readonly outside: string | undefined
  readonly minor: bigint
  /** Of what disputes gave back, what the wallet has and we have not got again. */
  readonly credited: bigint
}

const sumOf = (postings: readonly PostingRow[], ...kinds: PostingRow['kind'][]): bigint =>
  postings.filter(({ kind }) => kinds.includes(kind)).reduce((sum, row) => sum + row.amount_minor, 0n)

/** Of what was given back, what the wallet has and we have not got again. */
const creditedBy = (postings: readonly PostingRow[]): bigint =>
  sumOf(postings, 'provisional', 'final') - sumOf(postings, 'taken_back', 'recovered')

/**
 * What is still due to the owner of a disputed transaction: what they claim, but never more than was taken, less what they have
 * back by any way. Locks its payment or payout, so that what comes back later is counted by whoever comes second.
 */
export async function lockDue(tx: Tx, row: DisputeRow, transaction: StoredTransaction): Promise<Due> {
  const outside = transaction.payment_id === null ? undefined : await lockGivenBack(tx, transaction.payment_id)
  const postings = await readPostings(tx, [row.id])
  const credited = creditedBy(postings)
  // Who spent a provisional credit and then withdrew the dispute has that money.
  const withdrawn = await readWithdrawnPostings(tx, row)
  const kept = creditedBy(withdrawn)
  const isOwn = transaction.kind === 'DEPOSIT' || transaction.kind === 'EXCHANGE'
  const isGone = transaction.status === 'FAILED' || (isOwn && outside?.status === 'reversed')
  const recovered = sumOf([...postings, ...withdrawn], 'recovered')
  const back = isOwn ? 0n : (outside?.minor ?? 0n) - recovered
  const left = mostOf(transaction).minor - back - credited - kept
  const wanted = row.claimed_minor - credited - kept
  const minor = wanted < left ? wanted : left
  return { outside: outside?.status, minor: isGone || minor < 0n ? 0n : minor, credited }
}

interface Step {
  readonly accounts: Accounts
  readonly row: DisputeRow
  readonly at: Date
}

/** Gives an amount back, for now or for good. Each happens once. */
export async function giveBack(
  context: DisputeContext,
  tx: Tx,
  { accounts, row, at }: Step,
  kind: 'provisional' | 'final',
  minor: bigint,
): Promise<void> {
  const legs = [{ from: accounts.lossId, to: accounts.walletId, amount: minor, code: 'refund' }] as const
  const amount = money(row.currency, minor)
  const code = kind === 'final' ? 'dispute_refund' : 'dispute_credit'
  await post(context, tx, { accounts, row, at }, { kind, amount, legs, code })
}

/**
 * Takes a provisional credit back, as far as the wallet has it: never below zero. Gives how much that was. Throws the ledger's
 * `conflict` when it is spent meanwhile, to be tried again.
 */
export async function takeBack(context: DisputeContext, tx: Tx, step: Step, credited: bigint): Promise<Money> {
  const { accounts, row } = step
  const balances = await lockAccounts(tx, [accounts.walletId, accounts.lossId])
  const available = balances.get(accounts.walletId) ?? 0n
  const minor = available < credited ? available : credited
  const amount = money(row.currency, minor)
  if (minor > 0n) {
    const legs = [{ from: accounts.walletId, to: accounts.lossId, amount: minor, code: 'refund' }] as const
    await post(context, tx, step, { kind: 'taken_back', amount, legs, code: 'dispute_credit_taken_back' })
  }
  return amount
}

interface Posted {
  readonly kind: 'provisional' | 'final' | 'taken_back'
  readonly amount: Money
  readonly legs: readonly { from: bigint; to: bigint; amount: bigint; code: 'refund' }[]
  readonly code: 'dispute_refund' | 'dispute_credit' | 'dispute_credit_taken_back'
}

async function post(
  { mover }: DisputeContext,
  tx: Tx,
  { accounts, row, at }: Step,
  { kind, amount, legs, code }: Posted,
) {
  const { wallet } = accounts
  const { id, user_id: userId } = row
  const isIn = kind !== 'taken_back'
  const postingId = derivedId('dispute', id, kind)
  const transactionId = newId(at)
  await insertRow(tx, 'dispute_posting', {
    ...{ posting_id: postingId, dispute_id: id, kind, transaction_id: transactionId },
    ...{ amount_minor: amount.minor, currency: amount.currency, at },
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
    movement: { id: postingId, requestHash: hash, kind: code, reference: transactionId, at, legs },
    rows: [seen],
  })
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    throw new LedgerError('conflict', 'the wallet was spent from in the meantime')
  }
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`dispute ${id} was posted as ${kind} before`)
}

/** What payments ask when a bank sends back what a dispute has given back already. */
export const disputeCredits: DisputeCredits = {
  async recover(tx, transactionId, { postingId, amount, at }) {
    const { rows } = await tx.query<PostingRow>(
      `select p.* from dispute_posting p join dispute d on d.id = p.dispute_id where d.transaction_id = $1`,
      [transactionId],
    )
    const [first] = rows
    const credited = creditedBy(rows)
    if (!first || credited <= 0n) return 0n
    const minor = credited < amount.minor ? credited : amount.minor
    await insertRow(tx, 'dispute_posting', {
      ...{ posting_id: postingId, dispute_id: first.dispute_id, kind: 'recovered', amount_minor: minor },
      ...{ currency: amount.currency, at },
    })
    return minor
  },
}

/** What a dispute is about, in words of money. */
export const claimText = (row: DisputeRow): string => amountText(claimedOf(row))
