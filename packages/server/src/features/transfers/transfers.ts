import type pg from 'pg'
import type { Db, InputOf, Tx } from '../../platform/database/db.ts'
import { createSingleFlight } from '../../platform/http/idempotency.ts'
import { createSignedIds } from '../../platform/keys/signed-ids.ts'
import type { Secret } from '../../platform/seal.ts'
import type { TransfersContext } from './context.ts'
import { authorize, type Candidate, decide, decideAgain, type TransferRule } from './decision/decide.ts'
import { emptyMemory } from './decision/room.ts'
import { transferRules } from './decision/rules.ts'
import { readHeldMoney } from './desk/held-money.ts'
import { exchangeMoney, prepareExchange } from './exchanges.ts'
import type { HeldContext, LinkContext, OwnTransfer } from './held/context.ts'
import {
  cancelHeld,
  decideAs,
  endDue,
  followCases,
  listForOperators,
  listHeld,
  settleNow,
} from './held/held-transfers.ts'
import { cancelByLink, notifyStreetHolds } from './held/street/street-holds.ts'
import { prepareSend } from './sends/sends.ts'
import { endTracking, readTracking, shareTracking, trackTransfer } from './tracking/tracking.ts'
import { readTransferStatus } from './transfer-status.ts'
import { readUndoWindow, setUndoWindow, undoSecondsFor } from './undo/undo-windows.ts'
import { prepareScheduled, sendMoney, sendScheduled } from './wallet-sends.ts'
import {
  type Attempt,
  beginOrder,
  followAttempt,
  type Keyed,
  moveWithin,
  payOnce,
  readResult,
} from './wallet-transfers.ts'

export type { Authorization, Authorized, Candidate, Hold, TransferRule } from './decision/decide.ts'
export { heldForCases, buildTransferUsage } from './decision/decide.ts'
export { passStepUp, revokeRefused, type StepUp } from './decision/step-up.ts'
export { failUnfunded, type HeldTransfer, holdOrdered, recordHold, startHold } from './held/held-rows.ts'
export {
  type Confirmed,
  deriveRiskMovementId,
  type Send,
  sendCandidate,
  sendRows,
  sendStepUp,
  undoPart,
} from './sends/sends.ts'
export { keyExchange } from './exchanges.ts'
export { keySend, buildOrder } from './wallet-sends.ts'
export {
  type Attempt,
  type Keyed,
  type KeyedOrder,
  keyRequest,
  type Made,
  type Moved,
  movedBy,
} from './wallet-transfers.ts'
export type { OutsideTransfer } from './transfer-status.ts'
export { findTransition, type TransferState } from './decision/transitions.ts'

type Needed = Omit<TransfersContext, 'rules' | 'usesRooms' | 'memory' | 'singleFlight'>

interface Options extends Needed {
  readonly pool: pg.Pool
  /** Rules that replace the registered ones. */
  readonly rules?: readonly TransferRule[] | undefined
}

/** Sends, exchanges and transfer decisions. Each transfer is decided once, before its money is authorized. */
export function createTransfers({ pool, rules, ...needed }: Options) {
  const ctx: TransfersContext = {
    ...needed,
    rules: rules ?? transferRules,
    // Custom rules must decide about every transfer.
    usesRooms: rules === undefined,
    memory: emptyMemory(),
    singleFlight: createSingleFlight(),
  }
  return {
    prepareSend: (input: InputOf<typeof prepareSend>) => prepareSend(ctx, pool, input),
    decide: (transfer: Candidate) => decide(ctx, pool, transfer),
    authorize: (transfer: Candidate) => authorize(ctx, pool, transfer),
    decideAgain: (stopped: InputOf<typeof decideAgain>) => decideAgain(ctx, pool, stopped),
    sendMoney: (input: InputOf<typeof sendMoney>) => sendMoney(ctx, pool, input),
    sendScheduled: (input: InputOf<typeof sendScheduled>) => sendScheduled(ctx, pool, input),
    exchangeMoney: (input: InputOf<typeof exchangeMoney>) => exchangeMoney(ctx, pool, input),
    // Steps of an order that writes more in the transaction that moves its money.
    prepareScheduled: (input: InputOf<typeof prepareScheduled>) => prepareScheduled(ctx, pool, input),
    prepareExchange: (input: InputOf<typeof prepareExchange>) => prepareExchange(ctx, pool, input),
    payOnce: <T>(keyed: Keyed, work: () => Promise<T>) => payOnce(ctx, keyed, work),
    begin: (input: InputOf<typeof beginOrder>) => beginOrder(ctx, pool, input),
    moveWithin: (tx: Tx, attempt: Attempt) => moveWithin(ctx, tx, attempt),
    follow: (input: InputOf<typeof followAttempt>) => followAttempt(ctx, pool, input),
    readResult: (input: InputOf<typeof readResult>) => readResult(ctx, pool, input),
  }
}

export type Transfers = ReturnType<typeof createTransfers>

/** Held transfers and their status. Built after the features whose transfers it ends. */
export const createHeldTransfers = ({ pool, ...ctx }: HeldContext & { readonly pool: pg.Pool }) => ({
  cancel: (own: OwnTransfer) => cancelHeld(ctx, pool, own),
  settleNow: (input: InputOf<typeof settleNow>) => settleNow(ctx, pool, input),
  decideAs: (input: InputOf<typeof decideAs>) => decideAs(ctx, pool, input),
  list: () => listHeld(pool),
  forOperators: (db: Db, id?: string) => listForOperators(db, id),
  endDue: (since?: Date) => endDue(ctx, pool, since),
  followCases: (caseId?: string) => followCases(ctx, pool, caseId),
  status: (own: OwnTransfer) => readTransferStatus(ctx, pool, own),
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
    readTracking: (own: OwnTransfer) => readTracking(ctx, pool, own),
    shareTracking: (input: InputOf<typeof shareTracking>) => shareTracking(ctx, pool, input),
    endTracking: (own: OwnTransfer) => endTracking(ctx, pool, own),
    track: (code: string) => trackTransfer(ctx, pool, code),
  }
}

export type TransferLinks = ReturnType<typeof createTransferLinks>

/** Undo windows of users. */
export const createUndoWindows = ({ pool, ...ctx }: UndoContext & { readonly pool: pg.Pool }) => ({
  read: (userId: bigint) => readUndoWindow(pool, userId),
  set: (input: InputOf<typeof setUndoWindow>) => setUndoWindow(ctx, pool, input),
  secondsFor: (db: Db, input: InputOf<typeof undoSecondsFor>) => undoSecondsFor(ctx, db, input),
})

export type UndoWindows = ReturnType<typeof createUndoWindows>

type UndoContext = Parameters<typeof undoSecondsFor>[0]
