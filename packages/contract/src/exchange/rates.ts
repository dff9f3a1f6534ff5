import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { baseCurrency, currency, decimal, moment, uuid } from '../protocol/wire.ts'

/**
 * Last known rate of a pair and its maximum age, sent with the refusal `rates_unavailable` for the reason
 * `rate_too_old`. With `skips_closing_days`, weekends and closing days do not count towards the age.
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

/** Point of a rate chart; its rate holds until the next point. */
export const rateStep = z.object({ time: moment, rate: decimal })

const periodShape = z.object({ from: moment, to: moment })

export const currencyHistory = endpoint({
  method: 'GET',
  path: '/currency/history/:from/:to',
  summary: 'The mid-market rate over a period, oldest first; each rate holds until the next.',
  access: 'public',
  params: z.object({ from: currency, to: currency }),
  query: z.object({ range: z.enum(['24h', '7d', '30d', '1y']) }),
  reply: z.object({
    from: moment,
    to: moment,
    steps: z.array(rateStep),
    /** Same values as `rate_source` of a quote; empty if the pair has no known rate. */
    source: z.string(),
    /** Weekends and closing days without a fixing; the last rate still applies. */
    rests: z.array(periodShape),
    /** Periods without a usable stored rate. */
    gaps: z.array(periodShape),
  }),
  refusals: ['rate_limited'],
})

const rateFields = { rate: decimal, source: z.string(), time: moment }

/** Balance and its value in the base currency. */
export const holdingShape = z.object({
  currency,
  available: decimal,
  held: decimal,
  /** Mid-market price of one unit in the base currency; null for the base currency, or without a usable rate. */
  price: z.nullable(z.object(rateFields)),
  /** Last known price if none is usable. */
  last_price: z.nullable(z.object(rateFields)),
  /** Value of the available and held amounts in the base currency, rounded down; null without a usable rate. */
  value: z.nullable(decimal),
  /** Share of the total value, in percent; all shares sum to 100. Null without a value, and if the total is zero. */
  share_percent: z.nullable(decimal),
})
export type Holding = z.output<typeof holdingShape>

export const walletHoldings = endpoint({
  method: 'GET',
  path: '/wallet/:id/holdings',
  summary: 'Value of each balance of the caller’s wallet in its base currency at current rates, and the total.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    currency: baseCurrency,
    total: decimal,
    /** False if the rate for a balance is missing or too old. */
    is_complete: z.boolean(),
    holdings: z.array(holdingShape),
  }),
  refusals: ['not_found'],
})
