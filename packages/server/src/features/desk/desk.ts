import type { DeskQueue } from '@tern/contract/desk/roles'
import type pg from 'pg'
import type { InputOf } from '../../platform/database/db.ts'
import type { Treasury } from '../treasury/treasury.ts'
import type { QueueContext } from './context.ts'
import { passDeadlines } from './decisions/pass-deadlines.ts'
import { lookUpPerson } from './people.ts'
import { casesQueue } from './queues/cases.ts'
import { disputesQueue } from './queues/disputes.ts'
import { exceptionsQueue } from './queues/exceptions.ts'
import { holdsQueue } from './queues/holds.ts'
import { objectionsQueue } from './queues/objections.ts'
import { payoutsQueue } from './queues/payouts.ts'
import type { Queue } from './queues/queue.ts'
import { verificationsQueue } from './queues/verifications.ts'

export type { DeskContext } from './context.ts'
export type { Actor } from './log.ts'
export { CannotManage } from './operators/lock-operator.ts'
export { addOperator, changeRoles, disableByName, linkOperator, listOperators } from './operators/operators.ts'
export { linkAccounts, readOwnAccounts, unlinkAccount } from './operators/own-accounts.ts'

const queues: Readonly<Record<DeskQueue, Queue>> = {
  verifications: verificationsQueue,
  holds: holdsQueue,
  exceptions: exceptionsQueue,
  payouts: payoutsQueue,
  cases: casesQueue,
  objections: objectionsQueue,
  disputes: disputesQueue,
}

interface Deps extends Omit<QueueContext, 'realNow'> {
  readonly pool: pg.Pool
  readonly treasury: Treasury
}

/** Desk of the operators, served on the admin port only. */
export function createDesk({ pool, treasury, ...parts }: Deps) {
  const context: QueueContext = { ...parts, realNow: () => new Date() }
  return {
    context,
    pool,
    queues,
    treasury,
    lookUpPerson: (input: InputOf<typeof lookUpPerson>) => lookUpPerson(context, pool, input),
    passDeadlines: () => passDeadlines(context, pool, Object.values(queues)),
  }
}

export type Desk = ReturnType<typeof createDesk>
