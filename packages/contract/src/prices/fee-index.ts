import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { coded } from '../protocol/field-problems.ts'
import { baseCurrency, decimal, moment } from '../protocol/wire.ts'

const month = z.string().check(z.regex(/^20\d\d-(0[1-9]|1[0-2])$/, coded('not_a_date')))
const monthQuery = z.object({ month: z.optional(month) })

/** In percent of the amount sent. */
const figures = z.object({
  payments: z.int(),
  mean: decimal,
  median: decimal,
  /** Eight of ten payments cost from `low` to `high`. */
  low: decimal,
  high: decimal,
  /** Of the mean, what is the fee; the rest is the rate and rounding. */
  fee: decimal,
})

const corridorShape = z.object({
  source_currency: baseCurrency,
  target_currency: baseCurrency,
  /** Null where too few people paid: what one of them paid is nobody's business. */
  figures: z.nullable(figures),
  world_bank: z.object({ region: z.enum(['global', 'south_asia']), average: decimal }),
})
export type Corridor = z.output<typeof corridorShape>

export const feeIndex = endpoint({
  method: 'GET',
  path: '/prices/index',
  summary:
    'What people really paid for sends between currencies in a month, per corridor, beside the averages of the World Bank. The latest month unless one is named.',
  access: 'public',
  query: monthQuery,
  reply: z.object({
    /** Every month that was counted, newest first. */
    months: z.array(month),
    /** The month told of; null while none was counted. */
    month: z.nullable(month),
    counted_at: z.nullable(moment),
    /** First day after the present month (UTC), on which that month is counted. */
    next_count_on: z.iso.date(),
    /** Fewer different payers are not shown. */
    fewest_payers: z.int(),
    is_sandbox: z.boolean(),
    /** Over all corridors that are shown; null where none is. */
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
  summary: 'The same as a file of comma-separated values.',
  access: 'public',
  query: monthQuery,
  reply: z.custom<string>(),
  file: 'text/csv',
  refusals: ['not_found', 'rate_limited'],
})
