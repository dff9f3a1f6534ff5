import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { PasskeyNotUsed } from '../../app/step-up/passkeys.ts'

/** Internal errors of the server have no text for users; provider errors have codes of their own. */
const isInternal = ({ code, message }: Refused) => code === 'internal' || message === ''

/** Message for an error: that of the server or provider if it has one, otherwise `fallback`. */
export function describeError(error: unknown, fallback: string): string {
  if (error instanceof Unreachable || error instanceof PasskeyNotUsed) return error.message
  if (!(error instanceof Refused)) return fallback
  return isInternal(error) ? fallback : error.message
}

/** First error of each of `fields` in a refusal, or one message for the whole form. */
export function fieldErrors(error: unknown, fields: readonly string[], fallback: string): FormErrors {
  const errorsByField: FormErrors = {}
  for (const { field, message } of error instanceof Refused ? error.errors : []) {
    if (fields.includes(field)) errorsByField[field] ??= message
  }
  return Object.keys(errorsByField).length > 0 ? errorsByField : { root: describeError(error, fallback) }
}
