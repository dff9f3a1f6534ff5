import type pg from 'pg'
import type { Db, Tx } from '../../platform/database/db.ts'
import { createSingleFlight } from '../../platform/http/idempotency.ts'
import type { PaymentContext } from './context.ts'
import { logUnchecked, readPending } from './context.ts'
import { checkLink, finishBankLink, readBankLink, startBankLink } from './links/bank-links.ts'
import { savesCards } from './instruments/funding-source.ts'
import { lookUpHolders } from './instruments/holders.ts'
import * as instruments from './instruments/instruments.ts'
import { placeDeposit, depositFromCard } from './pay-ins/deposits.ts'
import { tellPayee } from './payees/payee-checks.ts'
import { beginCollection, cancelCollection, type CollectionOrder, readCollection } from './for-requests/collections.ts'
import { createPayment, directPayment, findFundedSend, findPaidTransfer } from './pay-ins/funded-sends.ts'
import { endSlowCheckouts } from './for-requests/slow-checkouts.ts'
import { paymentForRequest } from './for-requests/requested-sends.ts'
import { cancelPayment, type PaymentKey, readPayment, recheckPayment } from './pay-ins/payment-intents.ts'
import { checkPayment } from './pay-ins/settlement.ts'
import { resume } from './pay-ins/submission.ts'
import { checkPayout, submitPayout } from './payouts/payouts.ts'
import { findStuckPayouts, openLatePayout, type StuckPayout } from './payouts/stuck-payouts.ts'
import { failHeldPayout, orderHeldPayout } from './payouts/withdrawal-order.ts'
import { readDepositTerms } from './payouts/bank-terms.ts'
import { estimateWithdrawal, findPayoutTransfer, orderWithdrawal, readPayout } from './payouts/withdrawals.ts'
import { buildCreditLegs, creditHeldDeposit, returnHeldDeposit } from './held-pulls/held-pulls.ts'
import { payLoss, readLosses } from './losses/losses.ts'
import { releaseManually, settleManually } from './reconciliation/manual-resolution.ts'
import type { Window } from './reconciliation/periods.ts'
import { reconcile } from './reconciliation/reconciliation.ts'
import { releaseWarnedMoney } from './warnings/issuer-warnings.ts'
import { markReported, openCases, resolveException } from './records/reconciliation-exceptions.ts'
import { type DeliveredEvent, receiveEvent } from './webhooks.ts'
import type { BankLinkRow, PaymentRow, PayoutRow } from './row-types.ts'

export { collectionIds, toProgress } from './for-requests/collections.ts'
export type { DisputeCredits, GuestPaymentInput, GuestOrder, MissingCredit, RequestPurpose } from './context.ts'
export { addBusinessDays, businessDaysLater } from './payouts/business-days.ts'
export { lockReturnedAmount } from './records/returned-amount.ts'
export { keptReasons, type PaymentTerms } from './records/payment-rows.ts'
export { ResolutionRefused } from './reconciliation/manual-resolution.ts'
export type { StuckPayout } from './payouts/stuck-payouts.ts'
export { closeCases, type OpenCase, openCase, openCases } from './records/reconciliation-exceptions.ts'
export type Payments = ReturnType<typeof createPayments>

type Input<F extends (ctx: PaymentContext, pool: pg.Pool, input: never) => unknown> = Parameters<F>[2]
type TxInput<F extends (ctx: PaymentContext, tx: Tx, input: never) => unknown> = Parameters<F>[2]

interface PaymentDeps extends Omit<PaymentContext, 'singleFlight'> {
  readonly pool: pg.Pool
}

