import type * as z from 'zod/mini'
import type { RefusalCode } from './refusal.ts'

type Schema = z.ZodMiniType

/**
 * One call of the API. The same object is the server's route schema and what the browser's typed client takes,
 * so the two cannot disagree.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api`, with `:name` for each part that is a parameter. Answers with and without a trailing slash. */
  readonly path: `/${string}`
  readonly summary: string
  readonly access: 'public' | 'session'
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** The status of success; 200 unless named. */
  readonly status?: 200 | 201 | 204
  readonly reply: Schema
  /** The call moves money or makes something that costs: it takes an `Idempotency-Key` header. */
  readonly idempotencyKey?: 'required' | 'optional'
  /** The call may need a step-up confirmation: it is refused as `step_up_required` and repeated with the confirmation's id in the header `Step-Up`. */
  readonly stepUp?: 'accepted'
  /** The reply is a `text/event-stream` whose events have this shape. */
  readonly stream?: true
  /** Every way to be refused. */
  readonly refusals: readonly RefusalCode[]
}

/** An endpoint as it is written down: `refusals` lists those of its own, beside what follows from its other fields. */
type Declared = Omit<Endpoint, 'refusals'> & Partial<Pick<Endpoint, 'refusals'>>

type Input<S> = S extends Schema ? z.input<S> : undefined

/** What a caller of the endpoint passes. */
export type CallInput<E extends Endpoint> = (E['params'] extends Schema ? { params: Input<E['params']> } : unknown) &
  (E['query'] extends Schema ? { query?: Input<E['query']> } : unknown) &
  (E['body'] extends Schema ? { body: Input<E['body']> } : unknown) &
  (E['idempotencyKey'] extends 'required'
    ? { idempotencyKey: string }
    : E['idempotencyKey'] extends 'optional'
      ? { idempotencyKey?: string }
      : unknown) &
  (E['stepUp'] extends 'accepted' ? { confirmation?: string | undefined } : unknown)

/** What the endpoint answers on success. */
export type Reply<E extends Endpoint> = z.output<E['reply']>

const commonRefusals = ({ access, params, query, body, idempotencyKey, stepUp }: Declared): RefusalCode[] => [
  ...(access === 'session' ? (['unauthenticated'] as const) : []),
  ...(params || query || body ? (['invalid_request'] as const) : []),
  ...(stepUp ? (['step_up_required', 'step_up_invalid'] as const) : []),
  ...(idempotencyKey ? (['idempotency_key_required', 'idempotency_key_reused', 'request_in_progress'] as const) : []),
]

/** Declares one endpoint, keeping its exact types; the refusals that all endpoints of its kind share are added. */
export const endpoint = <const E extends Declared>(declared: E): Omit<E, 'refusals'> & Pick<Endpoint, 'refusals'> => ({
  ...declared,
  refusals: [...new Set([...commonRefusals(declared), ...(declared.refusals ?? [])])],
})
