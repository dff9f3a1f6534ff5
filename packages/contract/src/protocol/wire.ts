import { currencyCodes, fiatCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { withCode, type FieldCode } from './field-problems.ts'
import { normalizeDecimal } from './text/plain-decimal.ts'
import { visibleText } from './text/visible-text.ts'

export const currency = z.enum(currencyCodes)
export const baseCurrency = z.enum(fiatCodes)

/** Country as ISO 3166-1 alpha-2. */
export const countryCode = z.string().check(z.regex(/^[A-Z]{2}$/))

/** Amount from the server: a decimal string with all decimals of its currency. */
export const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/))

/** Decimal digits of a string or JSON number; the server refuses numbers that JSON parsing would round. */
const decimalDigits = z.transform((value: string | number) =>
  typeof value === 'number' && Number.isFinite(value) ? normalizeDecimal(String(value)) : String(value),
)

/** Amount from a caller: a positive decimal, as a string or JSON number. Its currency limits the number of decimals. */
export const amountInput = z.pipe(
  z.union([z.string(), z.number()], withCode('invalid_amount')),
  z.pipe(
    decimalDigits,
    z.string().check(
      z.maxLength(60, withCode('invalid_amount')),
      z.regex(/^\d{1,40}(\.\d{1,40})?$/, withCode('invalid_amount')),
      z.refine((text) => /[1-9]/.test(text), withCode('invalid_amount')),
    ),
  ),
)

/** Rate from a caller: a positive decimal, as a string or JSON number, at most 15 digits on each side of the point. */
export const rateInput = z.pipe(
  z.union([z.string(), z.number()], withCode('invalid_rate')),
  z.pipe(
    decimalDigits,
    z.string().check(
      z.regex(/^\d{1,15}(\.\d{1,15})?$/, withCode('invalid_rate')),
      z.refine((text) => /[1-9]/.test(text), withCode('invalid_rate')),
    ),
  ),
)

/** Positive integer of minor units, for the endpoints below `/payment`. */
export const minorUnits = z
  .int(withCode('invalid_amount'))
  .check(z.positive(withCode('invalid_amount')), z.maximum(1_000_000_000_000, withCode('invalid_amount')))

/** Currency code in lower case, for payment endpoints. */
export const lowerCaseCurrency = z.enum(currencyCodes.map((code) => code.toLowerCase()) as [string, ...string[]])

/** User number: ten digits without a leading zero. */
export const userNumber = z.int().check(z.minimum(1_000_000_000), z.maximum(9_999_999_999))

/** User number in a path or query. */
export const userNumberText = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{9}$/, withCode('invalid_user_number'))),
  z.transform(Number),
)

export const noContent = { status: 204, reply: z.undefined() } as const

export const uuid = z.uuid()
export const moment = z.iso.datetime({ offset: true })

/** Text as stored by `visibleText`, up to `maxLength` characters. Refuses control characters and lone surrogates. */
export const text = (maxLength: number) =>
  z
    .string()
    .check(
      z.overwrite(visibleText),
      z.maxLength(maxLength, withCode('too_long')),
      z.regex(/^[^\p{Cs}]*$/u, withCode('broken_characters')),
      z.regex(/^[^\p{Cc}]*$/u, withCode('control_characters')),
    )

/** Text that must not be empty; `code` is the error for an empty field. */
export const requiredText = (maxLength: number, code: FieldCode) =>
  z.pipe(z.string(withCode(code)), text(maxLength).check(z.minLength(1, withCode(code))))

/** Local path to open after sign-in. Refuses any path that a browser could read as an address of another site. */
export const ownPath = z.string().check(
  z.maxLength(500, withCode('too_long')),
  // Browsers read backslashes as slashes and drop control characters.
  z.regex(/^\/(?!\/)[^\\\p{Cc}\p{Cs}]*$/u, withCode('not_own_path')),
)

/** Seconds during which a send can be cancelled; 0 settles it at once. */
export const undoSeconds = z.int().check(z.minimum(0), z.maximum(1800))

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Amount: decimal,
  BaseCurrency: baseCurrency,
  Currency: currency,
}
