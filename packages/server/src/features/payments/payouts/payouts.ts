import type { PayoutState } from '@tern/providers/payout/port'
import { retryOnConflict } from '../../../platform/database/db.ts'
import type { MoneyProvider } from '../../../platform/providers.ts'
import { openCase } from '../reconciliation/reconciliation-exceptions.ts'
import { messagesHere } from '../../../platform/messages.ts'
import type { PaymentContext, Transition } from '../context.ts'
import type { PayoutRow } from '../records/payment-rows.ts'
import { amountOf, findPayout, takingOfPayout } from './payout-outcomes.ts'

type Certain = Exclude<PayoutState, { status: 'unknown' }>

/** Payouts at the provider: ordered, asked about, and what follows from how they end. */
export interface Payouts {
  /** What follows from a state of a payout; undefined when it is none of ours, or nothing follows from it. */
  taking(state: Certain): Promise<Transition | undefined>
  /** Orders a payout at the provider that was written down before; repeated, it is ordered once. */
  submit(payoutId: string): Promise<void>
  /** Orders again, or asks about, one payout that is pending or was completed. */
  check(payoutId: string): Promise<void>
  /** Checks all pending ones that were last asked about before this moment. */
  checkPending(polledBefore: Date): Promise<void>
}

const mostAtOnce = 500
// For how long a provider knows what was ordered under a key: ordered again after that, it would be another payout. Stripe
// promises 30 days for payouts; the sandbox forgets nothing.
const keysKeptMs: Readonly<Record<MoneyProvider['name'], number>> = {
  stripe: 25 * 86_400_000,
  sandbox: Number.POSITIVE_INFINITY, // not money: a time
  none: 0,
}

export function createPayouts(context: PaymentContext): Payouts {
  const { pool, provider, notifications, now, log } = context

  async function take(state: Certain): Promise<void> {
    const work = await takingOfPayout(context, state)
    if (!work) return
    await retryOnConflict(pool, work)
    notifications.deliverSoon()
  }

  async function submit(payoutId: string): Promise<void> {
    const refused = await orderAtProvider(context, payoutId)
    if (refused !== undefined) await take({ status: 'failed', payoutId, reason: refused })
  }

  async function resume(payout: PayoutRow): Promise<void> {
    if (now().getTime() - payout.created_at.getTime() < keysKeptMs[provider.name]) return submit(payout.id)
    const { id, status, provider: name } = payout
    if (status !== 'pending') return
    const detail = { code: 'payout_unanswered' } as const
    const facts = {
      kind: 'unmatched',
      provider: name,
      subject: id,
      reference: id,
      amount: amountOf(payout),
      detail,
    } as const
    await openCase(pool, facts, now())
  }

  async function check(payoutId: string): Promise<void> {
    const payout = await findPayout(pool, payoutId)
    if (!payout || payout.provider !== provider.name) return
    const { status, provider_payout_id: providerPayoutId } = payout
    if (providerPayoutId === null) return resume(payout)
    if (status !== 'pending' && status !== 'completed') return
    await pool.query('update payout set last_polled_at = $2 where id = $1', [payoutId, now()])
    const state = await provider.payout.lookup(providerPayoutId)
    if (state.status !== 'unknown') await take(state)
  }

  return {
    taking: (state) => takingOfPayout(context, state),
    submit,
    check,
    async checkPending(polledBefore) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from payout where status = 'pending' and provider = $1 and last_polled_at < $2 order by last_polled_at limit $3`,
        [provider.name, polledBefore, mostAtOnce],
      )
      for (const { id } of rows) {
        try {
          await check(id)
        } catch (error) {
          log.error({ err: error, payoutId: id }, 'a payout could not be checked')
        }
      }
    },
  }
}

/**
 * Orders a payout that has no answer yet, each time to the very account that it was first ordered to. Gives the reason
 * when the provider refuses it: then nothing will leave.
 */
async function orderAtProvider(
  { pool, provider, now, log }: PaymentContext,
  payoutId: string,
): Promise<string | undefined> {
  // Marked before the attempt, so that one which fails or stays unknown goes behind those that still wait.
  const { rows } = await pool.query<PayoutRow & { submitted_token: string }>(
    `update payout set last_polled_at = $2, submitted_token = coalesce(payout.submitted_token, bank_account.token) from bank_account
      where payout.id = $1 and payout.status = 'pending' and payout.provider_payout_id is null
        and payout.provider = $3 and bank_account.id = payout.bank_account_id
      returning payout.*`,
    [payoutId, now(), provider.name],
  )
  const payout = rows[0]
  if (!payout) return undefined
  const result = await provider.payout.pay({
    payoutId,
    amount: amountOf(payout),
    accountToken: payout.submitted_token,
    description: messagesHere().activity.statements.withdrawal,
    idempotencyKey: payoutId,
  })
  if (result.status === 'refused') return result.reason
  if (result.status === 'unknown') {
    log.warn({ payoutId, reason: result.reason }, 'no answer to the order of a payout')
    return undefined
  }
  await pool.query('update payout set provider_payout_id = $2, updated_at = $3 where id = $1', [
    payoutId,
    result.providerPayoutId,
    now(),
  ])
  return undefined
}
