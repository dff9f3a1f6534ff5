import * as z from 'zod/mini'
import { withCode } from '../protocol/field-problems.ts'
import { text } from '../protocol/wire.ts'

export const minReasonLength = 10
export const maxReasonLength = 500

/** Operator's reason for an action, in their own words; recorded in the log. */
export const reasonText = z.pipe(
  text(maxReasonLength),
  z.string().check(z.minLength(minReasonLength, withCode('too_short', { min: minReasonLength }))),
)
