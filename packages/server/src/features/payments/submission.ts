import { money } from '@tern/money/money'
import type { ChargeResult } from '@tern/providers/card/port'
import type { DebitResult } from '@tern/providers/bank/port'
import type { MoneyProvider } from '../../providers.ts'
import { refuse, refuseField } from '../../refuse.ts'
import type { BankAccounts } from './bank-accounts.ts'
import { openCase } from './cases.ts'
import type { Ground } from './ground.ts'
import { findPayment, type PaymentRow } from './payment-row.ts'
import type { FailureReason, Settlement } from './settlement.ts'

/** Payments as they are handed to the provider: each one once, by its own id, however often that has to be tried. */
export interface Submission {
  /**
   * Asks the provider for a payment that has no session yet, and gives it as it stands then. Refuses
   * `provider_unavailable` while no answer comes, and `payment_refused` what the provider does not take.
   */
  submit(payment: PaymentRow): Promise<PaymentRow>
  /** Whether nobody can pay this payment: it is a checkout whose address nobody was ever given. */
  isOpenToNobody(payment: PaymentRow): boolean
  /** Goes on with one that never got an answer. */
  resume(payment: PaymentRow): Promise<void>
  /** Goes on with all of them that were last tried before this moment. */
  resumePending(askedBefore: Date): Promise<void>
}

const mostAtOnce = 500
// A request that is still running may bring the answer. After that a checkout has no payer, whose browser got no address.
const unansweredCheckoutMs = 15 * 60_000
// For how long a provider knows what was asked under a key. Stripe promises a day; the sandbox forgets nothing.
const keysKeptMs: Readonly<Record<MoneyProvider['name'], number>> = {
  stripe: 23 * 3_600_000,
  sandbox: Number.POSITIVE_INFINITY, // not money: a time
  none: 0,
}

export function createSubmission(
  ground: Ground,
  { settlement, bankAccounts }: { settlement: Settlement; bankAccounts: BankAccounts },
): Submission {
  const { pool, provider, now, log } = ground

  const ageMsOf = ({ created_at: createdAt }: PaymentRow) => now().getTime() - createdAt.getTime()

  /** Asked again later, a charge or a debit might be made a second time; a checkout without a payer never is. */
  const mayBeAsked = (payment: PaymentRow) => isOpenToNobody(payment) || ageMsOf(payment) < keysKeptMs[provider.name]

  async function submit(payment: PaymentRow): Promise<PaymentRow> {
    const current = async () => (await findPayment(pool, payment.id)) ?? refuse('not_found')
    if (payment.status !== 'pending' || payment.session_id !== null) return current()
    if (!mayBeAsked(payment)) return refuse('provider_unavailable')
    const answer = await ask(ground, bankAccounts, payment)
    if (answer.status === 'unknown') return refuse('provider_unavailable')
    if (answer.status === 'refused') {
      await settlement.giveUp(payment.id, 'refused')
      return refuseField('payment_refused', 'amount', answer.reason)
    }
    const url = 'url' in answer ? answer.url : null
    await pool.query(
      `update payment set session_id = $2, redirect_url = $3, updated_at = $4
        where id = $1 and (session_id is null or session_id = $2) and status in ('pending', 'completed')`,
      [payment.id, answer.sessionId, url, now()],
    )
    const stored = await current()
    // Given up meanwhile: nobody gets the address, and nobody is charged if that can still be helped.
    if (stored.status === 'failed') await endAtProvider(stored, answer.sessionId)
    // How a charge without a page ended is known by now.
    else if (payment.saved_card_id !== null && url === null) await settlement.check(payment.id)
    return current()
  }

  async function endAtProvider({ method }: PaymentRow, sessionId: string): Promise<void> {
    const state = await (method === 'bank' ? provider.bank.cancelDebit(sessionId) : provider.card.cancel(sessionId))
    if (state.status !== 'unknown') await settlement.carryOut(sessionId, state)
  }

  async function resume(payment: PaymentRow): Promise<void> {
    await pool.query('update payment set asked_at = $2 where id = $1', [payment.id, now()])
    if (isOpenToNobody(payment)) {
      if (ageMsOf(payment) > unansweredCheckoutMs) await settlement.giveUp(payment.id, 'expired')
      return
    }
    if (mayBeAsked(payment)) {
      await submit(payment)
      return
    }
    const { id, provider: name, currency, amount_minor: minor, created_at: happenedAt } = payment
    const detail = 'The provider never said whether it took this payment on, and cannot be asked again.'
    const facts = { kind: 'unplaced', provider: name, subject: id, reference: id, happenedAt, detail } as const
    await openCase(pool, { ...facts, amount: money(currency, minor) }, now())
  }

  return {
    submit,
    isOpenToNobody,
    resume,
    async resumePending(askedBefore) {
      const { rows } = await pool.query<PaymentRow>(
        `select * from payment
          where status = 'pending' and session_id is null and provider = $3 and asked_at < $1
          order by asked_at limit $2`,
        [askedBefore, mostAtOnce, provider.name],
      )
      for (const payment of rows) {
        try {
          await resume(payment)
        } catch (error) {
          log.warn({ err: error, paymentId: payment.id }, 'a payment could not be begun again')
        }
      }
    },
  }
}

