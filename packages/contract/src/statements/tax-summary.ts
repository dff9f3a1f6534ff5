import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { withCode } from '../protocol/field-problems.ts'
import { currency, decimal, moment, text } from '../protocol/wire.ts'

/** `returned`: refunds, chargebacks, returned withdrawals and corrections, in both directions. */
export const taxTotalKind = z.enum([
  'received',
  'sent',
  'deposit',
  'withdrawal',
  'exchanged_in',
  'exchanged_out',
  'fee',
  'returned',
])
export type TaxTotalKind = z.output<typeof taxTotalKind>

const total = z.object({
  currency,
  kind: taxTotalKind,
  count: z.int(),
  /** Signed: money that left is negative. */
  amount: decimal,
})

const lot = z.object({ acquired_at: moment, quantity: decimal, cost: decimal })

const disposal = z.object({
  /** Never changes. */
  id: z.string(),
  at: moment,
  reference: z.nullable(z.string()),
  currency,
  kind: taxTotalKind,
  quantity: decimal,
  /** Amounts in the base currency. */
  proceeds: decimal,
  cost: decimal,
  gain: decimal,
  /** `transaction`, or the source of the market rate; null without a known rate, when the proceeds count as zero. */
  rate_source: z.nullable(z.string()),
  rate_time: z.nullable(moment),
  /** Lots that were disposed of, oldest first. */
  lots: z.array(lot),
})

const gain = z.object({
  currency,
  disposals: z.int(),
  proceeds: decimal,
  cost: decimal,
  gain: decimal,
  /** Count of disposals without a known rate. */
  without_rate: z.int(),
})

export const taxSummaryView = z.object({
  year: z.int(),
  time_zone: z.string(),
  /** False while the year has not ended. */
  is_final: z.boolean(),
  as_of: moment,
  base_currency: currency,
  method: z.literal('fifo'),
  /** Values are rounded half up to the minor unit of the base currency; costs of parts of lots are rounded down. */
  rounding: z.literal('half_up'),
  notice: z.string(),
  totals: z.array(total),
  gains: z.array(gain),
  disposals: z.array(disposal),
  /** Lots left at the end. */
  lots: z.array(z.object({ currency, ...lot.shape })),
})
export type TaxSummaryView = z.output<typeof taxSummaryView>

const yearQuery = {
  year: z.string().check(z.regex(/^20\d\d$/, withCode('not_a_whole_number'))),
  /** Name in the IANA database, such as Europe/Paris; UTC by default. */
  time_zone: z.optional(text(60)),
}

export const taxSummary = endpoint({
  method: 'GET',
  path: '/statements/tax',
  summary:
    'Totals of a year by currency and kind, and gains of cryptocurrencies by FIFO in the base currency. A summary, not tax advice.',
  access: 'session',
  query: z.object(yearQuery),
  reply: taxSummaryView,
  refusals: ['rate_limited'],
})

export const taxSummaryFile = endpoint({
  method: 'GET',
  path: '/statements/tax/file',
  summary: 'The same summary as a file.',
  access: 'session',
  query: z.object({ ...yearQuery, format: z.enum(['csv', 'json']) }),
  reply: z.custom<AsyncIterable<Uint8Array>>(),
  file: 'application/octet-stream',
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = { TaxSummary: taxSummaryView }
