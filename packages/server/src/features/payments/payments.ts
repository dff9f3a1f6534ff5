import type { PaymentContext } from './context.ts'
import { pollEach } from './context.ts'
import { checkLink, type LinkRow, finishBankLink, readBankLink, startBankLink } from './links/bank-links.ts'
import { askHolders } from './instruments/holders.ts'
import * as instruments from './instruments/instruments.ts'
import { depositFrom, depositFromCard } from './pay-ins/deposits.ts'
import { beginCollection, cancelCollection, readCollection } from './for-requests/collections.ts'
import { createPayment, directPayment, findFundedSend, transferOf } from './pay-ins/funded-sends.ts'
import { endSlowCheckouts } from './for-requests/slow-checkouts.ts'
import { paymentForRequest } from './for-requests/requested-sends.ts'
import { cancelPaymentOf, readPayment, recheckPayment } from './pay-ins/payment-intents.ts'
import { checkPayment } from './pay-ins/settlement.ts'
import { resume } from './pay-ins/submission.ts'
import { checkPayout, submitPayout } from './payouts/payouts.ts'
import { askAboutPayout, openLatePayout, stuckPayouts } from './payouts/stuck-payouts.ts'
import { failHeldPayout, orderHeldPayout } from './payouts/withdrawal-order.ts'
import { bankTermsFor } from './payouts/bank-terms.ts'
import { createWithdraw, findPayoutTransfer, readPayout } from './payouts/withdrawals.ts'
import { creditHeldDeposit, returnHeldDeposit } from './held-pulls/held-pulls.ts'
import { payLoss, readLosses } from './losses/losses.ts'
import { releaseManually, settleManually } from './reconciliation/manual-resolution.ts'
import { reconcile } from './reconciliation/reconciliation.ts'
import { noteReported, openCases, resolveException } from './records/reconciliation-exceptions.ts'
import type { PaymentRow } from './records/payment-rows.ts'
import { receiveEvent } from './webhooks.ts'

export { collectionIds, progressOf } from './for-requests/collections.ts'
export type { Collections, DisputeCredits, MissingCredit } from './context.ts'
export { addBusinessDays, businessDaysLater } from './payouts/business-days.ts'
export { lockGivenBack } from './records/given-back.ts'
export { keptReasons, type PaymentRow, type PaymentTerms } from './records/payment-rows.ts'
export { CannotResolve } from './reconciliation/manual-resolution.ts'
export type { StuckPayout } from './payouts/stuck-payouts.ts'
export { closeCases, type OpenCase, openCase } from './records/reconciliation-exceptions.ts'
export type Payments = ReturnType<typeof createPayments>

const pollAfterMs = 60_000

