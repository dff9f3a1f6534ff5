import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'

export interface FieldProblem {
  field: string
  message: string
}

/** Expected error, sent with its HTTP status as `{ error: { code, message, fields? } }`. */
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

export const errorBody = (code: string, message: string, fields: readonly FieldProblem[] = []): object => ({
  error: fields.length > 0 ? { code, message, fields } : { code, message },
})

/** Returns a random id that cannot be guessed, such as `cs_Qm3…`. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(18).toString('base64url')}`

/** Returns a hash of texts, for example to detect a different request with the same key. */
export const fingerprint = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** Returns the row. Throws ApiError 404, with `noun` in its message, if there is none. */
export function requireFound<Row>(row: Row | undefined, noun: string): Row {
  if (row === undefined) throw new ApiError(404, 'not_found', `There is no such ${noun}.`)
  return row
}

/** Throws ApiError 422 for one invalid field. */
export function throwFieldError(field: string, message: string): never {
  throw new ApiError(422, 'invalid_request', 'Some fields are wrong.', [{ field, message }])
}

/** Throws ApiError 422 if an idempotency key was used for a request with another hash. */
export function requireSameRequest(existing: { request_hash: string } | undefined, hash: string, noun: string): void {
  if (existing && existing.request_hash !== hash) {
    throw new ApiError(422, 'idempotency_key_reused', `This Idempotency-Key was used for another ${noun}.`)
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Requires `Authorization: Bearer <secret>`, compared in constant time; then `decideFault` can refuse the request. */
export function requireSecret(
  secret: string,
  decideFault: (request: FastifyRequest) => ApiError | undefined = () => undefined,
): onRequestHookHandler {
  const expected = digest(`Bearer ${secret}`)
  return (request, reply, done) => {
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return done(decideFault(request))
    reply.header('www-authenticate', 'Bearer')
    done(new ApiError(401, 'unauthorized', 'This call needs the secret the sandbox shares with the product.'))
  }
}

const longestKey = 200

/** Returns a request's `Idempotency-Key`, if present. Throws ApiError 400 if invalid. */
export function readIdempotencyKey(headers: Readonly<Record<string, unknown>>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= longestKey) return key
  throw new ApiError(400, 'idempotency_key_invalid', `An Idempotency-Key has 1 to ${longestKey} characters.`)
}

/** Returns a request's `Idempotency-Key`. Throws ApiError 400 if missing or invalid. */
export function requireKey(headers: Readonly<Record<string, unknown>>): string {
  const key = readIdempotencyKey(headers)
  if (key === undefined) throw new ApiError(400, 'idempotency_key_missing', 'Send an Idempotency-Key header.')
  return key
}
