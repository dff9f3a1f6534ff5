import { fieldIssueOf } from '@tern/contract/protocol/field-problems'
import { type FieldProblem, type Problem, type RefusalCode, refusalStatus } from '@tern/contract/protocol/refusal'
import { type Coded, sentence } from '@tern/messages/message'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { catalogueFor, type Messages } from '../messages.ts'
import { type FieldRefusal, type Reason, Refusal, type RefusalDetails } from '../refuse.ts'

/** `Retry-After` of a 503, unless the refusal knows better. */
const unavailableSeconds = 2

/** The catalogue in the request's language. */
export const messagesOf = ({ server, headers }: FastifyRequest): Messages =>
  catalogueFor(server.catalogues, headers['accept-language'])

/** A field's sentence: its own, or that of the refusal it caused. */
function fieldSentence({ fields, reasons, refusals }: Messages, { code, params }: FieldRefusal): string {
  const all = { ...refusals, ...reasons, ...fields }
  return sentence(all, { code, params } as Coded<typeof all>)
}

const fieldProblem = (messages: Messages, { field, code, params }: FieldRefusal): FieldProblem => ({
  field,
  code,
  ...(params ? { params } : {}),
  message: fieldSentence(messages, { field, code, params }),
})

/** The members of the problem document that state the reason. */
function toldReason(messages: Messages, reason: RefusalDetails['reason']) {
  if (reason === undefined) return {}
  const told = typeof reason === 'string' ? { code: reason } : reason
  const { code, params } = told as FieldRefusal
  return { reason: code, ...(params ? { params } : {}), detail: fieldSentence(messages, { field: '', code, params }) }
}

/** Answers with problem+json (RFC 9457); a 503 always has `Retry-After`. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: RefusalCode,
  { reason, errors, extra }: RefusalDetails = {},
): FastifyReply {
  const messages = messagesOf(request)
  const status = refusalStatus(code)
  const problem: Problem = {
    ...extra,
    type: `urn:tern:problem:${code}`,
    title: messages.refusals[code],
    status,
    detail: messages.refusals[code],
    code,
    ...toldReason(messages, reason),
    requestId: request.id,
    ...(errors ? { errors: errors.map((error) => fieldProblem(messages, error)) } : {}),
  }
  reply.header('content-language', messages.language.code)
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', String(unavailableSeconds))
  // Already serialized: the route's response schema describes only success.
  return reply
    .code(status)
    .type('application/problem+json')
    .serializer((body) => String(body))
    .send(JSON.stringify(problem))
}

interface Issue {
  readonly keyword: string
  readonly instancePath: string
  readonly message?: string | undefined
  readonly params: object
}

/** Each wrong field once, by the name in the request. */
function fieldsOf(issues: readonly Issue[], context: string | undefined): FieldRefusal[] {
  const found = new Map<string, FieldRefusal>()
  for (const { instancePath, keyword, message, params } of issues) {
    const field = instancePath.replace(/^\//, '').replaceAll('/', '.') || (context ?? 'body')
    if (!found.has(field)) found.set(field, { field, ...fieldIssueOf({ ...params, code: keyword, message }) })
  }
  return [...found.values()]
}

const frameworkCodes: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_body',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  FST_ERR_NOT_FOUND: 'not_found',
  FST_ERR_BAD_URL: 'malformed_body',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_STATIC_FORBIDDEN_PATH: 'not_found',
}

/**
 * Turns every error into an answer: refusals as they are, invalid requests by field, an unavailable database into 503,
 * anything else into 500.
 */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    const { retryAfterSeconds } = error.details
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return sendProblem(request, reply, error.code, error.details)
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = fieldsOf(error.validation, error.validationContext)
    const [first] = errors
    return sendProblem(request, reply, 'invalid_request', {
      errors,
      ...(first ? { reason: { code: first.code, params: first.params } as Reason } : {}),
    })
  }
  const code = 'code' in error ? frameworkCodes[error.code] : undefined
  if (code) return sendProblem(request, reply, code)
  if (isDatabaseUnavailable(error)) {
    request.server.databaseWatch.noteFailure(error)
    return sendProblem(request, reply, 'service_unavailable')
  }
  request.log.error({ err: error }, 'a request failed')
  return sendProblem(request, reply, 'internal')
}
