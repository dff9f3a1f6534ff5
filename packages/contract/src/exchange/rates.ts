import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { baseCurrency, currency, decimal, moment, uuid } from '../protocol/wire.ts'

/**
 * The last rate of a pair, in the refusal `rates_unavailable` where it is too old (`reason` is `rate_too_old`), and how
 * long a rate of its kind can be used; with `skips_closing_days`, weekends and closing days do not count.
 */
export const lastRateShape = z.object({
  source_currency: currency,
  target_currency: currency,
  rate: decimal,
  source: z.string(),
  time: moment,
  max_age_seconds: z.int(),
  skips_closing_days: z.boolean(),
})
export type LastRate = z.output<typeof lastRateShape>

/** One step of a chart. */
export const rateStep = z.object({ time: moment, rate: decimal })

const stretch = z.object({ from: moment, to: moment })

export const currencyHistory = endpoint({
  method: 'GET',
  path: '/currency/history/:from/:to',
  summary: 'The mid-market rate over a time, oldest first: each rate holds until the next.',
  access: 'public',
  params: z.object({ from: currency, to: currency }),
  query: z.object({ range: z.enum(['24h', '7d', '30d', '1y']) }),
  reply: z.object({
    from: moment,
    to: moment,
    steps: z.array(rateStep),
    /** As in a quote's `rate_source`; empty where nothing is known of the pair. */
    source: z.string(),
    /** Weekends and closing days without a fix: the last one holds. */
    rests: z.array(stretch),
    /** No usable rate is stored of these times. */
    gaps: z.array(stretch),
  }),
  refusals: ['rate_limited'],
})

const known = { rate: decimal, source: z.string(), time: moment }

/** One balance and what it is worth in the base currency. */
export const holdingShape = z.object({
  currency,
  available: decimal,
  held: decimal,
  /** Of one unit in the base currency, at the mid-market rate; null for the base currency, and while none can be used. */
  price: z.nullable(z.object(known)),
  /** The last one where none can be used. */
  last_price: z.nullable(z.object(known)),
  /** Of what is available and held together, in the base currency, rounded down; null where no rate can be used. */
  value: z.nullable(decimal),
  /** Of everything that has a value, in percent; the shares add up to 100. Null where there is no value. */
  share_percent: z.nullable(decimal),
})
export type Holding = z.output<typeof holdingShape>

export const walletHoldings = endpoint({
  method: 'GET',
  path: '/wallet/:id/holdings',
  summary:
    'What each balance of the caller’s wallet is worth in its base currency at the rates of now, and all together.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    currency: baseCurrency,
    /** The sum of all values. */
    total: decimal,
    /** False where a balance has no value, because its rate is missing or too old. */
    is_complete: z.boolean(),
    holdings: z.array(holdingShape),
  }),
  refusals: ['not_found'],
})
