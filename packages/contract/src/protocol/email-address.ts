import * as z from 'zod/mini'
import { withCode } from './field-problems.ts'
import { canonicalEmail, hasForeignLocalPart } from './text/email.ts'

/** Converts any typed or pasted email address to its stored spelling. */
export const emailAddress = z.pipe(
  z.string(withCode('invalid_email')),
  z.string().check(
    z.refine((text) => !hasForeignLocalPart(text), withCode('foreign_local_part')),
    z.overwrite((text) => canonicalEmail(text) ?? ''),
    z.includes('@', withCode('invalid_email')),
  ),
)
