import * as z from 'zod/mini'
import { requiredText, text } from '../protocol/wire.ts'

/** Verified details, which only an operator changes. */
export const correctableField = z.enum([
  'legal_name',
  'date_of_birth',
  'nationality',
  'country',
  'address',
  'id_number',
  'document_number',
])
export type CorrectableField = z.output<typeof correctableField>

/** What somebody asks to be corrected. */
export const correctionForm = z.object({
  field: correctableField,
  right_value: requiredText(200, 'right_value_required'),
  note: z.optional(text(1000)),
})
