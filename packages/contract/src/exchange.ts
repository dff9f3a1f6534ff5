import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { transactionShape } from './transactions.ts'
import { amountInput, currency, decimal, moment, userNumber, uuid } from './protocol/wire.ts'

/** Price guaranteed to the minor unit until `expires_at`. Rates are decimal strings per whole source unit. */
export const quoteShape = z.object({
  quote_id: uuid,
  expires_at: moment,
  source_currency: currency,
  target_currency: currency,
  source_amount: decimal,
  target_amount: decimal,
  /** Intermediate USDT amount; null if not routed through the stablecoin. */
  stablecoin_amount: z.nullable(decimal),
  conversion_path: z.enum(['none', 'stablecoin', 'direct']),
  rate: decimal,
  mid_market_rate: decimal,
  /**
   * Publisher of the mid-market rate: `ecb`, or `ecb+bitstamp` if the two currencies have different publishers. Empty
   * within one currency.
   */
  rate_source: z.string(),
  rate_as_of: moment,
  /** Distance of the rate from mid-market, in percent. */
  spread_percent: decimal,
  /**
   * Rate of the pair from the latest euro reference rates of the European Central Bank; null if they do not cover it.
   */
  reference_rate: z.nullable(decimal),
  reference_as_of: z.nullable(moment),
  /** How far the rate is below the reference rate, in percent; negative if above. */
  spread_to_reference_percent: z.nullable(decimal),
  fee: decimal,
  fee_currency: currency,
  fee_basis_points: z.int(),
  total: decimal,
  /** Fee, spread and rounding together, in percent of the amount. */
  total_cost_percent: decimal,
  delivery_estimate: z.enum(['seconds', 'minutes']),
  recipient_id: z.nullable(userNumber),
  /** Only with a recipient: value of `undo_seconds` for a send, from the caller's undo window. */
  undo_seconds: z.optional(z.int()),
})
export type Quote = z.output<typeof quoteShape>

export const quoteRequest = z.object({
  source_currency: currency,
  target_currency: currency,
  amount: amountInput,
  side: z.enum(['source', 'target']),
  use_stablecoin: z.optional(z.boolean()),
  recipient_id: z.optional(userNumber),
  /** Earlier quote of the caller; revoked by the new quote unless already accepted. */
  replaces: z.optional(uuid),
})

export const priceRefusals = [
  'quote_expired',
  'quote_used',
  'quote_mismatch',
  'amount_too_small',
  'rates_unavailable',
  'liquidity_unavailable',
  'limit_exceeded',
] as const

export const recipientRefusals = ['recipient_not_found', 'recipient_is_sender', 'currency_not_held'] as const

export const createQuote = endpoint({
  method: 'POST',
  path: '/quotes',
  summary: 'A price for sending or exchanging, honoured for five minutes. Only verified callers may name a recipient.',
  access: 'session',
  body: quoteRequest,
  status: 201,
  reply: quoteShape,
  refusals: [
    'verification_required',
    'recipient_not_found',
    'recipient_is_sender',
    'currency_not_held',
    'amount_too_small',
    'rates_unavailable',
    'liquidity_unavailable',
    'limit_exceeded',
    'rate_limited',
  ],
})

export const exchangeMoney = endpoint({
  method: 'POST',
  path: '/exchange',
  summary: "Exchange between two balances of the caller's own wallet at a quoted price.",
  access: 'session',
  body: z.object({ quote_id: uuid }),
  idempotencyKey: 'required',
  reply: z.object({ transaction_id: uuid, transaction: transactionShape }),
  refusals: [
    'verification_required',
    'insufficient_funds',
    'limit_exceeded',
    'quote_expired',
    'quote_used',
    'quote_mismatch',
    'currency_not_held',
    'not_found',
    'liquidity_unavailable',
    'rate_limited',
  ],
})

export const currencyRate = endpoint({
  method: 'GET',
  path: '/currency/rate/:from/:to',
  summary: 'The current rate: units of `to` per unit of `from`, its source, and when it was published.',
  access: 'public',
  params: z.object({ from: currency, to: currency }),
  reply: z.object({ rate: decimal, mid_market_rate: decimal, source: z.string(), time: moment }),
  refusals: ['rates_unavailable', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Quote: quoteShape,
}
