import * as z from 'zod/mini'

const code = z.string().check(z.regex(/^[a-z0-9_]{1,60}$/))

const comparisonResult = z.enum(['same', 'close', 'differs', 'not_given', 'not_comparable'])
export type ComparisonResult = z.output<typeof comparisonResult>

/** Value given by one side. `differs` marks text that differs from the other side. */
const value = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), parts: z.array(z.object({ text: z.string(), differs: z.boolean() })) }),
  /** Format YYYY, YYYY-MM, YYYY-MM-DD, or a range of years YYYY/YYYY. */
  z.object({ kind: z.literal('date'), text: z.string(), differs: z.boolean() }),
  /** Country name or ISO 3166-1 alpha-2 code. */
  z.object({ kind: z.literal('country'), text: z.string(), differs: z.boolean() }),
  z.object({ kind: z.literal('code'), text: code, differs: z.boolean() }),
])
export type ComparedValue = z.output<typeof value>

/** Degree of similarity or difference between two values. */
const detail = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('score'), basis_points: z.int() }),
  z.object({ kind: z.literal('years'), years: z.int() }),
  z.object({ kind: z.literal('precision'), to: z.enum(['day', 'month', 'year']) }),
])
export type ComparedDetail = z.output<typeof detail>

const row = z.object({
  label: code,
  /** Empty if not given. */
  own: z.array(value),
  /** Empty if not given; null if the product does not store this detail of the other side. */
  other: z.nullable(z.array(value)),
  compared: comparisonResult,
  detail: z.nullable(detail),
})
export type ComparedRow = z.output<typeof row>

/** Detail-by-detail comparison of two sides: a person and a list entry, or submitted data and the result of a check. */
export const comparison = z.object({
  own: z.object({ label: code, name: z.string() }),
  other: z.object({ label: code, name: z.string(), reference: z.nullable(z.string()) }),
  /** Match score of a name on a list, with the thresholds for a review and for a hold, all in basis points. */
  score: z.nullable(z.object({ basis_points: z.int(), review_from: z.int(), hold_from: z.int() })),
  status: z.nullable(code),
  rows: z.array(row),
})
export type Comparison = z.output<typeof comparison>
