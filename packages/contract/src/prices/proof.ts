import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { currency, decimal, moment } from '../protocol/wire.ts'

const integerText = z.string().check(z.regex(/^\d+$/))
/** Exact fraction of two integers in decimal digits. */
const fraction = z.object({ numerator: integerText, denominator: integerText })
export type WireFraction = z.output<typeof fraction>

/** Published rate of one pair: units of `quote` per unit of `base`. */
const fixShape = z.object({
  source: z.string(),
  base: currency,
  quote: currency,
  rate: fraction,
  as_of: moment,
  received_at: moment,
  /** False if the rate was held back or rejected, so prices must not use it. */
  is_accepted: z.boolean(),
})
export type ProofFix = z.output<typeof fixShape>

/** Fixes that lead from a currency to the US dollar, in order. */
const valueShape = z.object({ currency, fixes: z.array(fixShape) })
export type ProofValue = z.output<typeof valueShape>

/** Signed terms of the quote, as stored. */
const termsShape = z.object({
  route: z.enum(['same_currency', 'stablecoin_bridge', 'direct_conversion']),
  side: z.enum(['source', 'target']),
  is_authentic: z.boolean(),
  made_at: moment,
  expires_at: moment,
  accepted_at: moment,
  /** True for external money, which keeps the price of a quote accepted in time, however late the money arrives. */
  may_be_late: z.boolean(),
  source_amount: decimal,
  target_amount: decimal,
  /** Amounts of the stablecoin bought and sold; null without a stablecoin. */
  inflow: z.nullable(decimal),
  outflow: z.nullable(decimal),
  mid_market_rate: fraction,
  rate: fraction,
  rate_as_of: moment,
  spread_parts_per_million: integerText,
  fee_basis_points: integerText,
  fee: decimal,
  /** In minor units: fee charged if the listed fee rounds to zero, after the day's free payments. */
  smallest_fee: integerText,
  cost_parts_per_million: integerText,
})

/** Inputs to recompute a price, and all records of the price. Contains no names and no ids. */
export const priceFacts = z.object({
  reference: z.string(),
  kind: z.enum(['SEND', 'EXCHANGE', 'DEPOSIT']),
  status: z.enum(['COMPLETED', 'PENDING', 'FAILED']),
  made_at: moment,
  source_currency: currency,
  target_currency: currency,
  /** Null for a transaction without a quote. */
  terms: z.nullable(termsShape),
  /** Null if the terms name no fixes, or if one of them is not stored. */
  values: z.nullable(z.array(valueShape)),
  /**
   * Euro reference rates of the European Central Bank, the latest at the time of the price; null if none were stored.
   */
  reference_rate: z.nullable(z.object({ as_of: moment, values: z.nullable(z.array(valueShape)) })),
  /** Values in the transaction's row. */
  receipt: z.object({
    source_amount: decimal,
    target_amount: decimal,
    stablecoin_amount: z.nullable(decimal),
    rate: z.nullable(fraction),
    fee: decimal,
  }),
  /** Values in the transaction's ledger entries; null if there are none. */
  ledger: z.nullable(
    z.object({ source_amount: decimal, target_amount: decimal, fee: decimal, residue: z.nullable(decimal) }),
  ),
})
export type PriceFacts = z.output<typeof priceFacts>

export const proofSteps = [
  'quote',
  'source_rate',
  'cross_rate',
  'spread',
  'amount',
  'rounding',
  'fee',
  'total_cost',
] as const
export type ProofStep = (typeof proofSteps)[number]

/** `unchecked`: the price could not be recomputed, because an input is missing. */
export const verdictShape = z.object({
  verdict: z.enum(['match', 'mismatch', 'unchecked']),
  /**
   * Only for a mismatch: first step that differs, record that contains the difference, and both values if there are
   * any.
   */
  step: z.nullable(z.enum(proofSteps)),
  stated_by: z.nullable(z.enum(['quote', 'receipt', 'ledger'])),
  stated: z.nullable(z.string()),
  recomputed: z.nullable(z.string()),
  /** Only for `unchecked`. */
  reason: z.nullable(z.enum(['not_completed', 'terms_missing', 'fix_missing'])),
})
export type Verdict = z.output<typeof verdictShape>

export const priceProof = endpoint({
  method: 'GET',
  path: '/prices/proof/:reference',
  summary:
    "The facts behind a payment's price, and whether quote, receipt and ledger agree with it. By the code of the receipt's proof link without a login; by its reference (TRN-…) only for the logged-in payer.",
  access: 'public',
  params: z.object({ reference: z.string().check(z.maxLength(100)) }),
  reply: z.object({ facts: priceFacts, verdict: verdictShape }),
  refusals: ['not_found', 'rate_limited'],
})
