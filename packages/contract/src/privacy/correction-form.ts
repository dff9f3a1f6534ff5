import * as z from 'zod/mini'
import { requiredText, text } from '../protocol/wire.ts'
import { correctableField } from './correctable-field.ts'

export const correctionForm = z.object({
  field: correctableField,
  right_value: requiredText(200, 'right_value_required'),
  note: z.optional(text(1000)),
})
