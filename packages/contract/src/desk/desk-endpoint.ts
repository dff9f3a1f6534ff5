import type { Endpoint } from '../protocol/endpoint.ts'
import type { DeskAct } from './roles.ts'

/**
 * A call of the operator's desk, below `/desk/api` on the admin port. It is no part of the public API: neither its document nor
 * its client lists it.
 */
export interface DeskEndpoint extends Endpoint {
  readonly access: 'public' | 'operator'
  /** What the operator must be permitted; `queue`: the queue that the path names; `any`: whoever is signed in. */
  readonly act: DeskAct | 'queue' | 'any'
  /** The page makes this call by itself, so it does not keep a session alive that nobody uses. */
  readonly isAutomatic?: boolean
}

/** Declares a call of the desk, keeping exact types. */
export const deskEndpoint = <const E extends DeskEndpoint>(declared: E): E => declared
