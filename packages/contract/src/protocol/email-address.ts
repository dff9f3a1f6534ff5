import * as z from 'zod/mini'
import { coded } from './field-problems.ts'
import { canonicalEmail, hasForeignLocalPart } from './text/email.ts'

/** Normalizes any typed or pasted email address to its stored spelling. */
export const emailAddress = z.pipe(
  z.string(coded('invalid_email')),
  z.string().check(
    z.refine((typed) => !hasForeignLocalPart(typed), coded('foreign_local_part')),
    z.overwrite((typed) => canonicalEmail(typed) ?? ''),
    z.includes('@', coded('invalid_email')),
  ),
)
