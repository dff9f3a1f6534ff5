import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import { countryCode, currency, decimal, moment, text, userNumber, userNumberText, uuid } from './protocol/wire.ts'

export const transactionType = z.enum(['DEPOSIT', 'WITHDRAW', 'SEND', 'RECEIVE', 'EXCHANGE'])
export const transactionStatus = z.enum(['COMPLETED', 'PENDING', 'FAILED'])

export const releaseReason = z.enum(['cancelled', 'rejected', 'expired', 'returned'])

export const holdReason = z.enum(['undo', 'scheduled', 'review', 'compliance', 'street_mode'])

const counterparty = z.object({
  id: userNumber,
  username: z.string(),
  name: z.nullable(z.string()),
  /** Country of verified residence; null before verification. */
  country: z.nullable(countryCode),
})

/** Transaction in a user's list. `amount` and `currency` repeat the user's side of it. */
export const transactionShape = z.object({
  id: uuid,
  transaction_id: uuid,
  timestamp: moment,
  date: moment,
  status: transactionStatus,
  /** Reason for returning held money to the sender; null if none was returned. */
  release_reason: z.nullable(releaseReason),
  /** Reason for the hold; null if there is no hold, and for anyone but the sender. */
  hold_reason: z.nullable(holdReason),
  transaction_type: transactionType,
  description: z.string(),
  sender_id: z.nullable(userNumber),
  recipient_id: z.nullable(userNumber),
  counterparty: z.nullable(counterparty),
  amount: decimal,
  currency,
  source_amount: decimal,
  source_currency: currency,
  target_amount: decimal,
  target_currency: currency,
  stablecoin_amount: z.nullable(decimal),
  /** Whole target units per source unit; null within one currency. */
  rate: z.nullable(decimal),
  fee: decimal,
  fee_currency: currency,
  payment_source: z.nullable(z.enum(['wallet', 'card', 'bank', 'wallet_partial'])),
  /** Payment or withdrawal of the transaction; a bank return has the id of the returned one. */
  payment_id: z.nullable(uuid),
  /** `payment_id` with its kind; its status is at `/payment/:id/status` or `/payment/withdraw/:id`. */
  outside: z.nullable(z.object({ kind: z.enum(['payment', 'payout']), id: uuid })),
  source_wallet_id: z.nullable(uuid),
  from_wallet_id: z.nullable(uuid),
  to_wallet_id: z.nullable(uuid),
  recipient_wallet_id: z.nullable(uuid),
  recipient_address: z.nullable(z.string()),
})
export type Transaction = z.output<typeof transactionShape>

const integerText = (max: number) =>
  z.pipe(
    z.string().check(
      z.regex(/^\d{1,6}$/, withCode('not_a_whole_number')),
      // not money: a count of rows
      z.refine((digits) => Number(digits) <= max, withCode('too_large', { max })),
    ),
    z.transform((digits) => Number(digits)), // not money: a count of rows
  )

export const transactionQuery = z.object({
  limit: z.optional(/* @__PURE__ */ integerText(100)),
  offset: z.optional(/* @__PURE__ */ integerText(100_000)),
  search: z.optional(text(100)),
  /** Locale of dates and amounts in `search`, such as `de-CH`; unknown locales have no effect. */
  locale: z.optional(text(60)),
  /** IANA time zone of dates in `search`, such as `Asia/Tokyo`; UTC if absent or unknown. */
  time_zone: z.optional(text(60)),
  type: z.optional(z.enum(['DEPOSIT', 'WITHDRAW', 'WITHDRAWAL', 'SEND', 'RECEIVE', 'EXCHANGE'])),
  status: z.optional(transactionStatus),
  days: z.optional(z.enum(['7', '30', '90'])),
  /** Only rows that affect this currency's balance. */
  currency: z.optional(currency),
  /** `amount` sorts by kind of currency first: fiat, stablecoins, cryptocurrencies. */
  sort: z.optional(z.enum(['date', 'type', 'description', 'amount', 'status'])),
  order: z.optional(z.enum(['asc', 'desc'])),
  /** `next_cursor` or `previous_cursor` of a page with the same `sort` and `order`. */
  cursor: z.optional(z.string().check(z.maxLength(200), z.regex(/^[\w-]+$/, withCode('not_a_cursor')))),
  /** Time at which the page starts, only when sorted by date; rows before it in the order are on previous pages. */
  at: z.optional(
    z.pipe(
      moment,
      z.transform((text) => new Date(text)),
    ),
  ),
})

