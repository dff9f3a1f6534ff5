import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'

/** What is wrong with one field of a request. */
export interface FieldProblem {
  field: string
  message: string
}

/** An expected no. It becomes `{ error: { code, message, fields? } }` with the given HTTP status. */
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

/** The body that goes out for an error. */
export const errorBody = (code: string, message: string, fields: readonly FieldProblem[] = []): object => ({
  error: fields.length > 0 ? { code, message, fields } : { code, message },
})

/** A random name that nobody can guess, such as `cs_Qm3…`. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(18).toString('base64url')}`

/** Fingerprint of a request, to tell a repetition from another request under the same key. */
export const fingerprint = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Lets a request pass that carries `Authorization: Bearer <secret>`; compares in constant time. `strike` may still turn
 * down what would pass.
 */
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

/** The `Idempotency-Key` of a request, or undefined when there is none. Throws ApiError for an unusable one. */
export function readIdempotencyKey(headers: Readonly<Record<string, unknown>>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= longestKey) return key
  throw new ApiError(400, 'idempotency_key_invalid', `An Idempotency-Key has 1 to ${longestKey} characters.`)
}
