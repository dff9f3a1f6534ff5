import type pg from 'pg'
import type { Db, WorkInput, Tx } from '../../platform/database/db.ts'
import { createSingleFlight } from '../../platform/http/idempotency.ts'
import { createSignedIds } from '../../platform/keys/signed-ids.ts'
import type { Secret } from '../../platform/seal.ts'
import type { TransfersContext } from './context.ts'
import { authorize, type Candidate, decide, decideAgain, type TransferRule } from './decision/decide.ts'
import { emptyMemory } from './decision/send-guards.ts'
import { transferRules } from './decision/rules.ts'
import { readHeldMoney } from './desk/held-money.ts'
import { exchangeMoney, prepareExchange } from './exchanges.ts'
import type { HeldContext, LinkContext, OwnTransfer } from './held/context.ts'
import {
  cancelHeld,
  decideForOperator,
  endDue,
  followCases,
  listForOperators,
  listHeld,
  settleHeldNow,
} from './held/held-transfers.ts'
import { cancelByLink, notifyStreetHolds } from './held/street/street-holds.ts'
import { prepareSend } from './sends/sends.ts'
import { endTracking, readTracking, createTrackingLink, trackTransfer } from './tracking/tracking.ts'
import { acknowledgeWarning, checkPayment } from './warnings/warnings.ts'
import { readTransferStatus } from './transfer-status.ts'
import { readUndoWindow, setUndoWindow, readUndoSeconds } from './undo/undo-windows.ts'
import { prepareScheduled, sendMoney, sendScheduled } from './wallet-sends.ts'
import {
  type Attempt,
  beginOrder,
  nextAttempt,
  type OrderKey,
  moveInTransaction,
  runOrderOnce,
  readResult,
} from './wallet-transfers.ts'

export type { Authorization, AllowedDecision, Candidate, Hold, TransferRule } from './decision/decide.ts'
export { complianceHold, buildTransferUsage } from './decision/decide.ts'
export { verifyStepUp, revokeRefused, type StepUp } from './decision/step-up.ts'
export { failUnfunded, type HeldTransfer, recordOrderedHold, recordHold, startHold } from './held/held-rows.ts'
export {
  type ConfirmedRequest,
  deriveRiskMovementId,
  type Send,
  buildSendCandidate,
  sendRows,
  sendStepUp,
  undoPart,
} from './sends/sends.ts'
export { keyExchange } from './exchanges.ts'
export { keySend, buildOrder } from './wallet-sends.ts'
export {
  type Attempt,
  type OrderKey,
  type KeyedOrder,
  keyRequest,
  type AttemptResult,
  type OrderPosting,
  toOrderPosting,
} from './wallet-transfers.ts'
export { requireAcknowledgement, useAcknowledgement } from './warnings/warnings.ts'
export type { OutsideTransfer } from './transfer-status.ts'
export { findTransition, type TransferState } from './decision/transitions.ts'

type TransferParts = Omit<TransfersContext, 'rules' | 'usesRooms' | 'memory' | 'singleFlight'>

interface TransfersOptions extends TransferParts {
  readonly pool: pg.Pool
  /** Rules that replace `transferRules`. */
  readonly rules?: readonly TransferRule[] | undefined
}

