import type { DeskRole } from '@tern/contract/desk/roles'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'

/** What every part of the desk needs. Its times are real: nobody moves the clock of operators. */
export interface DeskContext {
  readonly pool: pg.Pool
  /** The origin under which operators reach the desk; passkeys and cookies belong to it. */
  readonly deskUrl: string
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  readonly realNow: () => Date
}

/** An operator who is signed in. */
export interface Operator {
  readonly id: string
  readonly name: string
  readonly roles: readonly DeskRole[]
  readonly signedInAt: Date
}
