import * as z from 'zod/mini'
import { coded } from '../protocol/field-problems.ts'
import { text } from '../protocol/wire.ts'

/** The fewest characters of a reason. */
export const shortestReason = 10
export const longestReason = 500

/** Why an operator acts, in their words: goes on record. */
export const reasonText = z.pipe(
  text(longestReason),
  z.string().check(z.minLength(shortestReason, coded('too_short', { min: shortestReason }))),
)
