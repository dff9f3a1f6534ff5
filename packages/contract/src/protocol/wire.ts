import { currencyCodes, fiatCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { coded, type FieldCode } from './field-problems.ts'

/** Shapes that many endpoints share. Amounts are decimal strings; a JSON number is read by its shortest decimal form. */

export const currency = z.enum(currencyCodes)
export const baseCurrency = z.enum(fiatCodes)

/** An amount as the server writes it: a decimal string with all places of its currency. */
export const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/))

/**
 * An amount as a caller sends it: a positive plain decimal, as a string or as a JSON number (read by its shortest
 * decimal form, never computed with). How many places are allowed depends on the currency and is checked with it.
 */
export const amountInput = z.pipe(
  z.union([z.string(), z.number()], coded('invalid_amount')),
  z.pipe(
    z.transform((value: string | number) => String(value)),
    z.string().check(
      z.maxLength(60, coded('invalid_amount')),
      z.regex(/^\d{1,40}(\.\d{1,40})?$/, coded('invalid_amount')),
      z.refine((text) => /[1-9]/.test(text), coded('invalid_amount')),
    ),
  ),
)

/** A whole number of minor units, above zero, as `/payment/…` calls send it. */
export const minorUnits = z
  .int(coded('invalid_amount'))
  .check(z.positive(coded('invalid_amount')), z.maximum(1_000_000_000_000, coded('invalid_amount')))

/** A currency in lower case, as the payment calls send it. */
export const lowerCaseCurrency = z.enum(currencyCodes.map((code) => code.toLowerCase()) as [string, ...string[]])

/** A user's number: ten digits, no leading zero. */
export const userNumber = z.int().check(z.minimum(1_000_000_000), z.maximum(9_999_999_999))

/** A user's number inside a path or query, where everything is text. */
export const userNumberText = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{9}$/, coded('invalid_user_number'))),
  z.transform(Number),
)

export const uuid = z.uuid()
export const moment = z.iso.datetime({ offset: true })

// Marks that turn the direction of what follows, and spaces of no width: with them one text can look like another.
// The joiners U+200C and U+200D stay allowed, because some scripts cannot be written without them.
const withoutDeception = /^[^\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]*$/u

/** Free text that ends up on a screen: trimmed, without control or deceptive characters, at most `longest` characters. */
export const text = (longest: number) =>
  z
    .string()
    .check(
      z.trim(),
      z.maxLength(longest, coded('too_long')),
      z.regex(/^[^\p{Cc}]*$/u, coded('control_characters')),
      z.regex(withoutDeception, coded('deceptive_characters')),
    )

/** Free text that must not be empty; `code` says so of an empty field. */
export const requiredText = (longest: number, code: FieldCode) =>
  z.pipe(z.string(coded(code)), text(longest).check(z.minLength(1, coded(code))))

/** Where to go after signing in: a path of our own pages, which no browser reads as another site's address. */
export const ownPath = z.string().check(
  z.maxLength(500, coded('too_long')),
  // Browsers read a backslash as a slash, and leave control characters out.
  z.regex(/^\/(?!\/)[^\\\p{Cc}\p{Cs}]*$/u, coded('not_own_path')),
)

export const emailAddress = z.pipe(
  z.string(coded('invalid_email')),
  z
    .string()
    .check(z.trim(), z.toLowerCase(), z.maxLength(254, coded('invalid_email')), z.email(coded('invalid_email'))),
)
