import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { identity } from '#messages/identity/identity.ts'
import { PasskeyUnused } from '../../app/step-up/passkeys.ts'

/** What is wrong with each field of a form, and with the form as a whole. */
export type Errors<Field extends string> = { [name in Field | 'form']?: string | undefined }

/** Why it did not work, as a person reads it: the server's or provider's own words, else `otherwise`. */
export function sentenceOf(error: unknown, otherwise: string): string {
  if (error instanceof Unreachable || error instanceof PasskeyUnused) return error.message
  if (!(error instanceof Refused)) return otherwise
  if (error.code === 'too_many_attempts' && error.retryAfterSeconds) return identity.waitFor(error.retryAfterSeconds)
  return error.message || otherwise
}

/** What the server found: the first fault of each of `fields`, or one sentence for the whole form. */
export function faultsOf<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  otherwise: string,
): Errors<Field> {
  const found: Errors<Field> = {}
  for (const { field, message } of error instanceof Refused ? error.errors : []) {
    const name = fields.find((known) => known === field)
    if (name) found[name] ??= message as Errors<Field>[Field]
  }
  return Object.keys(found).length > 0 ? found : { form: sentenceOf(error, otherwise) }
}
