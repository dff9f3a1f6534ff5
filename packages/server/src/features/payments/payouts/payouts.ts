import type pg from 'pg'
import { add } from '@tern/money/money'
import type { PayeeResult } from '@tern/providers/link/port'
import type { PayeeCheckRef } from '@tern/providers/payout/port'
import { type Db, retryOnConflict, transact, type Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { areStopped } from '../../compliance/compliance.ts'
import { findAccountStop } from '../../risk/risk.ts'
import { recordOrderedHold } from '../../transfers/transfers.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import { findPayeeCheck, recheckPayee } from '../payees/payee-answers.ts'
import { findBankAccount } from '../instruments/instruments.ts'
import { requireLinks, markPolled, type PaymentContext, requirePayouts, transactWithRetry } from '../context.ts'
import { openUnansweredCase } from '../records/reconciliation-exceptions.ts'
import { toAmount, toPayoutFee, findPayout } from '../records/payment-rows.ts'
import { applyPayoutState, type CertainState } from './payout-outcomes.ts'
import type { PayoutRow } from '../row-types.ts'

/** Submits a stored payout to its provider. Retries do not pay again. */
export async function submitPayout(ctx: PaymentContext, pool: pg.Pool, payoutId: string): Promise<void> {
  const payee = await checkPayeeAgain(ctx, pool, payoutId)
  // After the bank's answer, which may take seconds: a case that opened meanwhile stops the order.
  if (await holdForCases(ctx, pool, payoutId)) return
  if (payee === 'unknown') return
  if (payee === 'differs') return failUnsubmitted(ctx, pool, { payoutId, reason: 'payee_differs' })
  const claimed = await claimPayout(ctx, pool, payoutId)
  if (claimed === 'account_stopped') await failIfStopped(ctx, pool, payoutId)
  else if (claimed) await placeOrder(ctx, pool, claimed)
}

interface ClaimedPayout extends PayoutRow {
  readonly submitted_token: string
  /** Provider through which the bank account is linked. */
  readonly linked_at: string
}

/**
 * Marks a payout as submitted before its provider is called; from then on the provider may have the order. The mark
 * `last_polled_at` is always later than `updated_at`, even if another process with a faster clock wrote the latter.
 * Checks for a stopped account under the row lock that a freeze waits for. Undefined if there is nothing to submit.
 */
const claimPayout = ({ now }: PaymentContext, pool: pg.Pool, payoutId: string) =>
  transact(pool, async (tx): Promise<ClaimedPayout | 'account_stopped' | undefined> => {
    const unsubmittedPayout = await lockUnsubmitted(tx, payoutId)
    if (unsubmittedPayout && (await isStoppedForOwner(tx, unsubmittedPayout))) return 'account_stopped'
    const { rows } = await tx.query<ClaimedPayout>(
      `update payout set last_polled_at = greatest($2, updated_at + interval '1 millisecond'), submitted_token = coalesce(payout.submitted_token, bank_account.token) from bank_account
        where payout.id = $1 and payout.status = 'pending' and payout.provider_payout_id is null
          and bank_account.id = payout.bank_account_id
        returning payout.*, bank_account.provider as linked_at`,
      [payoutId, now()],
    )
    return rows[0]
  })

/** True if the payout's owner may send no money. Returns of held deposits are not stopped. */
const isStoppedForOwner = async (db: Db, payout: PayoutRow): Promise<boolean> =>
  payout.returns_payment_id === null && (await findAccountStop(db, payout.user_id)) !== undefined

/**
 * Holds a payout if a case stops its owner or its account's holder, or its owner waits for newer sanctions lists,
 * unless the provider may already have the order. True if the payout is held now.
 */
const holdForCases = (ctx: PaymentContext, pool: pg.Pool, payoutId: string): Promise<boolean> =>
  transact(pool, async (tx) => {
    const payout = await lockUnsubmitted(tx, payoutId)
    // The return of a held deposit carries out the decision of a case, so it is not held again.
    if (!payout || payout.returns_payment_id !== null) return false
    const { bank_account_id: counterpartyId } = payout
    const { user_id: senderId, usd_minor: usdMinor, request_hash: requestHash, created_at: at } = payout
    const isStopped =
      (await areStopped(tx, [senderId])) ||
      (await ctx.counterparties.areStopped(tx, counterpartyId)) ||
      (await ctx.lists.hold(tx, [senderId]))
    if (!isStopped) return false
    const amount = toAmount(payout)
    const account = await findBankAccount(tx, counterpartyId)
    if (!account) throw new Error(`payout ${payoutId} has no account`)
    const candidate = { kind: 'payout', senderId, source: amount, target: amount, usdMinor, counterpartyId } as const
    const description = { code: 'withdrawal', params: { bank: account.bank_name, last4: account.last4 } } as const
    await updateRow(tx, 'payout', payoutId, { status: 'held', updated_at: ctx.now() })
    const total = add(amount, toPayoutFee(payout))
    const newHold = {
      ...{ id: payout.transaction_id, candidate, amount: total },
      ...{ paymentId: payoutId, description, requestHash, at },
    }
    await recordOrderedHold(tx, newHold, ctx.now())
    return true
  })

/** Locks and returns the payout while its provider cannot have the order yet. */
async function lockUnsubmitted(tx: Tx, payoutId: string): Promise<PayoutRow | undefined> {
  const { rows } = await tx.query<PayoutRow>(
    `select * from payout where id = $1 and status = 'pending' and provider_payout_id is null and last_polled_at <= updated_at
        for update`,
    [payoutId],
  )
  return rows[0]
}

/** Checks the payee again before an order that its provider cannot have yet, if the last outcome is stale. */
async function checkPayeeAgain(
  ctx: PaymentContext,
  pool: pg.Pool,
  payoutId: string,
): Promise<Awaited<ReturnType<typeof recheckPayee>>> {
  const payout = await transact(pool, (tx) => lockUnsubmitted(tx, payoutId))
  // A deposit goes back to the account that it came from.
  if (!payout || payout.returns_payment_id !== null) return 'agreed'
  const account = await findBankAccount(pool, payout.bank_account_id)
  if (!account) throw new Error(`payout ${payoutId} has no account`)
  const token = payout.submitted_token ?? account.token
  return recheckPayee(ctx, pool, { ...payout, account: { ...account, token } })
}

/** Fails an unsubmitted payout, and releases its money, if its owner may send no money. */
async function failIfStopped(ctx: PaymentContext, pool: pg.Pool, payoutId: string): Promise<void> {
  const payout = await findPayout(pool, payoutId)
  if (!payout || !(await isStoppedForOwner(pool, payout))) return
  await failUnsubmitted(ctx, pool, { payoutId, reason: 'account_stopped' })
}

/** Fails a payout that its provider cannot have yet, and releases its money. */
async function failUnsubmitted(
  ctx: PaymentContext,
  pool: pg.Pool,
  { payoutId, reason }: { readonly payoutId: string; readonly reason: PayoutReason },
): Promise<void> {
  await retryOnConflict(pool, async (tx) => {
    const payout = await lockUnsubmitted(tx, payoutId)
    if (!payout) return
    await applyPayoutState(ctx, tx, { provider: payout.provider, state: { status: 'failed', payoutId, reason } })
  })
}

/** Orders a payout from its provider; every attempt names the same account token. A refusal fails the payout. */
async function placeOrder(ctx: PaymentContext, pool: pg.Pool, payout: ClaimedPayout): Promise<void> {
  const { id: payoutId, submitted_token: accountToken } = payout
  const payouts = requirePayouts(ctx, payout)
  const found = payouts.needsPayee ? await readPayee(ctx, payout) : undefined
  if (found?.status === 'unknown') {
    return ctx.log.warn({ payoutId, reason: found.reason }, 'the account numbers for a payout are not known')
  }
  const payeeCheck = await readPayeeCheck(pool, payout)
  const result = await payouts.pay({
    payoutId,
    amount: toAmount(payout),
    accountToken,
    ...(found && { payee: found.payee }),
    ...(payeeCheck && { payeeCheck }),
    description: currentRequestMessages().activity.statements.withdrawal,
    idempotencyKey: payoutId,
  })
  if (result.status === 'accepted') {
    const changes = { provider_payout_id: result.providerPayoutId, updated_at: ctx.now() }
    await updateRow(pool, 'payout', payoutId, changes)
  } else if (result.status === 'refused') {
    const state = { status: 'failed', payoutId, reason: result.reason } as const
    await settlePayout(ctx, pool, { provider: payout.provider, state })
  } else ctx.log.warn({ payoutId, reason: result.reason }, 'no answer to the order of a payout')
}

/** Provider's own check of the payee, for the provider that also made it. */
async function readPayeeCheck(db: Db, payout: ClaimedPayout): Promise<PayeeCheckRef | undefined> {
  const check = await findPayeeCheck(db, payout.payee_check_id)
  if (!check || check.provider !== payout.provider || check.reference === null) return undefined
  return { reference: check.reference, isAcknowledged: check.result !== 'match' }
}

/** Reads the holder and numbers of the account from the provider that linked it, for a payout by another provider. */
async function readPayee(ctx: PaymentContext, payout: ClaimedPayout): Promise<PayeeResult> {
  const links = requireLinks(ctx, { id: payout.id, provider: payout.linked_at })
  const answer = await links.readPayee?.(payout.submitted_token)
  return answer ?? { status: 'unknown', reason: `${payout.linked_at} does not disclose account numbers` }
}

/**
 * Polls the provider about a pending or completed payout. Submits an unanswered one again, or opens a case if that
 * could pay twice.
 */
export async function checkPayout(ctx: PaymentContext, pool: pg.Pool, payoutId: string): Promise<void> {
  const payout = await findPayout(pool, payoutId)
  if (!payout) return
  const { status, provider, provider_payout_id: providerPayoutId } = payout
  if (status !== 'pending' && (status !== 'completed' || providerPayoutId === null)) return
  const payouts = requirePayouts(ctx, payout)
  if (providerPayoutId === null) {
    // Submitting marks the row itself, unless a case stops it.
    if (isRepeatable(ctx, payout)) return submitPayout(ctx, pool, payoutId)
    await markPolled(ctx, pool, { table: 'payout', id: payoutId })
    return openUnansweredCase(ctx, pool, payout)
  }
  await markPolled(ctx, pool, { table: 'payout', id: payoutId })
  const state = await payouts.lookup(providerPayoutId)
  if (state.status !== 'unknown') await settlePayout(ctx, pool, { provider, state })
}

/**
 * True while an unaccepted payout may be submitted again: after the provider has forgotten its key, a repeat could pay
 * twice. The time counts from the order or the release of a hold, before which the payout cannot have been submitted.
 */
export const isRepeatable = (ctx: PaymentContext, payout: PayoutRow): boolean =>
  ctx.now().getTime() - payout.updated_at.getTime() < requirePayouts(ctx, payout).keysKeptMs

/** Applies the state of a payout in a transaction of its own. */
const settlePayout = (
  ctx: PaymentContext,
  pool: pg.Pool,
  report: { readonly provider: string; readonly state: CertainState },
): Promise<string | undefined> => transactWithRetry(pool, (tx) => applyPayoutState(ctx, tx, report))
