import { updateRow } from '../../../platform/database/rows.ts'
import { messagesHere } from '../../../platform/messages.ts'
import { apply, markPolled, type PaymentContext, providerOf } from '../context.ts'
import { openUnanswered } from '../records/reconciliation-exceptions.ts'
import { amountOf, findPayout, type PayoutRow } from '../records/payment-rows.ts'
import { type Certain, payoutTransition } from './payout-outcomes.ts'

/** Submits a stored payout to its provider. Repeated, it is paid once. */
export async function submitPayout(context: PaymentContext, payoutId: string): Promise<void> {
  // Marked before the attempt, so that one that fails goes behind those still waiting.
  const { rows } = await context.pool.query<PayoutRow & { submitted_token: string }>(
    `update payout set last_polled_at = $2, submitted_token = coalesce(payout.submitted_token, bank_account.token) from bank_account
      where payout.id = $1 and payout.status = 'pending' and payout.provider_payout_id is null
        and bank_account.id = payout.bank_account_id
      returning payout.*`,
    [payoutId, context.now()],
  )
  const [payout] = rows
  if (payout) await order(context, payout, payout.submitted_token)
}

/** Each time to the very account that it was first submitted for. What the provider refuses has failed. */
async function order(context: PaymentContext, payout: PayoutRow, accountToken: string): Promise<void> {
  const { id: payoutId } = payout
  const result = await providerOf(context, payout).payout.pay({
    payoutId,
    amount: amountOf(payout),
    accountToken,
    description: messagesHere().activity.statements.withdrawal,
    idempotencyKey: payoutId,
  })
  if (result.status === 'accepted') {
    const changes = { provider_payout_id: result.providerPayoutId, updated_at: context.now() }
    await updateRow(context.pool, 'payout', payoutId, changes)
  } else if (result.status === 'refused') {
    await applyState(context, payout.provider, { status: 'failed', payoutId, reason: result.reason })
  } else context.log.warn({ payoutId, reason: result.reason }, 'no answer to the order of a payout')
}

/** Submits again, or polls the provider about, one payout that is pending or was completed. */
export async function checkPayout(context: PaymentContext, payoutId: string): Promise<void> {
  const payout = await findPayout(context.pool, payoutId)
  if (!payout) return
  const { status, provider, provider_payout_id: providerPayoutId } = payout
  if (status !== 'pending' && (status !== 'completed' || providerPayoutId === null)) return
  await markPolled(context, 'payout', payoutId)
  const { payout: payouts, keysKeptMs } = providerOf(context, payout)
  if (providerPayoutId === null) {
    // Submitted again after its key was forgotten, it would be another payout.
    const isRepeatable = context.now().getTime() - payout.created_at.getTime() < keysKeptMs.payouts
    await (isRepeatable ? submitPayout(context, payoutId) : openUnanswered(context, payout))
    return
  }
  const state = await payouts.lookup(providerPayoutId)
  if (state.status !== 'unknown') await applyState(context, provider, state)
}

const applyState = async (context: PaymentContext, provider: string, state: Certain) =>
  apply(context, await payoutTransition(context, provider, state))
