import {
  type FieldProblem,
  type Problem,
  type RefusalCode,
  refusalSentence,
  refusalStatus,
} from '@tern/contract/protocol/refusal'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { Refusal } from '../refuse.ts'

/** Whoever is turned away by a 503 may try again after this, unless something more exact is known. */
const unavailableSeconds = 2

/** Answers with problem+json (RFC 9457); a 503 always says after how many seconds to try again. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: RefusalCode,
  more: { detail?: string; errors?: readonly FieldProblem[]; extra?: Readonly<Record<string, unknown>> } = {},
): FastifyReply {
  const status = refusalStatus(code)
  const problem: Problem = {
    ...more.extra,
    type: `urn:tern:problem:${code}`,
    title: refusalSentence(code),
    status,
    detail: more.detail ?? refusalSentence(code),
    code,
    requestId: request.id,
    ...(more.errors ? { errors: more.errors } : {}),
  }
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', String(unavailableSeconds))
  // Sent as finished text: the route's own response schema describes its success only.
  return reply
    .code(status)
    .type('application/problem+json')
    .serializer((body) => String(body))
    .send(JSON.stringify(problem))
}

interface Issue {
  readonly instancePath: string
  readonly message?: string | undefined
}

/** Each wrong field once, under the name it was sent with. */
function fieldsOf(issues: readonly Issue[], context: string | undefined): FieldProblem[] {
  const fields = new Map<string, string>()
  for (const issue of issues) {
    const field = issue.instancePath.replace(/^\//, '').replaceAll('/', '.') || (context ?? 'body')
    if (!fields.has(field)) fields.set(field, issue.message ?? 'Invalid')
  }
  return [...fields].map(([field, message]) => ({ field, message }))
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
 * The one place where errors become answers: refusals as they are, wrong requests by field, a database that is away 503,
 * everything else 500.
 */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    const { detail, errors, extra, retryAfterSeconds } = error.details
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return sendProblem(request, reply, error.code, {
      ...(detail === undefined ? {} : { detail }),
      ...(errors ? { errors } : {}),
      ...(extra ? { extra } : {}),
    })
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = fieldsOf(error.validation, error.validationContext)
    return sendProblem(request, reply, 'invalid_request', { detail: errors[0]?.message ?? 'Invalid', errors })
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
