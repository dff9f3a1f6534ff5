import type { createSingleFlight } from '../../platform/http/idempotency.ts'
import type { Counterparties, ListGate, Monitoring } from '../compliance/compliance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { TransferRule } from './decision/decide.ts'
import type { SendMemory } from './decision/send-guards.ts'

/** Dependencies of sends, exchanges and decisions. */
export interface TransfersContext {
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly identity: Pick<Identity, 'requireStepUp'>
  readonly monitoring: Pick<Monitoring, 'judge'>
  readonly counterparties: Pick<Counterparties, 'areStopped'>
  readonly lists: Pick<ListGate, 'hold'>
  readonly now: () => Date
  readonly rules: readonly TransferRule[]
  /** True if the sender's room (`SendRoom`) may decide ordinary sends; otherwise their facts decide all. */
  readonly usesRooms: boolean
  readonly memory: SendMemory
  readonly singleFlight: ReturnType<typeof createSingleFlight>
}
