import { currencyCodes, fiatCodes } from '@tern/money/currency'
import * as z from 'zod/mini'

/** Shared shapes. Amounts are decimal strings. */

export const currency = z.enum(currencyCodes)
export const baseCurrency = z.enum(fiatCodes)

/** An amount from the server: a decimal string with all its currency's decimals. */
export const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/))

const amountMessage = 'Please enter a valid amount'

/**
 * An amount from a caller: a positive decimal, as a string or JSON number (read by its shortest decimal form, never
 * computed with). The currency limits the decimals.
 */
export const amountInput = z.pipe(
  z.union([z.string(), z.number()], { error: amountMessage }),
  z.pipe(
    z.transform((value: string | number) => String(value)),
    z.string().check(
      z.maxLength(60, { error: amountMessage }),
      z.regex(/^\d{1,40}(\.\d{1,40})?$/, { error: amountMessage }),
      z.refine((text) => /[1-9]/.test(text), { error: amountMessage }),
    ),
  ),
)

/** A positive integer of minor units, for `/payment/…`. */
export const minorUnits = z
  .int({ error: amountMessage })
  .check(z.positive({ error: amountMessage }), z.maximum(1_000_000_000_000, { error: amountMessage }))

/** A lower-case currency, for payment endpoints. */
export const lowerCaseCurrency = z.enum(currencyCodes.map((code) => code.toLowerCase()) as [string, ...string[]])

/** A user number: ten digits without a leading zero. */
export const userNumber = z.int().check(z.minimum(1_000_000_000), z.maximum(9_999_999_999))

/** A user number in a path or query. */
export const userNumberText = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{9}$/, { error: 'A user number has 10 digits' })),
  z.transform(Number),
)

export const uuid = z.uuid()
export const moment = z.iso.datetime({ offset: true })

// Direction marks and zero-width spaces can make texts look alike. Some scripts need the joiners U+200C and U+200D.
const withoutDeception = /^[^\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]*$/u

/** Displayed text: trimmed, at most `longest` characters, without control or deceptive ones. */
export const text = (longest: number) =>
  z
    .string()
    .check(
      z.trim(),
      z.maxLength(longest, { error: `At most ${longest} characters` }),
      z.regex(/^[^\p{Cc}]*$/u, { error: 'Control characters are not allowed' }),
      z.regex(withoutDeception, { error: 'Invisible characters that change how text reads are not allowed' }),
    )

/** The same, required; `message` is the error for an empty field. */
export const requiredText = (longest: number, message: string) =>
  z.pipe(z.string({ error: message }), text(longest).check(z.minLength(1, { error: message })))

/** A path to go to after sign-in, which no browser reads as another site's address. */
export const ownPath = z.string().check(
  z.maxLength(500, { error: 'At most 500 characters' }),
  // Browsers read backslashes as slashes and drop control characters.
  z.regex(/^\/(?!\/)[^\\\p{Cc}\p{Cs}]*$/u, { error: 'Must be a path of our own pages' }),
)

export const emailAddress = z.pipe(
  z.string({ error: 'Please enter a valid email address' }),
  z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.maxLength(254, { error: 'Please enter a valid email address' }),
      z.email({ error: 'Please enter a valid email address' }),
    ),
)
