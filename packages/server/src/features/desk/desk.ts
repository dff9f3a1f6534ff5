import type { DeskQueue } from '@tern/contract/desk/roles'
import type { Money } from '@tern/money/money'
import type pg from 'pg'
import type { Cases, Compliance } from '../compliance/compliance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Kyc } from '../kyc/kyc.ts'
import type { Payments } from '../payments/payments.ts'
import type { HeldTransfers } from '../transfers/transfers.ts'
import type { Treasury } from '../treasury/treasury.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { Disputes } from '../disputes/disputes.ts'
import type { DeskContext } from './context.ts'
import { passDeadlines } from './decisions/pass-deadlines.ts'
import { createPeopleLookUp } from './people.ts'
import type { ReadingContext } from './readings.ts'
import { createCasesQueue } from './queues/cases.ts'
import { createDisputesQueue } from './queues/disputes.ts'
import { createExceptionsQueue } from './queues/exceptions.ts'
import { createHoldsQueue } from './queues/holds.ts'
import { createObjectionsQueue } from './queues/objections.ts'
import { createPayoutsQueue } from './queues/payouts.ts'
import type { Queue } from './queues/queue.ts'
import { createVerificationsQueue } from './queues/verifications.ts'

export type { DeskContext } from './context.ts'
export type { Actor } from './log.ts'
export { CannotManage } from './operators/lock-operator.ts'
export { addOperator, changeRoles, disableByName, linkOperator, listOperators } from './operators/operators.ts'
export { linkAccounts, readOwnAccounts, unlinkAccount } from './operators/own-accounts.ts'

interface Options {
  readonly pool: pg.Pool
  readonly deskUrl: string
  readonly log: DeskContext['log']
  readonly operatorPseudonym: ReadingContext['operatorPseudonym']
  readonly now: () => Date
  readonly identity: Identity
  readonly kyc: Kyc
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly treasury: Treasury
  readonly payments: Payments
  readonly heldTransfers: HeldTransfers
  readonly cases: Cases
  readonly compliance: Compliance
  readonly disputes: Disputes
}

/** Desk of the operators, served on the admin port only. */
export function createDesk(options: Options) {
  const { pool, deskUrl, log, operatorPseudonym, exchange, treasury } = options
  const context: ReadingContext = { pool, deskUrl, log, operatorPseudonym, realNow: () => new Date() }
  const usdMinorOf = (amount: Money) => (exchange.hasRate(amount.currency) ? exchange.usdMinorOf(amount) : undefined)
  const parts = { ...options, usdMinorOf }
  const queues: Readonly<Record<DeskQueue, Queue>> = {
    verifications: createVerificationsQueue(parts),
    holds: createHoldsQueue(parts),
    exceptions: createExceptionsQueue(parts),
    payouts: createPayoutsQueue(parts),
    cases: createCasesQueue(parts),
    objections: createObjectionsQueue(parts),
    disputes: createDisputesQueue(parts),
  }
  return {
    ...{ context, queues, treasury },
    lookUpPerson: createPeopleLookUp(context, options),
    /** Escalates overdue entries to a lead with a further deadline. */
    passDeadlines: () => passDeadlines(context, Object.values(queues)),
  }
}

export type Desk = ReturnType<typeof createDesk>
