import type { DeskRole } from '@tern/contract/desk/roles'
import type { FastifyBaseLogger } from 'fastify'

/** Dependencies of the desk. `realNow` is the system clock; the product's own clock can be adjusted. */
export interface DeskContext {
  /** Web origin of the desk; its passkeys and cookies are bound to it. */
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
