import { type FieldCode, toFieldIssue } from '@tern/contract/protocol/field-problems'
import { type FieldProblem, type Problem, type RefusalCode, refusalStatus } from '@tern/contract/protocol/refusal'
import { paramsInWords } from '@tern/messages/formats'
import { type Coded, sentence } from '@tern/messages/message'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { chooseCatalogue, type Messages } from '../messages.ts'
import { type FieldRefusal, type Reason, Refusal, type RefusalDetails } from '../refuse.ts'

/** Seconds in `Retry-After` of a 503, unless the refusal has its own. */
const unavailableSeconds = 2

/** Returns the catalogue in the request's language. */
export const chooseMessages = ({ server, headers }: FastifyRequest): Messages =>
  chooseCatalogue(server.catalogues, headers['accept-language'])

/** Returns the sentence for an invalid field, from the catalogue's fields, reasons or refusals. */
function fieldSentence(
  { language, fields, requestFields, verificationFields, reasons, refusals }: Messages,
  { code, params }: FieldRefusal,
): string {
  const all = { ...refusals, ...reasons, ...fields, ...requestFields, ...verificationFields }
  const inWords = params && paramsInWords(language, params)
  return sentence(all, { code, params: inWords } as Coded<typeof all>)
}

const fieldProblem = (messages: Messages, { field, code, params }: FieldRefusal): FieldProblem => ({
  field,
  code,
  ...(params ? { params } : {}),
  message: fieldSentence(messages, { field, code, params }),
})

/** Returns the reason's members of the problem document; `detail` names the field if the sentence itself does not. */
function describeRefusal(messages: Messages, { reason, errors }: RefusalDetails) {
  if (reason === undefined) return {}
  const refusal = typeof reason === 'string' ? { code: reason } : reason
  const { code, params } = refusal as FieldRefusal
  const sentence = fieldSentence(messages, { field: '', code, params })
  const field = codesWithoutFieldName.has(code) ? errors?.find((error) => error.code === code)?.field : undefined
  return {
    reason: code,
    ...(params ? { params } : {}),
    detail: field === undefined ? sentence : messages.ofField({ field, sentence: sentence }),
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Code of the problem that answers the request, for metrics and traces. */
    refusalCode?: RefusalCode
  }
}

/** Answers with problem+json (RFC 9457); a 503 always has `Retry-After`. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: RefusalCode,
  { reason, errors, extra }: RefusalDetails = {},
): FastifyReply {
  const messages = chooseMessages(request)
  const status = refusalStatus(code)
  request.refusalCode = code
  const problem: Problem = {
    ...extra,
    type: `urn:tern:problem:${code}`,
    title: messages.refusals[code],
    status,
    detail: messages.refusals[code],
    code,
    ...describeRefusal(messages, { ...(reason ? { reason } : {}), ...(errors ? { errors } : {}) }),
    requestId: request.id,
    ...(errors ? { errors: errors.map((error) => fieldProblem(messages, error)) } : {}),
  }
  reply.header('content-language', messages.language.code)
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', String(unavailableSeconds))
  // The body is sent serialized, because the route's response schema describes only success.
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
  readonly params: { readonly keys?: unknown; readonly issues?: unknown }
}

/** Limits on names that a request can choose freely and an answer repeats: their number and length. */
const maxUnknown = 20
const longestName = 60

/** Shortens a name from a request to the length that an answer repeats. */
export function shortenName(name: string): string {
  const characters = Array.from(name)
  return characters.length > longestName ? `${characters.slice(0, longestName).join('')}…` : name
}

/** Returns whether the request has no value at an issue's path. */
function isMissing(part: unknown, instancePath: string): boolean {
  let value = part
  for (const name of instancePath.split('/').filter(Boolean)) {
    if (typeof value !== 'object' || value === null) return false
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value === undefined
}

function toFieldRefusal({ instancePath, keyword, message, params }: Issue, part: unknown): Omit<FieldRefusal, 'field'> {
  // For an invalid name in a record, the inner issue has the reason.
  const innerIssue = keyword === 'invalid_key' && Array.isArray(params.issues) ? (params.issues[0] as object) : {}
  const issue = toFieldIssue({ ...params, code: keyword, message, ...innerIssue })
  const lacksErrorCode = message === undefined || /[A-Z ]/.test(message)
  return lacksErrorCode && keyword !== 'invalid_key' && isMissing(part, instancePath) ? { code: 'missing' } : issue
}

/** Returns each invalid field once, under its name in the request. */
function listFields(issues: readonly Issue[], context: string | undefined, part: unknown): FieldRefusal[] {
  const refusals = new Map<string, FieldRefusal>()
  for (const issue of issues) {
    const path = issue.instancePath.replace(/^\//, '').replaceAll('/', '.')
    if (issue.keyword === 'unrecognized_keys' && Array.isArray(issue.params.keys)) {
      for (const key of issue.params.keys.slice(0, maxUnknown) as string[]) {
        const field = shortenName(path === '' ? key : `${path}.${key}`)
        refusals.set(field, { field, code: 'unknown_field' })
      }
      continue
    }
    const field = shortenName(path || (context ?? 'body'))
    if (!refusals.has(field)) refusals.set(field, { field, ...toFieldRefusal(issue, part) })
  }
  return [...refusals.values()]
}

/** Returns the part of the request that `context` names. */
function readPart({ body, query, params }: FastifyRequest, context: string | undefined): unknown {
  return context === 'querystring' ? query : context === 'params' ? params : body
}

/** Codes whose sentence states a requirement without naming the field. */
const codesWithoutFieldName: ReadonlySet<string> = new Set<FieldCode>([
  'invalid',
  'missing',
  'unknown_field',
  'cannot_be_changed',
  'not_text',
  'not_a_number',
  'not_a_whole_number',
  'not_true_or_false',
  'not_an_object',
  'not_a_list',
  'not_a_uuid',
  'not_a_date',
  'not_a_moment',
  'not_an_option',
  'too_long',
  'too_short',
  'too_large',
  'too_small',
  'control_characters',
  'broken_characters',
  'number_loses_digits',
  'not_own_path',
])

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
 * Answers every error: refusals with their problem, validation errors by field, an unavailable database with 503, and
 * unknown errors with 500.
 */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    const { retryAfterSeconds } = error.details
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return sendProblem(request, reply, error.code, error.details)
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const { validation, validationContext: context } = error
    const errors = listFields(validation, context, readPart(request, context))
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
