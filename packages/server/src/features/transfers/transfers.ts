import type pg from 'pg'
import type { Exchange } from '../exchange/exchange.ts'
import type { StepUp } from '../identity/identity.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import { createDecide, type Decide, type TransferRule } from './decision/decide.ts'
import { createExchangeMoney, type ExchangeMoney } from './exchanges.ts'
import { transferRules } from './decision/rules.ts'
import { createSends, type Sends } from './sends/sends.ts'
import { createStepUpPolicy } from './sends/step-up-policy.ts'
import { createSendMoney, type SendMoney } from './wallet-sends.ts'
import { createWalletTransfers } from './wallet-transfers.ts'

export type { Authorized, Candidate, Guard, Hold, StepUpCheck, TransferRule } from './decision/decide.ts'
export { usageOf } from './decision/decide.ts'
export { failUnfunded, type HeldTransfer, type PayoutSteps, recordHold, startHold } from './held/held-rows.ts'
export type { Confirmed, Send } from './sends/sends.ts'
export { createHeldTransfers } from './held/held-transfers.ts'
export { createTransferStatus, type OutsideTransfer } from './transfer-status.ts'
export { transitionOf, type TransferState } from './decision/transitions.ts'

/**
 * Money that leaves its owner's disposal: sends from the wallet, sends that a card or bank pays, exchanges and payouts.
 * `decide` is asked about each of them once, before its money is authorised.
 */
export interface Transfers extends Sends {
  readonly decide: Decide
  readonly sendMoney: SendMoney
  readonly exchangeMoney: ExchangeMoney
}

export interface TransfersOptions {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
  readonly requireStepUp: StepUp['require']
  /** What `decide` asks, instead of the registered rules. */
  readonly rules?: readonly TransferRule[] | undefined
}

export function createTransfers(options: TransfersOptions): Transfers {
  const decide = createDecide(options.rules ?? transferRules, options)
  const sends = createSends({ ...options, stepUpPolicy: createStepUpPolicy(options) })
  const walletTransfers = createWalletTransfers({ ...options, decide })
  return {
    ...sends,
    decide,
    sendMoney: createSendMoney({ sends, walletTransfers }),
    exchangeMoney: createExchangeMoney({ ...options, walletTransfers }),
  }
}
