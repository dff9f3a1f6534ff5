import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'

/** A field's error. */
export interface FieldProblem {
  field: string
  message: string
}

/** An expected refusal, sent as `{ error: { code, message, fields? } }` with its HTTP status. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: readonly FieldProblem[]
  constructor(status: number, code: string, message: string, fields: readonly FieldProblem[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.fields = fields
  }
}

/** An error's body. */
export const errorBody = (code: string, message: string, fields: readonly FieldProblem[] = []): object => ({
  error: fields.length > 0 ? { code, message, fields } : { code, message },
})

/** An unguessable name, such as `cs_Qm3…`. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(18).toString('base64url')}`

/** A request fingerprint, to detect another request under the same key. */
export const fingerprint = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Requires `Authorization: Bearer <secret>`, compared in constant time; then `strike` may still refuse. */
export function requireSecret(
  secret: string,
  strike: (request: FastifyRequest) => ApiError | undefined = () => undefined,
): onRequestHookHandler {
  const expected = digest(`Bearer ${secret}`)
  return (request, reply, done) => {
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return done(strike(request))
    reply.header('www-authenticate', 'Bearer')
    done(new ApiError(401, 'unauthorized', 'This call needs the secret the sandbox shares with the product.'))
  }
}

const longestKey = 200

/** A request's `Idempotency-Key`, if any. Throws ApiError for an invalid one. */
export function readIdempotencyKey(headers: Readonly<Record<string, unknown>>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= longestKey) return key
  throw new ApiError(400, 'idempotency_key_invalid', `An Idempotency-Key has 1 to ${longestKey} characters.`)
}
