import { lockAccounts } from '@tern/ledger/ledger'
import { money } from '@tern/money/money'
import type pg from 'pg'
import { onlyRow, retryOnConflict, transact, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { hasOpenLoss } from '../../risk/risk.ts'
import type { DisputeContext } from '../context.ts'
import { findStoredTransaction } from '../opening/claims.ts'
import { readCreditCeilings } from '../policy.ts'
import {
  claimedAmount,
  closeReview,
  type StoredDispute,
  lockDispute,
  addEvent,
  openReview,
} from '../records/dispute-rows.ts'
import { notifyHolder } from '../notices.ts'
import { findAccounts, postCredit } from './credits.ts'
import { lockDue, type DisputeAmounts, sumAmounts } from './amount-due.ts'

// Provisional credit: the disputed money, returned until the decision.

/**
 * Posts the provisional credit that a country's rules require, once, if it is due. Does nothing while the payment is
 * pending or the account has an open loss; a later run retries. Queues a credit above a ceiling for review.
 */
export async function creditProvisionally(ctx: DisputeContext, pool: pg.Pool, id: string): Promise<void> {
  await transact(pool, async (tx) => {
    const row = await lockDispute(tx, id)
    const at = ctx.now()
    if (row?.state !== 'open' || row.credit_by === null || row.credit_by > at) return
    const due = await computeCreditDue(tx, row)
    if (due === 'later') return
    if (sumAmounts(due) === 0n) return clearCreditDate(tx, id)
    const usdMinor = ctx.exchange.usdMinorOf(money(row.currency, sumAmounts(due)))
    if (!(await isWithinCeilings(tx, row, usdMinor))) return requestReview(ctx, tx, { row, at })
    await storeProvisionalCredit(ctx, tx, { row, at, due, usdMinor })
  })
}

/**
 * Posts a credit that waited for an operator because of a ceiling. Refuses `not_found`, `dispute_closed`, and
 * `dispute_no_credit_due` if no credit waits, none is due, or the account has an open loss.
 */
export async function releaseWaitingCredit(ctx: DisputeContext, pool: pg.Pool, id: string): Promise<void> {
  await retryOnConflict(pool, async (tx) => {
    const row = (await lockDispute(tx, id)) ?? refuse('not_found')
    const at = ctx.now()
    if (row.state !== 'open') refuse('dispute_closed')
    if (row.credit_waits_at === null) refuse('dispute_no_credit_due')
    const due = await computeCreditDue(tx, row)
    if (due === 'later' || sumAmounts(due) === 0n) return refuse('dispute_no_credit_due')
    const usdMinor = ctx.exchange.usdMinorOf(money(row.currency, sumAmounts(due)))
    if (!(await storeProvisionalCredit(ctx, tx, { row, at, due, usdMinor }))) refuse('dispute_no_credit_due')
    await closeReview(tx, id, at)
    await openReview(tx, id, 'credited', at)
  })
}

const zeroAmounts: DisputeAmounts = { amount: 0n, fee: 0n }

/** Returns the amount to credit, zero if there is none; `later` while the payment is pending. */
async function computeCreditDue(tx: Tx, row: StoredDispute): Promise<DisputeAmounts | 'later'> {
  const transaction = await findStoredTransaction(tx, row)
  if (!transaction || transaction.kind === 'DEPOSIT') return zeroAmounts
  if (transaction.status === 'PENDING') return 'later'
  if (transaction.status !== 'COMPLETED') return zeroAmounts
  const { due, credited } = await lockDue(tx, row, transaction)
  return sumAmounts(credited) === 0n ? due : zeroAmounts
}

const clearCreditDate = async (tx: Tx, id: string): Promise<void> => {
  await tx.query('update dispute set credit_by = null, credit_waits_at = null where id = $1', [id])
}

interface Credit {
  readonly row: StoredDispute
  readonly at: Date
  readonly due: DisputeAmounts
  readonly usdMinor: bigint
}

/** Posts the credit. Returns false, without posting, while the account has an open loss. */
async function storeProvisionalCredit(
  ctx: DisputeContext,
  tx: Tx,
  { row, at, due, usdMinor }: Credit,
): Promise<boolean> {
  const accounts = await findAccounts(ctx, tx, row)
  // Opening a loss locks the wallet too, so the next check sees every loss.
  await lockAccounts(tx, [accounts.walletId, accounts.lossId, ...(due.fee > 0n ? [accounts.feeId] : [])])
  if (await hasOpenLoss(tx, row.user_id)) return false
  await clearCreditDate(tx, row.id)
  await tx.query('update dispute set credit_usd_minor = $2 where id = $1', [row.id, usdMinor])
  await postCredit(ctx, tx, { accounts, row, at, kind: 'provisional', amounts: due })
  await addEvent(tx, row.id, 'credited_provisionally', at)
  await notifyHolder(ctx, tx, { row, step: 'credited', amount: money(row.currency, sumAmounts(due)) })
  return true
}

/**
 * Returns whether a credit is within both ceilings, in US dollar cents. Locks until the transaction ends, so that
 * concurrent automatic credits count.
 */
async function isWithinCeilings(tx: Tx, { user_id: userId }: StoredDispute, usdMinor: bigint): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('dispute credit ceilings'))`)
  const ceilings = await readCreditCeilings(tx)
  const { rows } = await tx.query<{ person: bigint; total: bigint }>(
    `select coalesce(sum(credit_usd_minor) filter (where user_id = $1), 0) as person, coalesce(sum(credit_usd_minor), 0) as total
       from dispute where state = 'open'`,
    [userId],
  )
  const { person, total } = onlyRow(rows)
  return person + usdMinor <= ceilings.person && total + usdMinor <= ceilings.total
}

/** Queues a credit above a ceiling for review and notifies the account holder, once per dispute. */
async function requestReview(ctx: DisputeContext, tx: Tx, { row, at }: Pick<Credit, 'row' | 'at'>): Promise<void> {
  if (row.credit_waits_at !== null) return
  await tx.query('update dispute set credit_waits_at = $2 where id = $1', [row.id, at])
  await openReview(tx, row.id, 'credit_waits', at)
  await addEvent(tx, row.id, 'credit_waits', at)
  await notifyHolder(ctx, tx, { row, step: 'credit_waits', amount: claimedAmount(row), by: row.decide_by })
}
