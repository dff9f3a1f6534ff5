import type pg from 'pg'
import type { Counterparties, ListGate, Monitoring } from '../compliance/compliance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Risk } from '../risk/risk.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import { createDecide, type TransferRule } from './decision/decide.ts'
import { createExchangeMoney } from './exchanges.ts'
import { createRooms } from './decision/room.ts'
import { transferRules } from './decision/rules.ts'
import { createSends } from './sends/sends.ts'
import { createSendMoney, createSendScheduled } from './wallet-sends.ts'
import { createWalletTransfers } from './wallet-transfers.ts'

export type { Authorized, Candidate, Hold, StepUpCheck, TransferRule } from './decision/decide.ts'
export { heldForCases, passStepUp, usageOf } from './decision/decide.ts'
export {
  type DepositSteps,
  failUnfunded,
  type HeldTransfer,
  holdOrdered,
  type PayoutSteps,
  recordHold,
  startHold,
} from './held/held-rows.ts'
export { type Confirmed, riskMovementOf, type Send, undoPart } from './sends/sends.ts'
export type { Purpose } from './wallet-transfers.ts'
export { followDeadlines } from './held/deadlines.ts'
export { createHeldMovements, type HeldMovement, type HeldMovementsOf } from './held/held-movements.ts'
export { createHeldTransfers, type HeldTransfers, type PurposeStep } from './held/held-transfers.ts'
export { createStreetHolds, type StreetHolds } from './held/street/street-holds.ts'
export { createTracking } from './tracking/tracking.ts'
export { createTransferStatus, type OutsideTransfer } from './transfer-status.ts'
export { createUndoWindows, type UndoWindows } from './undo/undo-windows.ts'
export { transitionOf, type TransferState } from './decision/transitions.ts'

interface TransfersOptions {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly risk: Risk
  readonly monitoring: Pick<Monitoring, 'judge'>
  readonly counterparties: Pick<Counterparties, 'areStoppedNow'>
  readonly lists: Pick<ListGate, 'hold'>
  readonly now: () => Date
  readonly requireStepUp: Identity['requireStepUp']
  /** What `decide` asks, instead of the registered rules. */
  readonly rules?: readonly TransferRule[] | undefined
}

/**
 * Money that leaves its owner's disposal: sends from the wallet, sends that a card or bank pays, exchanges and payouts.
 * `decide` is asked about each of them once, before its money is authorised.
 */
export function createTransfers(options: TransfersOptions) {
  const decide = createDecide(options.rules ?? transferRules, options)
  const sends = createSends(options)
  const rooms = createRooms(options)
  // Other rules than the registered ones are asked about every transfer.
  const walletTransfers = createWalletTransfers({ ...options, decide, rooms, usesRooms: options.rules === undefined })
  return {
    ...sends,
    decide,
    walletTransfers,
    sendMoney: createSendMoney({ sends, walletTransfers }),
    sendScheduled: createSendScheduled({ sends, walletTransfers }),
    exchangeMoney: createExchangeMoney({ ...options, walletTransfers }),
  }
}

export type Transfers = ReturnType<typeof createTransfers>
