import type { DeskRole } from '@tern/contract/desk/roles'
import type { FastifyBaseLogger } from 'fastify'
import type { Cases, Compliance } from '../compliance/compliance.ts'
import type { Disputes } from '../disputes/disputes.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Kyc } from '../kyc/kyc.ts'
import type { Payments } from '../payments/payments.ts'
import type { OperatorPseudonym } from '../privacy/privacy.ts'
import type { HeldTransfers } from '../transfers/transfers.ts'
import type { Wallets } from '../wallets/wallets.ts'

/** Dependencies of operators and their sessions. Times are real, independent of the product's adjustable clock. */
export interface DeskContext {
  /** Origin of the desk, to which its passkeys and cookies belong. */
  readonly deskUrl: string
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  readonly realNow: () => Date
}

/** Dependencies of queues and of views of people's data. */
export interface QueueContext extends DeskContext {
  readonly operatorPseudonym: OperatorPseudonym
  /** Time of the product. */
  readonly now: () => Date
  readonly identity: Pick<Identity, 'usersById'>
  readonly kyc: Pick<Kyc, 'documents' | 'reviews'>
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly exchange: Pick<Exchange, 'hasRate' | 'usdMinorOf'>
  readonly payments: Payments
  readonly heldTransfers: Pick<HeldTransfers, 'decideAs' | 'followCases' | 'forOperators' | 'movementsOf'>
  readonly cases: Cases
  readonly compliance: Pick<Compliance, 'scoreNames'>
  readonly disputes: Disputes
}

export interface Operator {
  readonly id: string
  readonly name: string
  readonly roles: readonly DeskRole[]
  readonly signedInAt: Date
}
