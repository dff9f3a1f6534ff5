import type * as z from 'zod/mini'
import type { RefusalCode } from './refusal.ts'

type Schema = z.ZodMiniType

/** API call, used by server routes and by the browser's client. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below `/api`, with `:name` parameters. A trailing slash is optional. */
  readonly path: `/${string}`
  readonly summary: string
  /** `operator`: desk endpoints, which are not part of the public API. */
  readonly access: 'public' | 'session' | 'operator'
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** Multipart form instead of a JSON body: text fields of this shape, and one file in the field `file`. */
  readonly form?: Schema
  readonly status?: 200 | 201 | 204
  readonly reply: Schema
  /** Accepts an `Idempotency-Key`; for calls that move money or create something costly. */
  readonly idempotencyKey?: 'required' | 'optional'
  /** Can be refused with `step_up_required`; the repeated call has the confirmation's id in the header `Step-Up`. */
  readonly stepUp?: 'accepted'
  /** Replies with a `text/event-stream` of events in this shape. */
  readonly stream?: true
  readonly file?: 'application/pdf' | 'application/zip' | 'text/csv' | 'application/octet-stream'
  /** Refusals in addition to those that the other fields imply (`listRefusals`). */
  readonly refusals?: readonly RefusalCode[]
}

type Input<S> = S extends Schema ? z.input<S> : undefined

export type CallInput<E extends Endpoint> = (E['params'] extends Schema ? { params: Input<E['params']> } : unknown) &
  (E['query'] extends Schema ? { query?: Input<E['query']> } : unknown) &
  (E['body'] extends Schema ? { body: Input<E['body']> } : unknown) &
  (E['form'] extends Schema ? { upload: FormData } : unknown) &
  (E['idempotencyKey'] extends 'required'
    ? { idempotencyKey: string }
    : E['idempotencyKey'] extends 'optional'
      ? { idempotencyKey?: string }
      : unknown) &
  (E['stepUp'] extends 'accepted' ? { confirmation?: string | undefined } : unknown)

type KeysOf<T> = T extends unknown ? keyof T : never

/** Rejects keys that `Known` does not declare, including those of spreads, which TypeScript does not check. */
type NoUnknownKeys<Given, Known> = { readonly [K in Exclude<KeysOf<Given>, KeysOf<Known>>]?: never }

/** Input of a call without unknown keys in its query or body, to be intersected with the given input's type. */
export type ExactInput<E extends Endpoint, I> = {
  readonly [Part in keyof I & ('query' | 'body') & keyof CallInput<E>]?: NoUnknownKeys<I[Part], CallInput<E>[Part]>
}

export type Reply<E extends Endpoint> = z.output<E['reply']>

/** Declares an endpoint with its literal types. */
export const endpoint = <const E extends Endpoint>(definition: E): E => definition

/** Returns all refusals of an endpoint: those implied by its fields, and its own. Not part of the browser bundle. */
export function listRefusals(endpoint: Endpoint): RefusalCode[] {
  const { method, access, params, query, body, form, idempotencyKey, stepUp, refusals = [] } = endpoint
  const sharedRefusals: RefusalCode[] = []
  if (access !== 'public') sharedRefusals.push('unauthenticated')
  else if (method !== 'GET') sharedRefusals.push('cross_site_request')
  if (params || query || body || form) sharedRefusals.push('invalid_request')
  if (stepUp) sharedRefusals.push('step_up_required', 'step_up_invalid')
  if (idempotencyKey) sharedRefusals.push('idempotency_key_required', 'idempotency_key_reused', 'request_in_progress')
  return [...new Set([...sharedRefusals, ...refusals])]
}
