import { money } from '@tern/money/money'
import type { ChargeResult } from '@tern/providers/card/port'
import type { DebitResult } from '@tern/providers/bank/port'
import type { MoneyProvider } from '../../../platform/providers.ts'
import { type Reason, refuse, refuseField } from '../../../platform/refuse.ts'
import { messagesHere } from '../../../platform/messages.ts'
import type { BankAccounts } from '../instruments/bank-accounts.ts'
import { openCase } from '../reconciliation/reconciliation-exceptions.ts'
import type { PaymentContext } from '../context.ts'
import { findPayment, type PaymentRow } from '../records/payment-rows.ts'
import type { FailureReason, Settlement } from './settlement.ts'

/** Payments as they are handed to the provider: each one once, by its own id, however often that has to be tried. */
export interface Submission {
  /**
   * Asks the provider for a payment that has no session yet, and gives it as it stands then. One whose payer wanted it
   * stopped is never asked for. Refuses `provider_unavailable` while no answer comes, and `payment_refused` what the
   * provider does not take.
   */
  submit(payment: PaymentRow): Promise<PaymentRow>
  /** Goes on with one that never got an answer, or gives it up when its payer wanted that. */
  resume(payment: PaymentRow): Promise<void>
  /** Goes on with all of them that were last tried before this moment. */
  resumePending(polledBefore: Date): Promise<void>
}

const mostAtOnce = 500
// A request that is still running may bring the answer. After that a checkout has no payer, whose browser got no address,
// and what its payer wanted stopped is given up.
const unansweredMs = 15 * 60_000
// For how long a provider knows what was asked under a key. Stripe promises a day; the sandbox forgets nothing.
const keysKeptMs: Readonly<Record<MoneyProvider['name'], number>> = {
  stripe: 23 * 3_600_000,
  sandbox: Number.POSITIVE_INFINITY, // not money: a time
  none: 0,
}

export function createSubmission(
  context: PaymentContext,
  { settlement, bankAccounts }: { settlement: Settlement; bankAccounts: BankAccounts },
): Submission {
  const { pool, provider, now, log } = context

  const msSince = (at: Date) => now().getTime() - at.getTime()

  /** Asked again later, a charge or a debit might be made a second time; a checkout without a payer never is. */
  const mayBeAsked = (payment: PaymentRow) =>
    isOpenToNobody(payment) || msSince(payment.created_at) < keysKeptMs[provider.name]

  async function submit(payment: PaymentRow): Promise<PaymentRow> {
    const current = async () => (await findPayment(pool, payment.id)) ?? refuse('not_found')
    if (payment.status !== 'pending' || payment.session_id !== null) return current()
    if (!mayBeAsked(payment)) return refuse('provider_unavailable')
    const claimed = await claim(context, bankAccounts, payment)
    if (!claimed) {
      const stored = await current()
      return stored.status === 'pending' && stored.session_id === null ? refuseUnanswered() : stored
    }
    const answer = await ask(context, claimed)
    if (answer.status === 'unknown') return refuse('provider_unavailable')
    if (answer.status === 'refused') {
      await settlement.cancelIntent(payment.id, 'refused')
      log.warn({ paymentId: payment.id, reason: answer.reason }, 'the provider refused a payment')
      return refuseField('payment_refused', 'amount', failureReason('refused'))
    }
    const url = 'url' in answer ? answer.url : null
    await pool.query(
      `update payment set session_id = $2, redirect_url = case when cancel_requested_at is null then $3 end, updated_at = $4
        where id = $1 and (session_id is null or session_id = $2) and status in ('pending', 'completed')`,
      [payment.id, answer.sessionId, url, now()],
    )
    const stored = await current()
    // Given up meanwhile: nobody gets the address, and nobody is charged if that can still be helped.
    const isGivenUp = stored.status === 'failed' || stored.cancel_requested_at !== null
    if (isGivenUp) await endAtProvider(stored, answer.sessionId)
    // How a charge without a page ended is known by now.
    else if (payment.saved_card_id !== null && url === null) await settlement.check(payment.id)
    return current()
  }

  async function endAtProvider({ method }: PaymentRow, sessionId: string): Promise<void> {
    const state = await (method === 'bank' ? provider.bank.cancelDebit(sessionId) : provider.card.cancel(sessionId))
    if (state.status !== 'unknown') await settlement.applyOutcome(sessionId, state)
  }

  async function resume(payment: PaymentRow): Promise<void> {
    await pool.query('update payment set last_polled_at = $2 where id = $1', [payment.id, now()])
    if (isOpenToNobody(payment)) {
      if (msSince(payment.created_at) > unansweredMs) await settlement.cancelIntent(payment.id, 'expired')
      return
    }
    if (payment.cancel_requested_at !== null) {
      if (msSince(payment.cancel_requested_at) > unansweredMs)
        await settlement.cancelIntent(payment.id, 'canceled_unanswered')
      return
    }
    if (mayBeAsked(payment)) {
      await submit(payment)
      return
    }
    const { id, provider: name, currency, amount_minor: minor, created_at: happenedAt } = payment
    const detail = { code: 'payment_unanswered' } as const
    const facts = { kind: 'unmatched', provider: name, subject: id, reference: id, happenedAt, detail } as const
    await openCase(pool, { ...facts, amount: money(currency, minor) }, now())
  }

  return {
    submit,
    resume,
    resumePending: (polledBefore) => resumeAll(context, polledBefore, resume),
  }
}

