import type { Endpoint, Reply } from '@tern/contract/protocol/endpoint'
import { refusalStatus } from '@tern/contract/protocol/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import type { DatabaseWatch } from '../database/database-watch.ts'
import { withDeadline } from './deadline.ts'
import { type Catalogues, speaking } from '../messages.ts'
import { messagesOf } from './problem.ts'
import { refuse } from '../refuse.ts'

/** Who is calling: always from the session, never from the request's own fields. */
export interface Caller {
  readonly userId: bigint
  readonly sessionId: string
  readonly verified: boolean
}

/** Reads the Authorization header; refuses `unauthenticated`. */
export type Authenticate = (request: FastifyRequest) => Promise<Caller>

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined

/** What a handler gets: the validated parts of the request, and the caller where the endpoint needs a session. */
export interface Call<E extends Endpoint> {
  readonly params: Parsed<E['params']>
  readonly query: Parsed<E['query']>
  readonly body: Parsed<E['body']>
  readonly caller: E['access'] extends 'session' ? Caller : undefined
  readonly idempotencyKey: E['idempotencyKey'] extends 'required' ? string : string | undefined
  /** The id of a fresh proof, when the caller brought one. Whether it proves anything is to be asked. */
  readonly confirmation: string | undefined
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Reply<E>>

/** The client gives up after 20 seconds; what has not begun to move money well before that is not begun. */
const deadlineMs = 15_000

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function idempotencyKeyOf(served: Endpoint, request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined && served.idempotencyKey !== 'required') return undefined
  if (typeof key !== 'string' || !uuidPattern.test(key)) {
    refuse('idempotency_key_required', {
      errors: [{ field: 'Idempotency-Key', code: 'key_not_a_uuid' }],
    })
  }
  return key.toLowerCase()
}

/** A header that is no UUID proves as little as none. */
function confirmationOf(request: FastifyRequest): string | undefined {
  const confirmation = request.headers['step-up']
  return typeof confirmation === 'string' && uuidPattern.test(confirmation) ? confirmation.toLowerCase() : undefined
}

/** What `served` needs of the server it is registered on; `app.ts` decorates the instance with it. */
declare module 'fastify' {
  interface FastifyInstance {
    authenticate: Authenticate
    served: Set<string>
    /** What is said to people, in every language there is. */
    catalogues: Catalogues
    /** Ends the wait of calls for a database that has gone away. */
    databaseWatch: DatabaseWatch
  }
}

/** What the reference tells beside the shapes: the header that a movement needs, and every way to be refused. */
function describe({ idempotencyKey, stepUp, refusals }: Endpoint): string {
  const header =
    idempotencyKey === undefined ? [] : [`Takes the header \`Idempotency-Key\` (a UUID), which is ${idempotencyKey}.`]
  const codes = refusals.map((code) => `\`${code}\` (${String(refusalStatus(code))})`)
  const stepUpHeader = stepUp ? ['May ask for a step-up confirmation, whose id goes into the header `Step-Up`.'] : []
  return [...header, ...stepUpHeader, `Refusals, as \`application/problem+json\`: ${codes.join(', ')}.`].join(' ')
}

/** Registers one endpoint of the contract: its shapes validate, its access is enforced, its reply is checked and sent. */
export function serve<E extends Endpoint>(app: FastifyInstance, served: E, handler: Handler<E>): void {
  app.served.add(`${served.method} ${served.path}`)
  const { databaseWatch } = app
  app.route({
    method: served.method,
    url: served.path,
    schema: {
      summary: served.summary,
      description: describe(served),
      tags: [served.path.split('/')[1] ?? ''],
      ...(served.params ? { params: served.params } : {}),
      ...(served.query ? { querystring: served.query } : {}),
      ...(served.body ? { body: served.body } : {}),
      ...(served.stream || served.status === 204 ? {} : { response: { [served.status ?? 200]: served.reply } }),
      ...(served.access === 'session' ? { security: [{ bearer: [] }] } : {}),
    },
    // Answers are about somebody; whoever stands between must not keep them.
    onRequest: async (_request, reply) => void reply.header('cache-control', 'no-store'),
    // The session comes before validation, so that a stranger learns nothing about a route's fields.
    ...(served.access === 'session'
      ? {
          preValidation: async (request: FastifyRequest) => {
            request.caller = await databaseWatch.whileThere(() => app.authenticate(request))
          },
        }
      : {}),
    handler: async (request, reply) => {
      const call = {
        params: request.params,
        query: request.query,
        body: request.body,
        caller: request.caller,
        idempotencyKey: idempotencyKeyOf(served, request),
        confirmation: confirmationOf(request),
        request,
        reply,
      } as unknown as Call<E>
      if (served.stream) {
        await handler(call)
        return reply
      }
      const result = await databaseWatch.whileThere(() =>
        withDeadline(deadlineMs - reply.elapsedTime, () => speaking(messagesOf(request), () => handler(call))),
      )
      return reply.code(served.status ?? 200).send(result)
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}
