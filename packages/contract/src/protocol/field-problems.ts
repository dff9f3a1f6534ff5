import type { fields } from '@tern/messages/en/fields'
import type { requestFields } from '@tern/messages/en/request-fields'
import type { verificationFields } from '@tern/messages/en/verification-fields'
import type { ProblemParams } from './refusal.ts'

/** Field error code of the message catalogue. */
export type FieldCode = keyof typeof fields | keyof typeof requestFields | keyof typeof verificationFields

/** Returns the `error` option of a schema check: a code with parameters in place of a message. */
export const withCode = (code: FieldCode, params?: ProblemParams): { error: FieldCode; params?: ProblemParams } =>
  params === undefined ? { error: code } : { error: code, params }

/** Parts of a Zod issue that determine a field error. */
export interface SchemaIssue {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly origin?: unknown
  readonly maximum?: unknown
  readonly minimum?: unknown
  readonly params?: unknown
  readonly expected?: unknown
  readonly format?: unknown
  readonly values?: unknown
}

/** Field error without its translated sentence. */
export interface FieldIssue {
  readonly code: FieldCode
  readonly params?: ProblemParams
}

const isFieldCode = (message: string | undefined): message is FieldCode => /^[a-z_]+$/.test(message ?? '')

/** Error codes for a wrong type or format, by the schema's name for it. */
const codesByType: { readonly [kind: string]: FieldCode } = {
  string: 'not_text',
  number: 'not_a_number',
  int: 'not_a_whole_number',
  boolean: 'not_true_or_false',
  object: 'not_an_object',
  record: 'not_an_object',
  array: 'not_a_list',
  uuid: 'not_a_uuid',
  date: 'not_a_date',
  datetime: 'not_a_moment',
}

/** Returns the generic error code of a check without a specific one. */
function fallbackCode({ code, origin, expected, format }: SchemaIssue): FieldCode {
  if (code === 'too_big') return origin === 'string' ? 'too_long' : 'too_large'
  if (code === 'too_small') return origin === 'string' ? 'too_short' : 'too_small'
  if (code === 'invalid_value') return 'not_an_option'
  return codesByType[String(code === 'invalid_type' ? expected : format)] ?? 'invalid'
}

const isParamValue = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** Converts a schema issue to an error code with parameters; used by the server and by browser forms. */
export function toFieldIssue(issue: SchemaIssue): FieldIssue {
  const code = isFieldCode(issue.message) ? issue.message : fallbackCode(issue)
  const options = code === 'not_an_option' && Array.isArray(issue.values) ? issue.values.join(', ') : undefined
  const constraints = { max: issue.maximum, min: issue.minimum, options, ...(issue.params as object | undefined) }
  const params = Object.fromEntries(
    Object.entries(constraints).filter((entry): entry is [string, string | number] => isParamValue(entry[1])),
  )
  return Object.keys(params).length === 0 ? { code } : { code, params }
}