/** Payments from cards and banks, and payouts to banks. Only providers' events, answers and reports settle them. */
export function createPayments({ pool, ...deps }: PaymentDeps) {
  const ctx: PaymentContext = { ...deps, singleFlight: createSingleFlight() }
  return {
    depositByCard: (order: Input<typeof depositFromCard>) => depositFromCard(ctx, pool, order),
    deposit: (order: Input<typeof placeDeposit>) => placeDeposit(ctx, pool, order),
    directPayment: (order: Input<typeof directPayment>) => directPayment(ctx, pool, order),
    createPayment: (order: Input<typeof createPayment>) => createPayment(ctx, pool, order),
    transferOf: (input: Input<typeof findPaidTransfer>) => findPaidTransfer(ctx, pool, input),
    findTransfer: (input: Input<typeof findFundedSend>) => findTransfer(ctx, pool, input),
    status: (paymentKey: PaymentKey) => readPayment(pool, paymentKey),
    cancel: (paymentKey: PaymentKey) => cancelPayment(ctx, pool, paymentKey),
    check: (paymentId: string) => recheckPayment(ctx, pool, paymentId),
    askProvider: (id: string) => pollProvider(ctx, pool, id),

    payRequest: (order: Input<typeof paymentForRequest>) => paymentForRequest(ctx, pool, order),
    collect: (order: CollectionOrder) => beginCollection(ctx, pool, order),
    collection: (paymentId: string) => readCollection(ctx, pool, paymentId),
    cancelCollection: (paymentId: string) => cancelCollection(ctx, pool, paymentId),

    bankAccounts: (userId: bigint) => instruments.readBankAccounts(ctx, pool, userId),
    removeBankAccount: (instrumentKey: UserItemKey) =>
      instruments.removeInstrument(ctx, pool, { ...instrumentKey, table: 'bank_account' }),
    chooseBankAccount: (instrumentKey: UserItemKey) => instruments.chooseBankAccount(ctx, pool, instrumentKey),
    checkPayee: (payee: Parameters<typeof tellPayee>[2]) => tellPayee(ctx, pool, payee),
    linkBankAccount: (order: Input<typeof startBankLink>) => startBankLink(ctx, pool, order),
    bankLinkStatus: (input: Input<typeof readBankLink>) => readBankLink(ctx, pool, input),
    finishBankLink: (returned: Input<typeof finishBankLink>) => finishBankLink(ctx, pool, returned),
    savedCards: (userId: bigint) => instruments.readCards(ctx, pool, userId),
    savesCards: (userId: bigint) => savesCards(ctx, pool, userId),
    removeAllInstruments: (tx: Tx, userId: bigint) => instruments.removeAllInstruments(ctx, tx, userId),
    removeCard: (instrumentKey: UserItemKey) =>
      instruments.removeInstrument(ctx, pool, { ...instrumentKey, table: 'saved_card' }),
    chooseCard: (instrumentKey: UserItemKey) => instruments.chooseCard(ctx, pool, instrumentKey),

    withdraw: (order: Input<typeof orderWithdrawal>) => orderWithdrawal(ctx, pool, order),
    depositTerms: (input: Input<typeof readDepositTerms>) => readDepositTerms(ctx, pool, input),
    estimateWithdrawal: (input: Input<typeof estimateWithdrawal>) => estimateWithdrawal(ctx, pool, input),
    payoutStatus: (payoutKey: Parameters<typeof readPayout>[1]) => readPayout(pool, payoutKey),
    openLosses: (userId: bigint) => readLosses(ctx, pool, userId),
    payLoss: (order: Input<typeof payLoss>) => payLoss(ctx, pool, order),
    submitPayout: (payoutId: string) => submitPayout(ctx, pool, payoutId),

    creditLegs: (db: Db, held: Parameters<typeof buildCreditLegs>[2]) => buildCreditLegs(ctx, db, held),
    creditHeldDeposit: (tx: Tx, input: TxInput<typeof creditHeldDeposit>) => creditHeldDeposit(ctx, tx, input),
    returnHeldDeposit: (tx: Tx, input: TxInput<typeof returnHeldDeposit>) => returnHeldDeposit(ctx, tx, input),
    orderHeldPayout: (tx: Tx, input: TxInput<typeof orderHeldPayout>) => orderHeldPayout(ctx, tx, input),
    failHeldPayout,

    receiveEvent: (event: DeliveredEvent) => receiveEvent(ctx, pool, event),
    releaseWarnedMoney: () => releaseWarnedMoney(ctx, pool),
    reconcile: (window?: Partial<Window>) => reconcile(ctx, pool, window),
    release: (resolution: Input<typeof releaseManually>) => releaseManually(ctx, pool, resolution),
    settle: (resolution: Input<typeof settleManually>) => settleManually(ctx, pool, resolution),
    exceptions: {
      open: () => openCases(pool),
      markShown: (cases: readonly { id: string }[]) => markReported(pool, cases, ctx.now()),
      /** False if no open case has this id. */
      close: (id: string, because: string) => resolveException(pool, id, because, ctx.now()),
    },
    stuckPayouts: (db: Db, id?: string) => findStuckPayouts(ctx, db, id),
    openLatePayout: (payout: StuckPayout) => openLatePayout(ctx, pool, payout),
    /** Polls the provider about a payout, or resubmits it while the provider still remembers its key. */
    pollPayout: ({ id }: StuckPayout) => checkPayout(ctx, pool, id),
    checkPendingPayments: (polledBefore?: Date) => checkPendingPayments(ctx, pool, polledBefore),
    checkPendingPayouts: (polledBefore?: Date) => checkPendingPayouts(ctx, pool, polledBefore),
    checkPendingLinks: (polledBefore?: Date) => checkPendingLinks(ctx, pool, polledBefore),
    checkPending: (polledBefore?: Date) => checkPending(ctx, pool, polledBefore),
  }
}