/** Sends, exchanges and decisions on transfers, which are made before the money moves. */
export function createTransfers({ pool, rules, ...parts }: TransfersOptions) {
  const ctx: TransfersContext = {
    ...parts,
    rules: rules ?? transferRules,
    // Custom rules must decide about every transfer.
    usesRooms: rules === undefined,
    memory: emptyMemory(),
    singleFlight: createSingleFlight(),
  }
  return {
    prepareSend: (input: WorkInput<typeof prepareSend>) => prepareSend(ctx, pool, input),
    checkPayment: (input: WorkInput<typeof checkPayment>) => checkPayment(ctx, pool, input),
    acknowledgeWarning: (input: { userId: bigint; id: string }) => acknowledgeWarning(pool, input),
    decide: (transfer: Candidate) => decide(ctx, pool, transfer),
    authorize: (transfer: Candidate) => authorize(ctx, pool, transfer),
    decideAgain: (input: WorkInput<typeof decideAgain>) => decideAgain(ctx, pool, input),
    sendMoney: (input: WorkInput<typeof sendMoney>) => sendMoney(ctx, pool, input),
    sendScheduled: (input: WorkInput<typeof sendScheduled>) => sendScheduled(ctx, pool, input),
    exchangeMoney: (input: WorkInput<typeof exchangeMoney>) => exchangeMoney(ctx, pool, input),
    // Steps of an order, for callers that write more in the transaction that moves its money.
    prepareScheduled: (input: WorkInput<typeof prepareScheduled>) => prepareScheduled(ctx, pool, input),
    prepareExchange: (input: WorkInput<typeof prepareExchange>) => prepareExchange(ctx, pool, input),
    runOrderOnce: <T>(orderKey: OrderKey, work: () => Promise<T>) => runOrderOnce(ctx, orderKey, work),
    begin: (input: WorkInput<typeof beginOrder>) => beginOrder(ctx, pool, input),
    moveWithin: (tx: Tx, attempt: Attempt) => moveInTransaction(ctx, tx, attempt),
    nextAttempt: (input: WorkInput<typeof nextAttempt>) => nextAttempt(ctx, pool, input),
    readResult: (input: WorkInput<typeof readResult>) => readResult(ctx, pool, input),
  }
}

export type Transfers = ReturnType<typeof createTransfers>

/** Held transfers and their status. */
export const createHeldTransfers = ({ pool, ...ctx }: HeldContext & { readonly pool: pg.Pool }) => ({
  cancel: (ownTransfer: OwnTransfer) => cancelHeld(ctx, pool, ownTransfer),
  settleNow: (input: WorkInput<typeof settleHeldNow>) => settleHeldNow(ctx, pool, input),
  decideForOperator: (input: WorkInput<typeof decideForOperator>) => decideForOperator(ctx, pool, input),
  list: () => listHeld(pool),
  forOperators: (db: Db, id?: string) => listForOperators(db, id),
  endDue: (since?: Date) => endDue(ctx, pool, since),
  followCases: (caseId?: string) => followCases(ctx, pool, caseId),
  status: (ownTransfer: OwnTransfer) => readTransferStatus(ctx, pool, ownTransfer),
  moneyForDesk: (transferId: string) => readHeldMoney(ctx, pool, transferId),
})

export type HeldTransfers = ReturnType<typeof createHeldTransfers>

interface LinkOptions extends Omit<LinkContext, 'cancelCodes' | 'trackingCodes'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

/** Links that cancel or track a transfer without a session. */
export function createTransferLinks({ pool, secret, ...parts }: LinkOptions) {
  const cancelCodes = createSignedIds(secret, 'tern cancel link')
  const trackingCodes = createSignedIds(secret, 'tern tracking link')
  const ctx: LinkContext = { ...parts, cancelCodes, trackingCodes }
  return {
    notifyStreetHolds: () => notifyStreetHolds(ctx, pool),
    cancel: (code: string) => cancelByLink(ctx, pool, code),
    readTracking: (ownTransfer: OwnTransfer) => readTracking(ctx, pool, ownTransfer),
    shareTracking: (input: WorkInput<typeof createTrackingLink>) => createTrackingLink(ctx, pool, input),
    endTracking: (ownTransfer: OwnTransfer) => endTracking(ctx, pool, ownTransfer),
    track: (code: string) => trackTransfer(ctx, pool, code),
  }
}

export type TransferLinks = ReturnType<typeof createTransferLinks>

export const createUndoWindows = ({ pool, ...ctx }: UndoContext & { readonly pool: pg.Pool }) => ({
  read: (userId: bigint) => readUndoWindow(pool, userId),
  set: (input: WorkInput<typeof setUndoWindow>) => setUndoWindow(ctx, pool, input),
  secondsFor: (db: Db, input: WorkInput<typeof readUndoSeconds>) => readUndoSeconds(ctx, db, input),
})

export type UndoWindows = ReturnType<typeof createUndoWindows>

type UndoContext = Parameters<typeof readUndoSeconds>[0]