const isOpenToNobody = ({ method, saved_card_id: savedCardId }: PaymentRow): boolean =>
  method !== 'bank' && savedCardId === null

/** Asks for the money; the row's own id is the key under which the provider does so once. */
async function ask(
  ground: Ground,
  bankAccounts: BankAccounts,
  payment: PaymentRow,
): Promise<ChargeResult | DebitResult> {
  const { pool, provider, publicUrl } = ground
  const amount = money(payment.currency, payment.amount_minor)
  const asked = { paymentId: payment.id, amount, idempotencyKey: payment.id }
  const isSend = payment.purpose === 'send'
  if (payment.bank_account_id !== null) {
    const account = await bankAccounts.anyAccount(payment.bank_account_id)
    if (!account) throw new Error(`payment ${payment.id} is from a bank account that is not there`)
    const description = isSend ? 'Tern transfer' : 'Tern deposit'
    return provider.bank.debit({ ...asked, accountToken: account.usable.token, description })
  }
  const page = {
    description: isSend ? 'Transfer with Tern' : 'Deposit to your Tern wallet',
    returnUrl: `${publicUrl}/${isSend ? 'send' : 'deposit'}`,
  }
  if (payment.saved_card_id === null) {
    return provider.card.createCheckout({ ...asked, ...page, saveCard: payment.save_card })
  }
  const { rows } = await pool.query<{ token: string }>('select token from saved_card where id = $1', [
    payment.saved_card_id,
  ])
  const cardToken = rows[0]?.token
  if (cardToken === undefined) throw new Error(`payment ${payment.id} is from a card that is not there`)
  return provider.card.charge({ ...asked, ...page, cardToken })
}

const sentences: Readonly<Record<FailureReason | 'late', string>> = {
  canceled: 'The payment was canceled.',
  expired: 'The time for this payment has run out.',
  declined: 'The bank declined the payment.',
  insufficient_funds: 'The bank says that there is not enough money for this payment.',
  failed: 'The payment failed.',
  refused: 'The payment was not accepted. Please try again or use a different payment method.',
  late: 'The payment came too late for this transfer. The money is in your wallet.',
}

/** Why a payment failed, in a sentence for its payer. */
export const failureSentence = (reason: string | null): string =>
  Object.hasOwn(sentences, reason ?? '') ? sentences[reason as FailureReason] : sentences.failed

/** How a payment stands for its owner. That somebody has to look at it is for operators: it has not been decided. */
export const stateOf = ({ status }: PaymentRow): Exclude<PaymentRow['status'], 'needs_review'> =>
  status === 'needs_review' ? 'pending' : status
