import { ApiError, type FieldProblem } from './api.ts'
import { currencyDecimals } from './currency.ts'

interface TextRule {
  /** Maximum length in UTF-16 code units. */
  max: number
  /** True to read absent, null and empty values as an empty string. */
  optional?: boolean
  pattern?: RegExp
  /** Error for a value that does not match the pattern. */
  message?: string
}

export type Fields = ReturnType<typeof readFields>

/** Reads a JSON object, and collects all field errors until `check`. Throws ApiError 400 for anything else. */
export function readFields(body: unknown) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError(400, 'malformed_request', 'Send a JSON object.')
  }
  const values = new Map<string, unknown>(Object.entries(body))
  const problems: FieldProblem[] = []
  const addProblem = (field: string, message: string): void => {
    if (!problems.some((problem) => problem.field === field)) problems.push({ field, message })
  }

  function text(name: string, { max, optional = false, pattern, message }: TextRule): string {
    const value = values.get(name) ?? ''
    if (typeof value !== 'string') {
      addProblem(name, 'Must be a text.')
    } else if (value === '') {
      if (!optional) addProblem(name, 'Is required.')
    } else if (value.length > max) {
      addProblem(name, `Must have at most ${max} characters.`)
    } else if (!value.isWellFormed() || value.includes('\0')) {
      addProblem(name, 'Contains characters that are not text.')
    } else if (pattern && !pattern.test(value)) {
      addProblem(name, message ?? 'Has the wrong form.')
    } else {
      return value
    }
    return ''
  }

  return {
    has: (name: string): boolean => values.get(name) !== undefined && values.get(name) !== null,
    raw: (name: string): unknown => values.get(name),
    text,
    /** Returns an integer from 0 to `max`; undefined if absent, null or invalid. */
    integer(name: string, { max }: { max: number }): number | undefined {
      const value = values.get(name) ?? undefined
      if (value === undefined) return undefined
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) return value
      addProblem(name, `Must be a whole number from 0 to ${max}.`)
      return undefined
    },
    /** Returns a boolean; undefined if absent, null or invalid. */
    flag(name: string): boolean | undefined {
      const value = values.get(name) ?? undefined
      if (value === undefined || typeof value === 'boolean') return value
      addProblem(name, 'Must be true or false.')
      return undefined
    },
    addProblem,
    /** Throws ApiError 422 if there are field errors. */
    check(): void {
      if (problems.length > 0) throw new ApiError(422, 'invalid_request', 'Some fields are wrong.', problems)
    },
  }
}

/** Reads amount, currency, reference and description of a payment. */
export function readPayment(fields: Fields) {
  const amountMinor = fields.text('amount_minor', {
    max: 12,
    pattern: /^[1-9]\d*$/,
    message: 'Must be a whole number of the smallest unit, above zero, as a text of digits.',
  })
  const currency = fields.text('currency', { max: 3 })
  if (currency && !currencyDecimals.has(currency)) {
    fields.addProblem('currency', `Must be one of ${[...currencyDecimals.keys()].join(', ')}.`)
  }
  const reference = fields.text('reference', { max: 100 })
  return { amountMinor, currency, reference, description: fields.text('description', { max: 200, optional: true }) }
}

/** Reads the address to which the browser returns. */
export function readReturnUrl(fields: Fields): string {
  const text = fields.text('return_url', { max: 2000 })
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isUsable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (text && !isUsable) fields.addProblem('return_url', 'Must be an http or https address.')
  return text
}
