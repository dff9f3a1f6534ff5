import { fields } from '#messages/fields.ts'
import { toFieldIssue, type SchemaIssue } from '@tern/contract/protocol/field-problems'
import { type Coded, sentence } from '@tern/messages/message'
import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import type * as z from 'zod/mini'

/** Error messages by field; `root` concerns the form as a whole. */
export type FormErrors<Field extends string = string> = { [name in Field | 'root']?: string | undefined }

/** Message for an issue of a field's schema, from `texts`; by default, those shared by most forms. */
export function fieldSentence(issue: SchemaIssue, texts: typeof fields = fields): string {
  const found = toFieldIssue(issue)
  // Other codes concern values that no form can send.
  return sentence(texts, Object.hasOwn(texts, found.code) ? (found as Coded<typeof fields>) : 'invalid')
}

/** First message of each field that the server would refuse in `request`. */
export function schemaErrors(schema: z.ZodMiniType, request: unknown): FormErrors {
  const errors: FormErrors = {}
  for (const issue of schema.safeParse(request).error?.issues ?? []) {
    errors[String(issue.path[0])] ??= fieldSentence(issue)
  }
  return errors
}

/** Resolver that checks a form with `validate`, which usually applies a schema of the contract. */
export const createResolver =
  <Values extends FieldValues, Context = unknown>(
    validate: (values: Values, context: Context) => FormErrors,
  ): Resolver<Values, Context> =>
  (values, context) => {
    const found = Object.entries(validate(values, context as Context)).filter(([, message]) => message !== undefined)
    if (found.length === 0) return { values, errors: {} }
    const errors = Object.fromEntries(found.map(([name, message]) => [name, { type: 'invalid', message }]))
    return { values: {}, errors: errors as FieldErrors<Values> }
  }
