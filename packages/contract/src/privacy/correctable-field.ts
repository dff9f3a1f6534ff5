import * as z from 'zod/mini'

/** Verified details, which only an operator can change. */
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
