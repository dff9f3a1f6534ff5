import type { BankAccounts } from './instruments/bank-accounts.ts'
import { createBankAccounts } from './instruments/bank-accounts.ts'
import { type BankLinks, createBankLinks } from './instruments/bank-links.ts'
import { createManualResolution, type ManualResolution } from './reconciliation/manual-resolution.ts'
import { createDeposits, type Deposits } from './pay-ins/deposits.ts'
import { createDetachInstrument } from './instruments/detach-instrument.ts'
import { createPaymentIntents, type PaymentIntents } from './pay-ins/payment-intents.ts'
import type { PayoutSteps } from '../transfers/transfers.ts'
import type { PaymentContext } from './context.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'
import { createPayouts } from './payouts/payouts.ts'
import { createReconciliation, type Reconciliation } from './reconciliation/reconciliation.ts'
import { createReversals } from './disputes/reversals.ts'
import { createSavedCards, type SavedCards } from './instruments/saved-cards.ts'
import { createSends, type Sends } from './pay-ins/funded-sends.ts'
import { createSettlement } from './pay-ins/settlement.ts'
import { createSubmission } from './pay-ins/submission.ts'
import { payoutSteps } from './payouts/withdrawal-order.ts'
import { createWithdrawals, type Withdrawals } from './payouts/withdrawals.ts'

/**
 * Money from cards and banks and to banks. What the provider's signed event says, or its answer when asked, moves the
 * money, whether or not the browser ever comes back.
 */
export interface Payments
  extends
    Deposits,
    Sends,
    Pick<PaymentIntents, 'status' | 'cancel'>,
    BankAccounts,
    BankLinks,
    SavedCards,
    Withdrawals,
    Webhooks,
    Reconciliation,
    ManualResolution {
  /**
   * Asks the provider about every payment, payout and linking that is pending and was last asked about before
   * `polledBefore` (a minute ago, unless named), those that waited longest first. What fails is logged and keeps nothing
   * else waiting; what stays unknown stays pending.
   */
  checkPending(polledBefore?: Date): Promise<void>
  /** Those of a kind alone, so that a provider which is slow about one kind keeps no other waiting. */
  checkPendingPayments(polledBefore?: Date): Promise<void>
  checkPendingPayouts(polledBefore?: Date): Promise<void>
  checkPendingLinks(polledBefore?: Date): Promise<void>
  /** Orders a payout at the provider that was written down before; repeated, it is ordered once. */
  submitPayout(payoutId: string): Promise<void>
  /** What happens to a payout that was held. */
  readonly payoutSteps: PayoutSteps
  /** Asks the provider about one payment now; nothing happens while the provider does not know. */
  check(paymentId: string): Promise<void>
}

const checkAfterMs = 60_000

/** Builds the feature from its parts. */
export function createPayments(context: PaymentContext): Payments {
  const detachInstrument = createDetachInstrument(context)
  const savedCards = createSavedCards(context, detachInstrument)
  const bankAccounts = createBankAccounts(context, detachInstrument)
  const bankLinks = createBankLinks(context, bankAccounts)
  const settlement = createSettlement(context, { savedCards, bankAccounts })
  const submission = createSubmission(context, { settlement, bankAccounts })
  const paymentIntents = createPaymentIntents(context, { settlement, submission })
  const deposits = createDeposits(context, { paymentIntents, savedCards, bankAccounts })
  const reversals = createReversals(context, settlement.check)
  const payouts = createPayouts(context)
  const minuteAgo = () => new Date(context.now().getTime() - checkAfterMs)
  return {
    ...deposits,
    ...createSends(context, { paymentIntents, deposits, savedCards, bankAccounts }),
    status: paymentIntents.status,
    cancel: paymentIntents.cancel,
    ...bankAccounts,
    ...bankLinks,
    ...savedCards,
    ...createWithdrawals(context, bankAccounts),
    payoutSteps: payoutSteps(context),
    ...createWebhooks(context, { settlement, reversals, payouts, bankLinks }),
    ...createReconciliation(context, { settlement, reversals, payouts }),
    ...createManualResolution(context, { settlement, payouts }),
    check: paymentIntents.check,
    async checkPending(polledBefore = minuteAgo()) {
      await settlement.checkPending(polledBefore)
      await submission.resumePending(polledBefore)
      await payouts.checkPending(polledBefore)
      await bankLinks.checkPending(polledBefore)
      await detachInstrument.retry(polledBefore)
    },
    async checkPendingPayments(polledBefore = minuteAgo()) {
      await settlement.checkPending(polledBefore)
      await submission.resumePending(polledBefore)
    },
    checkPendingPayouts: (polledBefore = minuteAgo()) => payouts.checkPending(polledBefore),
    async checkPendingLinks(polledBefore = minuteAgo()) {
      await bankLinks.checkPending(polledBefore)
      await detachInstrument.retry(polledBefore)
    },
    submitPayout: payouts.submit,
  }
}
