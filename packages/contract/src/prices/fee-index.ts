import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { withCode } from '../protocol/field-problems.ts'
import { baseCurrency, decimal, moment } from '../protocol/wire.ts'

const month = z.string().check(z.regex(/^20\d\d-(0[1-9]|1[0-2])$/, withCode('not_a_date')))
const monthQuery = z.object({ month: z.optional(month) })

/** Costs in percent of the amount sent. */
const figures = z.object({
  payments: z.int(),
  mean: decimal,
  median: decimal,
  /** The middle eighty percent of payments cost between `low` and `high`. */
  low: decimal,
  high: decimal,
  /** Fee component of the mean; the rest is spread and rounding. */
  fee: decimal,
})

const corridorShape = z.object({
  source_currency: baseCurrency,
  target_currency: baseCurrency,
  /** Null below `fewest_payers`, so that no individual payment can be inferred. */
  figures: z.nullable(figures),
  world_bank: z.object({ region: z.enum(['global', 'south_asia']), average: decimal }),
})
export type Corridor = z.output<typeof corridorShape>

export const feeIndex = endpoint({
  method: 'GET',
  path: '/prices/index',
  summary:
    'Prices actually paid for sends between currencies in a month, per corridor, beside World Bank averages. Defaults to the latest month.',
  access: 'public',
  query: monthQuery,
  reply: z.object({
    /** All months with published figures, newest first. */
    months: z.array(month),
    /** Month of the figures; null if there are none yet. */
    month: z.nullable(month),
    counted_at: z.nullable(moment),
    /** Date (UTC) on which the current month is evaluated: the first day after it. */
    next_count_on: z.iso.date(),
    /** Corridors with fewer distinct payers get no figures. */
    fewest_payers: z.int(),
    is_sandbox: z.boolean(),
    /** Totals of all corridors shown; null if there are none. */
    all: z.nullable(z.object({ payments: z.int(), mean: decimal })),
    corridors: z.array(corridorShape),
    world_bank: z.object({
      issue: z.int(),
      quarter: z.string(),
      global: decimal,
      digital: decimal,
      digital_only: decimal,
      banks: decimal,
      south_asia: decimal,
    }),
  }),
  refusals: ['not_found', 'rate_limited'],
})

export const feeIndexFile = endpoint({
  method: 'GET',
  path: '/prices/index.csv',
  summary: 'The same in CSV format.',
  access: 'public',
  query: monthQuery,
  reply: z.custom<string>(),
  file: 'text/csv',
  refusals: ['not_found', 'rate_limited'],
})
