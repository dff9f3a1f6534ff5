import { fields } from '#messages/fields.ts'
import { fieldIssueOf, type SchemaIssue } from '@tern/contract/protocol/field-problems'
import { type Coded, sentence } from '@tern/messages/message'
import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import type * as z from 'zod/mini'

/** What is wrong, by field; `root` is about the form as a whole. */
export type FormErrors<Field extends string = string> = { [name in Field | 'root']?: string | undefined }

/** What is wrong with a field, as its schema tells it, in a sentence of `words`: those of most forms unless given. */
export function fieldSentence(issue: SchemaIssue, words: typeof fields = fields): string {
  const found = fieldIssueOf(issue)
  // Other codes are about values that no form sends.
  return sentence(words, Object.hasOwn(words, found.code) ? (found as Coded<typeof fields>) : 'invalid')
}

/** What the server would say about `request`: the first message of each field. */
export function schemaErrors(schema: z.ZodMiniType, request: unknown): FormErrors {
  const errors: FormErrors = {}
  for (const issue of schema.safeParse(request).error?.issues ?? []) {
    errors[String(issue.path[0])] ??= fieldSentence(issue)
  }
  return errors
}

/** Checks a form by `errorsOf`, which usually asks a schema of the contract. */
export const resolverOf =
  <Values extends FieldValues, Context = unknown>(
    errorsOf: (values: Values, context: Context) => FormErrors,
  ): Resolver<Values, Context> =>
  (values, context) => {
    const found = Object.entries(errorsOf(values, context as Context)).filter(([, message]) => message !== undefined)
    if (found.length === 0) return { values, errors: {} }
    const errors = Object.fromEntries(found.map(([name, message]) => [name, { type: 'invalid', message }]))
    return { values: {}, errors: errors as FieldErrors<Values> }
  }
