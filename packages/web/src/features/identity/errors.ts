import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { PasskeyUnused } from '../../app/step-up/passkeys.ts'

/** Why it did not work, as a person reads it: the server's or provider's own words, else `otherwise`. */
export function sentenceOf(error: unknown, otherwise: string): string {
  if (error instanceof Unreachable || error instanceof PasskeyUnused) return error.message
  if (!(error instanceof Refused)) return otherwise
  return error.message || otherwise
}

/** What the server found: the first error of each of `fields`, or one sentence for the whole form. */
export function errorsFrom(error: unknown, fields: readonly string[], otherwise: string): FormErrors {
  const found: FormErrors = {}
  for (const { field, message } of error instanceof Refused ? error.errors : []) {
    if (fields.includes(field)) found[field] ??= message
  }
  return Object.keys(found).length > 0 ? found : { root: sentenceOf(error, otherwise) }
}
