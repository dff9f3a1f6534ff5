import type { Endpoint } from '../protocol/endpoint.ts'
import type { DeskAct } from './roles.ts'

/**
 * Endpoint of the operators' desk, below `/desk/api` on the admin port. Not part of the public API: neither the API
 * document nor the client includes it.
 */
export interface DeskEndpoint extends Endpoint {
  readonly access: 'public' | 'operator'
  /** Permission required. `queue`: permission for the queue named in the path. `any`: no particular permission. */
  readonly act: DeskAct | 'queue' | 'any'
  /** True for calls that the page makes by itself, such as polling: they do not extend an idle session. */
  readonly isAutomatic?: boolean
}

/** Declares a desk endpoint with its literal types. */
export const deskEndpoint = <const E extends DeskEndpoint>(definition: E): E => definition