async function resumeAll(
  { pool, provider, log }: PaymentContext,
  polledBefore: Date,
  resume: (payment: PaymentRow) => Promise<void>,
): Promise<void> {
  const { rows } = await pool.query<PaymentRow>(
    `select * from payment
      where status = 'pending' and session_id is null and provider = $3 and last_polled_at < $1
      order by last_polled_at limit $2`,
    [polledBefore, mostAtOnce, provider.name],
  )
  for (const payment of rows) {
    try {
      await resume(payment)
    } catch (error) {
      log.warn({ err: error, paymentId: payment.id }, 'a payment could not be begun again')
    }
  }
}

/** Whether nobody can pay this payment: it is a checkout whose address nobody was ever given. */
const isOpenToNobody = ({ method, saved_card_id: savedCardId }: PaymentRow): boolean =>
  method !== 'bank' && savedCardId === null

/** That nobody knows yet whether a payment was made which its payer wanted stopped. */
export const refuseUnanswered = (): never => refuse('provider_unavailable', { reason: 'payment_unanswered' })

/**
 * Writes down, just before the provider is asked, with which token: asked again, that is the very same request, also
 * when the card or account has a newer one. Undefined when it is not to be asked for any more.
 */
async function claim(
  { pool }: PaymentContext,
  bankAccounts: BankAccounts,
  payment: PaymentRow,
): Promise<PaymentRow | undefined> {
  const token = payment.submitted_token ?? (await tokenOf(pool, bankAccounts, payment))
  const { rows } = await pool.query<PaymentRow>(
    `update payment set submitted_token = coalesce(submitted_token, $2)
      where id = $1 and status = 'pending' and session_id is null and cancel_requested_at is null returning *`,
    [payment.id, token],
  )
  return rows[0]
}

/** The provider's token of the bank account or saved card that pays; null where the card is entered on its page. */
async function tokenOf(
  pool: PaymentContext['pool'],
  bankAccounts: BankAccounts,
  payment: PaymentRow,
): Promise<string | null> {
  const { id, bank_account_id: bankAccountId, saved_card_id: savedCardId } = payment
  if (bankAccountId !== null) {
    const account = await bankAccounts.anyAccount(bankAccountId)
    if (!account) throw new Error(`payment ${id} is from a bank account that is not there`)
    return account.usable.token
  }
  if (savedCardId === null) return null
  const { rows } = await pool.query<{ token: string }>('select token from saved_card where id = $1', [savedCardId])
  if (!rows[0]) throw new Error(`payment ${id} is from a card that is not there`)
  return rows[0].token
}

/** Asks for the money; the row's own id is the key under which the provider does so once. */
function ask({ provider, publicUrl }: PaymentContext, payment: PaymentRow): Promise<ChargeResult | DebitResult> {
  const amount = money(payment.currency, payment.amount_minor)
  const asked = { paymentId: payment.id, amount, idempotencyKey: payment.id }
  const isSend = payment.purpose === 'send'
  const { submitted_token: token } = payment
  const { statements } = messagesHere().activity
  if (payment.bank_account_id !== null && token !== null) {
    const description = isSend ? statements.send_by_bank : statements.deposit_by_bank
    return provider.bank.debit({ ...asked, accountToken: token, description })
  }
  const page = {
    description: isSend ? statements.send_by_card : statements.deposit_by_card,
    returnUrl: `${publicUrl}/${isSend ? 'send' : 'deposit'}`,
  }
  return token === null
    ? provider.card.createCheckout({ ...asked, ...page, saveCard: payment.save_card })
    : provider.card.charge({ ...asked, ...page, cardToken: token })
}

const reasons = {
  canceled: 'payment_canceled',
  canceled_unanswered: 'payment_canceled_unanswered',
  expired: 'payment_expired',
  declined: 'payment_declined',
  insufficient_funds: 'payment_insufficient_funds',
  failed: 'payment_not_made',
  refused: 'payment_not_accepted',
  late: 'payment_late',
} as const satisfies Readonly<Record<FailureReason | 'late', Reason>>

/** Why a payment failed, as a code of the catalogue. */
export const failureReason = (reason: string | null) =>
  Object.hasOwn(reasons, reason ?? '') ? reasons[reason as keyof typeof reasons] : reasons.failed

/** Why a payment failed, in a sentence for its payer. */
export const failureSentence = (reason: string | null): string => messagesHere().reasons[failureReason(reason)]

/** Whether money of a payment is in the books: what it was begun for, or a late one in its payer's wallet. */
export const hasArrived = ({ status, reason }: PaymentRow): boolean =>
  status === 'completed' || status === 'reversed' || (status === 'failed' && reason === 'late')

/** How a payment stands for its owner. That somebody has to look at it is for operators: it has not been decided. */
export const stateOf = ({ status }: PaymentRow): Exclude<PaymentRow['status'], 'needs_review'> =>
  status === 'needs_review' ? 'pending' : status
