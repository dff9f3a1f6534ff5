import * as z from 'zod/mini'
import { coded } from '../protocol/field-problems.ts'
import { text } from '../protocol/wire.ts'

/** Minimum length of a reason, in characters. */
export const shortestReason = 10
export const longestReason = 500

/** Operator's reason for an action, in their own words; recorded in the log. */
export const reasonText = z.pipe(
  text(longestReason),
  z.string().check(z.minLength(shortestReason, coded('too_short', { min: shortestReason }))),
)
