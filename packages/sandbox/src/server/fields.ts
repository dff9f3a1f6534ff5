import { ApiError, type FieldProblem } from './api.ts'

interface TextRule {
  /** In UTF-16 units. */
  max: number
  /** Absent, null and empty become an empty string. */
  optional?: boolean
  pattern?: RegExp
  /** Shown when the pattern does not match. */
  message?: string
}

/** Collects all errors in a body before answering. */
export interface Fields {
  has(name: string): boolean
  raw(name: string): unknown
  text(name: string, rule: TextRule): string
  /** An integer from 0 to `max`; undefined when absent or null. */
  wholeNumber(name: string, rule: { max: number }): number | undefined
  /** A boolean; undefined when absent or null. */
  flag(name: string): boolean | undefined
  wrong(field: string, message: string): void
  /** Throws ApiError 422 if there were errors. */
  check(): void
}

/** Reads a JSON object. Throws ApiError 400 for anything else. */
export function readFields(body: unknown): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError(400, 'malformed_request', 'Send a JSON object.')
  }
  const values = new Map<string, unknown>(Object.entries(body))
  const problems: FieldProblem[] = []
  const wrong = (field: string, message: string): void => {
    if (!problems.some((problem) => problem.field === field)) problems.push({ field, message })
  }

  function text(name: string, { max, optional = false, pattern, message }: TextRule): string {
    const value = values.get(name) ?? ''
    if (typeof value !== 'string') {
      wrong(name, 'Must be a text.')
    } else if (value === '') {
      if (!optional) wrong(name, 'Is required.')
    } else if (value.length > max) {
      wrong(name, `Must have at most ${max} characters.`)
    } else if (!value.isWellFormed() || value.includes('\0')) {
      wrong(name, 'Contains characters that are not text.')
    } else if (pattern && !pattern.test(value)) {
      wrong(name, message ?? 'Has the wrong form.')
    } else {
      return value
    }
    return ''
  }

  return {
    has: (name) => values.get(name) !== undefined && values.get(name) !== null,
    raw: (name) => values.get(name),
    text,
    wholeNumber(name, { max }) {
      const value = values.get(name) ?? undefined
      if (value === undefined) return undefined
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) return value
      wrong(name, `Must be a whole number from 0 to ${max}.`)
      return undefined
    },
    flag(name) {
      const value = values.get(name) ?? undefined
      if (value === undefined || typeof value === 'boolean') return value
      wrong(name, 'Must be true or false.')
      return undefined
    },
    wrong,
    check() {
      if (problems.length > 0) throw new ApiError(422, 'invalid_request', 'Some fields are wrong.', problems)
    },
  }
}
