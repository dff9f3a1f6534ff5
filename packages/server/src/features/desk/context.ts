import type { DeskRole } from '@tern/contract/desk/roles'
import type { FastifyBaseLogger } from 'fastify'

/** Dependencies of operators and their sessions. Times are real, not those of the product's adjustable clock. */
export interface DeskContext {
  /** Origin of the desk, to which its passkeys and cookies belong. */
  readonly deskUrl: string
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  readonly realNow: () => Date
}

export interface Operator {
  readonly id: string
  readonly name: string
  readonly roles: readonly DeskRole[]
  readonly signedInAt: Date
}