/** Money from cards and banks and to banks. Providers' signed events and answers move it, never the browser. */
export function createPayments(context: PaymentContext) {
  const minuteAgo = () => new Date(context.now().getTime() - pollAfterMs)

  // Each polls what is pending and was last polled before `polledBefore`, longest waiting first. They are apart so that a
  // provider that is slow about one kind delays no other.
  const pending = `status = 'pending'`
  async function checkPendingPayments(polledBefore = minuteAgo()): Promise<void> {
    const [submitted, unanswered] = [`${pending} and session_id is not null`, `${pending} and session_id is null`]
    await endSlowCheckouts(context)
    await pollEach<PaymentRow>(context, 'payment', submitted, polledBefore, ({ id }) => checkPayment(context, id))
    await pollEach<PaymentRow>(context, 'payment', unanswered, polledBefore, (payment) => resume(context, payment))
  }
  const checkPendingPayouts = (polledBefore = minuteAgo()): Promise<void> =>
    pollEach(context, 'payout', pending, polledBefore, ({ id }) => checkPayout(context, id))
  async function checkPendingLinks(polledBefore = minuteAgo()): Promise<void> {
    await pollEach<LinkRow>(context, 'bank_link', pending, polledBefore, (link) => checkLink(context, link))
    await instruments.retryDetach(context, polledBefore)
    await askHolders(context)
  }

  return {
    depositByCard: bind(context, depositFromCard),
    deposit: bind(context, depositFrom),
    directPayment: bind(context, directPayment),
    createPayment: bind(context, createPayment),
    transferOf: bind(context, transferOf),
    /** The user's transfer of this id that money from or to the outside is part of. */
    findTransfer: async ({ userId, id }: { userId: bigint; id: string }) =>
      (await findFundedSend(context, userId, id)) ?? findPayoutTransfer(context, userId, id),
    status: bind(context, readPayment),
    cancel: bind(context, cancelPaymentOf),
    check: bind(context, recheckPayment),
    askProvider: bind(context, askProvider),
    ...forRequests(context),

    bankAccounts: async (userId: bigint) =>
      (await instruments.instrumentsOf(context, 'bank_account', userId)).map(instruments.bankAccountView),
    removeBankAccount: (userId: bigint, id: string) =>
      instruments.removeInstrument(context, 'bank_account', userId, id),
    chooseBankAccount: async (userId: bigint, id: string) =>
      instruments.bankAccountView(await instruments.chooseInstrument(context, 'bank_account', userId, id)),
    linkBankAccount: bind(context, startBankLink),
    bankLinkStatus: bind(context, readBankLink),
    finishBankLink: bind(context, finishBankLink),
    savedCards: async (userId: bigint) =>
      (await instruments.instrumentsOf(context, 'saved_card', userId)).map(instruments.cardView),
    /** Of somebody who leaves. */
    removeAllInstruments: bind(context, instruments.removeAllInstruments),
    removeCard: (userId: bigint, id: string) => instruments.removeInstrument(context, 'saved_card', userId, id),
    chooseCard: async (userId: bigint, id: string) =>
      instruments.cardView(await instruments.chooseInstrument(context, 'saved_card', userId, id)),

    withdraw: createWithdraw(context),
    bankTerms: bankTermsFor(context),
    payoutStatus: bind(context, readPayout),
    openLosses: bind(context, readLosses),
    payLoss: bind(context, payLoss),
    ...heldEnds(context),
    submitPayout: bind(context, submitPayout),

    receiveEvent: bind(context, receiveEvent),
    reconcile: bind(context, reconcile),
    ...{ release: bind(context, releaseManually), settle: bind(context, settleManually) },
    exceptions: exceptionsFor(context),
    stuckPayouts: bind(context, stuckPayouts),
    openLatePayout: bind(context, openLatePayout),
    askAboutPayout: bind(context, askAboutPayout),
    checkPendingPayments,
    checkPendingPayouts,
    checkPendingLinks,
    async checkPending(polledBefore = minuteAgo()): Promise<void> {
      await checkPendingPayments(polledBefore)
      await checkPendingPayouts(polledBefore)
      await checkPendingLinks(polledBefore)
    },
  }
}

/** Ends of held deposits and payouts. */
const heldEnds = (context: PaymentContext) => ({
  creditHeldDeposit: bind(context, creditHeldDeposit),
  returnHeldDeposit: bind(context, returnHeldDeposit),
  orderHeldPayout: bind(context, orderHeldPayout),
  failHeldPayout,
})

/** Payments of requests, by members and by guests. */
const forRequests = (context: PaymentContext) => ({
  payRequest: bind(context, paymentForRequest),
  collect: bind(context, beginCollection),
  collection: bind(context, readCollection),
  cancelCollection: bind(context, cancelCollection),
})

/** Asks the provider about the payment or payout of this id. */
async function askProvider(context: PaymentContext, id: string): Promise<void> {
  await checkPayment(context, id)
  await checkPayout(context, id)
}

/** The exceptions of reconciliation, for whoever has to resolve them. */
const exceptionsFor = (context: PaymentContext) => ({
  /** Those that are open, the oldest first. */
  open: () => openCases(context.pool),
  /** Remembers that somebody has been shown these. */
  noteShown: (cases: readonly { id: string }[]) => noteReported(context.pool, cases, context.now()),
  /** Closes one that somebody has resolved. False when none of this id is open. */
  close: (id: string, because: string) => resolveException(context.pool, id, because, context.now()),
})

/** The function with the context already given. */
const bind =
  <Rest extends unknown[], Result>(
    context: PaymentContext,
    work: (context: PaymentContext, ...rest: Rest) => Result,
  ): ((...rest: Rest) => Result) =>
  (...rest) =>
    work(context, ...rest)
