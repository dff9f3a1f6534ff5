import type { Endpoint, Reply } from '@tern/contract/protocol/endpoint'
import { callerFields, buildStrictBody, dropLegacyFields } from '@tern/contract/protocol/strict-body'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type * as z from 'zod/mini'
import type { DatabaseWatch } from '../database/database-watch.ts'
import type { Replicas } from '../database/replicas/replicas.ts'
import { withDeadline } from './deadline.ts'
import { type Catalogues, withMessages } from '../messages.ts'
import { chooseMessages } from './problem.ts'
import { refuse, refuseField } from '../refuse.ts'
import { refuseUnstorable } from './text/storable-text.ts'

/** Caller of an endpoint, always from the session and never from fields of the request. */
export interface Caller {
  readonly userId: bigint
  readonly sessionId: string
  readonly verified: boolean
  /** Network prefix of the request's address, as in sessions. */
  readonly network?: string
}

/** Refuses `not_your_account` if a request names another person as payer. */
export function requireCaller({ userId }: Caller, named: number | undefined, field = 'userId'): void {
  if (named !== undefined && BigInt(named) !== userId) refuseField('not_your_account', field)
}

/** Returns the caller's id if `named` is the caller; otherwise refuses `not_found`, whether or not that user exists. */
export const requireOwn = ({ userId }: Caller, named: number): bigint =>
  BigInt(named) === userId ? userId : refuse('not_found')

/** Returns the caller named by the Authorization header; refuses `unauthenticated`. */
export type Authenticate = (request: FastifyRequest) => Promise<Caller>

type ParsedInput<S> = S extends z.ZodMiniType ? z.output<S> : undefined

/** Input of a handler: validated request parts, and the caller if the endpoint requires a session. */
export interface Call<E extends Endpoint> {
  readonly params: ParsedInput<E['params']>
  readonly query: ParsedInput<E['query']>
  readonly body: ParsedInput<E['body']>
  readonly caller: E['access'] extends 'session' ? Caller : undefined
  readonly idempotencyKey: E['idempotencyKey'] extends 'required' ? string : string | undefined
  /** Id of a step-up confirmation, if sent; not checked yet. */
  readonly confirmation: string | undefined
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Result of a handler; undefined if the reply is empty. */
export type HandlerResult<R> = undefined extends R ? R | void : R
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<HandlerResult<Reply<E>>>

/** Clients time out after 20 seconds, so moving money must not begin shortly before that. */
const deadlineMs = 15_000
/** Photos upload slowly from phones. */
const uploadDeadlineMs = 60_000

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Item of structured fields (RFC 8941): a quoted string, with parameters that are ignored. */
const quotedPattern = /^"([^"\\]*)"(?: *;.*)?$/

/** Returns the `Idempotency-Key`, quoted or bare; both spellings are the same key. */
function readIdempotencyKey(served: Endpoint, request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined && served.idempotencyKey !== 'required') return undefined
  const text = String(header ?? '').trim()
  const key = quotedPattern.exec(text)?.[1] ?? text
  if (!uuidPattern.test(key)) {
    refuse('idempotency_key_required', {
      errors: [{ field: 'Idempotency-Key', code: 'key_not_a_uuid' }],
    })
  }
  return key.toLowerCase()
}

/** Returns the step-up confirmation's id; ignores a header that is not a UUID. */
function readConfirmation(request: FastifyRequest): string | undefined {
  const confirmation = request.headers['step-up']
  return typeof confirmation === 'string' && uuidPattern.test(confirmation) ? confirmation.toLowerCase() : undefined
}

/**
 * Returns the body as declared by the endpoint. Refuses `not_your_account` if a field for the caller names another
 * person.
 */
function readBody(served: Endpoint, { body, caller }: FastifyRequest): unknown {
  if (!served.body) return body
  if (caller) {
    const bodyFields = (body ?? {}) as Readonly<Record<string, number | undefined>>
    for (const field of callerFields) requireCaller(caller, bodyFields[field], field)
  }
  return dropLegacyFields(served, body)
}

declare module 'fastify' {
  interface FastifyInstance {
    authenticate: Authenticate
    served: Set<string>
    /** Those of the served endpoints that a replica may answer. */
    readings: Set<string>
    replicas: Pick<Replicas, 'read'>
    catalogues: Catalogues
    /** Ends calls that wait for an unavailable database. */
    databaseWatch: DatabaseWatch
  }
}

/** Registers a contract endpoint: validates, enforces access, checks the reply and sends it. */
export function serve<E extends Endpoint>(app: FastifyInstance, served: E, handler: Handler<E>): void {
  app.served.add(`${served.method} ${served.path}`)
  const { databaseWatch } = app
  app.route({
    method: served.method,
    url: served.path,
    schema: {
      ...(served.params ? { params: served.params } : {}),
      ...(served.query ? { querystring: served.query } : {}),
      ...(served.body ? { body: buildStrictBody(served) } : {}),
      ...(served.stream || served.file || served.status === 204
        ? {}
        : { response: { [served.status ?? 200]: served.reply } }),
    },
    // Answers are personal and must not be cached.
    onRequest: (_request, reply, done) => {
      reply.header('cache-control', 'no-store')
      done()
    },
    // Authenticates before validation, so that strangers learn nothing about fields.
    preValidation: async (request: FastifyRequest) => {
      if (served.access === 'session') {
        request.caller = await databaseWatch.whileThere(() => app.authenticate(request))
      }
      for (const part of [request.params, request.query, request.body]) refuseUnstorable(part)
    },
    handler: async (request, reply) => {
      const call = {
        params: request.params,
        query: request.query,
        body: readBody(served, request),
        caller: request.caller,
        idempotencyKey: readIdempotencyKey(served, request),
        confirmation: readConfirmation(request),
        request,
        reply,
      } as unknown as Call<E>
      if (served.stream) {
        await handler(call)
        return reply
      }
      const result = await databaseWatch.whileThere(() =>
        withDeadline((served.form ? uploadDeadlineMs : deadlineMs) - reply.elapsedTime, () =>
          withMessages(chooseMessages(request), () => handler(call)),
        ),
      )
      if (served.file) return reply.type(String(reply.getHeader('content-type') ?? served.file)).send(result)
      return reply.code(served.status ?? 200).send(result)
    },
  })
}

/** Handler that only reads, through `db`: the primary or a replica. It may run twice. */
type ReadingHandler<E extends Endpoint> = (call: Call<E> & { readonly db: pg.Pool }) => Promise<HandlerResult<Reply<E>>>

/**
 * Registers a contract endpoint that only reads and decides nothing about money or access. A replica may answer it;
 * `db` shows everything committed before the call. `limit` counts the call once.
 */
export function serveReading<E extends Endpoint>(
  app: FastifyInstance,
  served: E,
  handler: ReadingHandler<E>,
  limit?: (request: FastifyRequest) => Promise<void>,
): void {
  app.readings.add(`${served.method} ${served.path}`)
  serve(app, served, async (call) => {
    await limit?.(call.request)
    return app.replicas.read((db) => handler({ ...call, db }))
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}
