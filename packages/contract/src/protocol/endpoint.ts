import type * as z from 'zod/mini'
import type { RefusalCode } from './refusal.ts'

type Schema = z.ZodMiniType

/** An API call, shared by server routes and the browser's client. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api`, with `:name` parameters. A trailing slash is optional. */
  readonly path: `/${string}`
  readonly summary: string
  /** `operator`: at the desk, which is no part of the public API. */
  readonly access: 'public' | 'session' | 'operator'
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** Takes a multipart form instead of a JSON body: these fields, as text, and one file in the field `file`. */
  readonly form?: Schema
  readonly status?: 200 | 201 | 204
  readonly reply: Schema
  /** Moves money or creates something costly: takes an `Idempotency-Key`. */
  readonly idempotencyKey?: 'required' | 'optional'
  /** May be refused `step_up_required`, then repeated with the confirmation's id in the header `Step-Up`. */
  readonly stepUp?: 'accepted'
  /** Replies with a `text/event-stream` of events in this shape. */
  readonly stream?: true
  /** Replies with a file of this type. */
  readonly file?: 'application/pdf' | 'application/zip' | 'text/csv' | 'application/octet-stream'
  /** How it may be refused beside what its other fields imply: see `refusalsOf`. */
  readonly refusals?: readonly RefusalCode[]
}

type Input<S> = S extends Schema ? z.input<S> : undefined

/** An endpoint's input. */
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

/** An endpoint's success reply. */
export type Reply<E extends Endpoint> = z.output<E['reply']>

/** Declares an endpoint, keeping exact types. */
export const endpoint = <const E extends Endpoint>(declared: E): E => declared

/** Every way to be refused: those that all endpoints of its kind share, and its own. Browsers do without it. */
export function refusalsOf(endpoint: Endpoint): RefusalCode[] {
  const { method, access, params, query, body, form, idempotencyKey, stepUp, refusals = [] } = endpoint
  const shared: RefusalCode[] = []
  if (access !== 'public') shared.push('unauthenticated')
  else if (method !== 'GET') shared.push('cross_site_request')
  if (params || query || body || form) shared.push('invalid_request')
  if (stepUp) shared.push('step_up_required', 'step_up_invalid')
  if (idempotencyKey) shared.push('idempotency_key_required', 'idempotency_key_reused', 'request_in_progress')
  return [...new Set([...shared, ...refusals])]
}
