import assert from 'node:assert'
import type { DeskQueue } from '@tern/contract/desk/roles'
import type { Queue } from '../../manifests/desk-queue.ts'
import type { DeskContext } from './context.ts'

export type { DeskContext } from './context.ts'
export type { Actor } from './log.ts'
export { OperatorAccountError } from './operators/lock-operator.ts'
export { addOperator, changeRoles, disableByName, linkOperator, listOperators } from './operators/operators.ts'
export { linkAccounts, readOwnAccounts, unlinkAccount } from './operators/own-accounts.ts'

interface Deps extends Omit<DeskContext, 'realNow'> {
  /** Queues from the manifests of all features. */
  readonly queues: readonly Queue[]
}

/** Desk for operators, served on the admin port only. */
export function createDesk({ deskUrl, log, queues }: Deps) {
  const context: DeskContext = { deskUrl, log, realNow: () => new Date() }
  return { context, queues }
}

export type Desk = ReturnType<typeof createDesk>

export function findQueue({ queues }: Desk, name: DeskQueue): Queue {
  const queue = queues.find((candidate) => candidate.name === name)
  assert(queue, `no feature states the queue ${name}`)
  return queue
}
