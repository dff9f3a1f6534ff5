import type { BankAccounts } from './instruments/bank-accounts.ts'
import { createBankAccounts } from './instruments/bank-accounts.ts'
import { type BankLinks, createBankLinks } from './instruments/bank-links.ts'
import { createDecisions, type Decisions } from './reconciliation/manual-resolution.ts'
import { createDeposits, type Deposits } from './pay-ins/deposits.ts'
import { createForgetting } from './instruments/detach-instrument.ts'
import { createFunding, type Funding } from './pay-ins/payment-intents.ts'
import type { Ground } from './context.ts'
import { createIntake, type Intake } from './webhooks.ts'
import { createPayouts } from './payouts/payouts.ts'
import { createReconciliation, type Reconciliation } from './reconciliation/reconciliation.ts'
import { createReversals } from './disputes/reversals.ts'
import { createSavedCards, type SavedCards } from './instruments/saved-cards.ts'
import { createSends, type Sends } from './pay-ins/funded-sends.ts'
import { createSettlement } from './pay-ins/settlement.ts'
import { createSubmission } from './pay-ins/submission.ts'
import { createWithdrawals, type Withdrawals } from './payouts/withdrawals.ts'

/**
 * Money from cards and banks and to banks. What the provider's signed event says, or its answer when asked, moves the
 * money, whether or not the browser ever comes back.
 */
export interface Payments
  extends
    Deposits,
    Sends,
    Pick<Funding, 'status' | 'cancel'>,
    BankAccounts,
    BankLinks,
    SavedCards,
    Withdrawals,
    Intake,
    Reconciliation,
    Decisions {
  /**
   * Asks the provider about every payment, payout and linking that is pending and was last asked about before
   * `askedBefore` (a minute ago, unless named), those that waited longest first. What fails is logged and keeps nothing
   * else waiting; what stays unknown stays pending.
   */
  checkPending(askedBefore?: Date): Promise<void>
  /** Those of a kind alone, so that a provider which is slow about one kind keeps no other waiting. */
  checkPendingPayments(askedBefore?: Date): Promise<void>
  checkPendingPayouts(askedBefore?: Date): Promise<void>
  checkPendingLinks(askedBefore?: Date): Promise<void>
  /** Orders a payout at the provider that was written down before; repeated, it is ordered once. */
  submitPayout(payoutId: string): Promise<void>
  /** Asks the provider about one payment now; nothing happens while the provider does not know. */
  check(paymentId: string): Promise<void>
}

const checkAfterMs = 60_000

/** Builds the feature from its parts. */
export function createPayments(ground: Ground): Payments {
  const forgetting = createForgetting(ground)
  const savedCards = createSavedCards(ground, forgetting)
  const bankAccounts = createBankAccounts(ground, forgetting)
  const bankLinks = createBankLinks(ground, bankAccounts)
  const settlement = createSettlement(ground, { savedCards, bankAccounts })
  const submission = createSubmission(ground, { settlement, bankAccounts })
  const funding = createFunding(ground, { settlement, submission })
  const deposits = createDeposits(ground, { funding, savedCards, bankAccounts })
  const reversals = createReversals(ground, settlement.check)
  const payouts = createPayouts(ground)
  const minuteAgo = () => new Date(ground.now().getTime() - checkAfterMs)
  return {
    ...deposits,
    ...createSends(ground, { funding, deposits, savedCards, bankAccounts }),
    status: funding.status,
    cancel: funding.cancel,
    ...bankAccounts,
    ...bankLinks,
    ...savedCards,
    ...createWithdrawals(ground, bankAccounts),
    ...createIntake(ground, { settlement, reversals, payouts, bankLinks }),
    ...createReconciliation(ground, { settlement, reversals, payouts }),
    ...createDecisions(ground, { settlement, payouts }),
    check: funding.check,
    async checkPending(askedBefore = minuteAgo()) {
      await settlement.checkPending(askedBefore)
      await submission.resumePending(askedBefore)
      await payouts.checkPending(askedBefore)
      await bankLinks.checkPending(askedBefore)
      await forgetting.retry(askedBefore)
    },
    async checkPendingPayments(askedBefore = minuteAgo()) {
      await settlement.checkPending(askedBefore)
      await submission.resumePending(askedBefore)
    },
    checkPendingPayouts: (askedBefore = minuteAgo()) => payouts.checkPending(askedBefore),
    async checkPendingLinks(askedBefore = minuteAgo()) {
      await bankLinks.checkPending(askedBefore)
      await forgetting.retry(askedBefore)
    },
    submitPayout: payouts.submit,
  }
}