export const transactionList = z.object({
  transactions: z.array(transactionShape),
  /** Number of matches, but at most 10,000. */
  total: z.int(),
  /** False if there are more matches than `total`. */
  total_is_exact: z.boolean(),
  /** Null on the last page. */
  next_cursor: z.nullable(z.string()),
  /** Null on the first page. */
  previous_cursor: z.nullable(z.string()),
})

export const transactionsOfUser = endpoint({
  method: 'GET',
  path: '/transaction/user/:userId',
  summary:
    "The caller's own transactions, newest first unless sorted otherwise. Further pages by cursors, which stay valid while rows are added.",
  access: 'session',
  params: z.object({ userId: userNumberText }),
  query: transactionQuery,
  reply: transactionList,
  refusals: ['not_found'],
})

export const ownTransactions = endpoint({
  method: 'GET',
  path: '/transaction',
  summary: "The caller's own transactions, as `/transaction/user/:userId` lists them.",
  access: 'session',
  query: transactionQuery,
  reply: transactionList,
})

export const priceEvidence = z.object({
  mid_market_rate: decimal,
  /** Publisher of the mid-market rate; empty within one currency. */
  rate_source: z.string(),
  rate_as_of: moment,
  spread_percent: decimal,
  /** Rate of the pair from the euro reference rates of the European Central Bank; null if they do not cover it. */
  reference_rate: z.nullable(decimal),
  reference_as_of: z.nullable(moment),
  spread_to_reference_percent: z.nullable(decimal),
  total_cost_percent: decimal,
  /** Secret address of the page that recomputes the price. */
  proof_url: z.string(),
})
export type PriceEvidence = z.output<typeof priceEvidence>

/** Operator of the service, from the installation's settings; each field is null if not set. */
export const issuer = z.object({
  name: z.nullable(z.string()),
  /** Number in the commercial register. */
  registration: z.nullable(z.string()),
  /** License number and regulator. */
  license: z.nullable(z.string()),
  /** Email or web address of the support, as displayed. */
  contact: z.nullable(z.string()),
})
export type Issuer = z.output<typeof issuer>

/** Transaction with the further contents of its receipt. */
export const receiptShape = z.object({
  issuer,
  /** Time at which the contents became final; for an open transaction, the current time. */
  issued_at: moment,
  /** Amount that the payer's wallet paid, in the source currency; null unless wallet and card paid together. */
  wallet_part: z.nullable(decimal),
  /** Saved card or linked bank account that paid; null for a card entered at the checkout, and for the payee. */
  instrument: z.nullable(z.object({ name: z.string(), last4: z.string() })),
  transaction: transactionShape,
  /** Null without a quote, and for anyone but the payer. */
  price: z.nullable(priceEvidence),
  /** Null before delivery, and if unknown. */
  delivered_at: z.nullable(moment),
  /** Account holder to whom the receipt belongs. */
  owner: z.object({ username: z.string(), name: z.nullable(z.string()), country: z.nullable(countryCode) }),
})
export type Receipt = z.output<typeof receiptShape>

export const transactionReceipt = endpoint({
  method: 'GET',
  path: '/transaction/:id/receipt',
  summary: "The receipt of one of the caller's own transactions.",
  access: 'session',
  params: z.object({ id: uuid }),
  reply: receiptShape,
  refusals: ['not_found'],
})

export const transactionReceiptFile = endpoint({
  method: 'GET',
  path: '/transaction/:id/receipt.pdf',
  summary: "The receipt of one of the caller's own transactions as a tagged PDF.",
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.custom<Uint8Array>(),
  file: 'application/pdf',
  refusals: ['not_found', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  HoldReason: holdReason,
  ReleaseReason: releaseReason,
  Transaction: transactionShape,
  TransactionList: transactionList,
  TransactionStatus: transactionStatus,
  TransactionType: transactionType,
}