interface UserItemKey {
  readonly userId: bigint
  readonly id: string
}

/** Finds the user's transfer with this id, if it is funded by a card or bank account, or is a payout. */
async function findTransfer(ctx: PaymentContext, pool: pg.Pool, transferKey: UserItemKey) {
  return (await findFundedSend(ctx, pool, transferKey)) ?? findPayoutTransfer(pool, transferKey)
}

/** Polls the provider about the payment or payout with this id. */
async function pollProvider(ctx: PaymentContext, pool: pg.Pool, id: string): Promise<void> {
  await checkPayment(ctx, pool, id)
  await checkPayout(ctx, pool, id)
}

// Polling of pending rows that were last polled before `polledBefore`, least recently polled first. Each kind has a
// function of its own, so that slow answers about one kind delay no other.

const pollAfterMs = 60_000
const minuteAgo = ({ now }: PaymentContext): Date => new Date(now().getTime() - pollAfterMs)
const pending = `status = 'pending'`

async function checkPendingPayments(ctx: PaymentContext, pool: pg.Pool, polledBefore = minuteAgo(ctx)): Promise<void> {
  const submittedQuery = { table: 'payment', where: `${pending} and session_id is not null`, polledBefore }
  const unansweredQuery = { table: 'payment', where: `${pending} and session_id is null`, polledBefore }
  await endSlowCheckouts(ctx, pool)
  for (const { id } of await readPending<PaymentRow>(pool, submittedQuery)) {
    await checkPayment(ctx, pool, id).catch((error: unknown) => logUnchecked(ctx, { error, table: 'payment', id }))
  }
  for (const payment of await readPending<PaymentRow>(pool, unansweredQuery)) {
    const { id } = payment
    await resume(ctx, pool, payment).catch((error: unknown) => logUnchecked(ctx, { error, table: 'payment', id }))
  }
}

async function checkPendingPayouts(ctx: PaymentContext, pool: pg.Pool, polledBefore = minuteAgo(ctx)): Promise<void> {
  const payouts = { table: 'payout', where: pending, polledBefore }
  for (const { id } of await readPending<PayoutRow>(pool, payouts)) {
    await checkPayout(ctx, pool, id).catch((error: unknown) => logUnchecked(ctx, { error, table: 'payout', id }))
  }
}

async function checkPendingLinks(ctx: PaymentContext, pool: pg.Pool, polledBefore = minuteAgo(ctx)): Promise<void> {
  const links = { table: 'bank_link', where: pending, polledBefore }
  for (const link of await readPending<BankLinkRow>(pool, links)) {
    const { id } = link
    await checkLink(ctx, pool, link).catch((error: unknown) => logUnchecked(ctx, { error, table: 'bank_link', id }))
  }
  await instruments.retryDetach(ctx, pool, polledBefore)
  await lookUpHolders(ctx, pool)
}

async function checkPending(ctx: PaymentContext, pool: pg.Pool, polledBefore = minuteAgo(ctx)): Promise<void> {
  await checkPendingPayments(ctx, pool, polledBefore)
  await checkPendingPayouts(ctx, pool, polledBefore)
  await checkPendingLinks(ctx, pool, polledBefore)
}
