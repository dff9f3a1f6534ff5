import * as z from 'zod/mini'

const code = z.string().check(z.regex(/^[a-z0-9_]{1,60}$/))

const compared = z.enum(['same', 'close', 'differs', 'not_given', 'not_comparable'])
export type Compared = z.output<typeof compared>

/** Something that one side says. `differs`: it is what tells the two apart. */
const value = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), parts: z.array(z.object({ text: z.string(), differs: z.boolean() })) }),
  /** YYYY, YYYY-MM, YYYY-MM-DD, or a range of years YYYY/YYYY. */
  z.object({ kind: z.literal('date'), text: z.string(), differs: z.boolean() }),
  /** A name or an ISO 3166-1 alpha-2 code. */
  z.object({ kind: z.literal('country'), text: z.string(), differs: z.boolean() }),
  z.object({ kind: z.literal('code'), text: code, differs: z.boolean() }),
])
export type ComparedValue = z.output<typeof value>

/** How far two things are the same or apart. */
const detail = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('score'), basis_points: z.int() }),
  z.object({ kind: z.literal('years'), years: z.int() }),
  z.object({ kind: z.literal('precision'), to: z.enum(['day', 'month', 'year']) }),
])
export type ComparedDetail = z.output<typeof detail>

const row = z.object({
  label: code,
  /** Empty: not given. */
  own: z.array(value),
  /** Empty: not given. Null: the product does not keep what the other side may say. */
  other: z.nullable(z.array(value)),
  compared,
  detail: z.nullable(detail),
})
export type ComparedRow = z.output<typeof row>

/** Two sides, detail by detail: a person and an entry of a list, or what was written and what a check says. */
export const comparison = z.object({
  own: z.object({ label: code, name: z.string() }),
  other: z.object({ label: code, name: z.string(), reference: z.nullable(z.string()) }),
  /** Of a name on a list: how well it fits, and from where on people look and money waits, in basis points. */
  score: z.nullable(z.object({ basis_points: z.int(), review_from: z.int(), hold_from: z.int() })),
  status: z.nullable(code),
  rows: z.array(row),
})
export type Comparison = z.output<typeof comparison>
