import type { Endpoint } from '../protocol/endpoint.ts'
import type { DeskAct } from './roles.ts'

/**
 * Endpoint of the operator's desk, below `/desk/api` on the admin port. It is not part of the public API: neither the
 * API document nor the client includes it.
 */
export interface DeskEndpoint extends Endpoint {
  readonly access: 'public' | 'operator'
  /** Permission required. `queue`: permission for the queue named in the path. `any`: no particular permission. */
  readonly act: DeskAct | 'queue' | 'any'
  /** Called by the page itself, such as polling, so the call does not keep an idle session alive. */
  readonly isAutomatic?: boolean
}

/** Declares a desk endpoint, keeping exact types. */
export const deskEndpoint = <const E extends DeskEndpoint>(definition: E): E => definition
