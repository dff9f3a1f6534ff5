import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { PasskeyNotUsed } from '../../app/step-up/passkeys.ts'

/** Internal errors of the server carry no text for users; provider errors have codes of their own. */
const isInternal = ({ code, message }: Refused) => code === 'internal' || message === ''

/** Message for an error: that of the server or provider if it has one, otherwise `otherwise`. */
export function describeError(error: unknown, otherwise: string): string {
  if (error instanceof Unreachable || error instanceof PasskeyNotUsed) return error.message
  if (!(error instanceof Refused)) return otherwise
  return isInternal(error) ? otherwise : error.message
}

/** First error of each of `fields` in a refusal, or one message for the whole form. */
export function fieldErrors(error: unknown, fields: readonly string[], otherwise: string): FormErrors {
  const found: FormErrors = {}
  for (const { field, message } of error instanceof Refused ? error.errors : []) {
    if (fields.includes(field)) found[field] ??= message
  }
  return Object.keys(found).length > 0 ? found : { root: describeError(error, otherwise) }
}
