import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import { transactionShape } from './transactions.ts'
import {
  baseCurrency,
  countryCode,
  currency,
  decimal,
  moment,
  noContent,
  text,
  userNumber,
  userNumberText,
  uuid,
} from './protocol/wire.ts'

/** Categories of spending and income, in the order in which they are offered. */
export const categories = [
  'family',
  'home',
  'services',
  'suppliers',
  'salary',
  'sales',
  'travel',
  'health',
  'education',
  'gifts',
  'shared',
  'other',
] as const
export const category = z.enum(categories)
export type Category = (typeof categories)[number]

/**
 * Direction of money in the figures. Only `spending` and `income` cross between people; all others are the owner's own
 * money: added, charged to a card or bank account for a send, withdrawn, and exchanged.
 */
export const flowKinds = ['spending', 'income', 'added', 'charged', 'withdrawn', 'exchanged'] as const
export const flowKind = z.enum(flowKinds)
export type FlowKind = z.output<typeof flowKind>

const periodText = z.string().check(z.regex(/^20\d\d(-(0[1-9]|1[0-2])|-Q[1-4])?$/, withCode('not_a_date')))

const periodQuery = {
  /** A month (`2026-11`), a quarter (`2026-Q4`) or a year (`2026`) of the caller's time zone. */
  period: periodText,
  /** IANA time zone, such as `Asia/Tokyo`; UTC if absent or unknown. */
  time_zone: z.optional(text(60)),
}

const periodShape = {
  period: periodText,
  from: moment,
  /** End of the period, which is not part of it. */
  to: moment,
  time_zone: z.string(),
  /** Month of the caller's first transaction; null without one. */
  first_month: z.nullable(z.string()),
}

/** Other party: a person, or people who paid a request without an account. */
const partyShape = z.object({
  /** Null for payers without an account. */
  id: z.nullable(userNumber),
  username: z.nullable(z.string()),
  name: z.nullable(z.string()),
  country: z.nullable(countryCode),
})

/** Spending and income, both without a sign unless more came back than left. Fees are part of spending. */
const amounts = { spending: decimal, income: decimal, transactions: z.int() }

const balanceShape = z.object({
  currency,
  ...amounts,
  /** Fees in `spending`. */
  fees: decimal,
  categories: z.array(z.object({ category, ...amounts })),
  /** The largest counterparties, at most fifty. */
  counterparties: z.array(
    z.object({
      party: partyShape,
      /** Category of all transactions with this person, unless a transaction has another; null if not set. */
      category: z.nullable(category),
      ...amounts,
    }),
  ),
  /** Sums of all further counterparties; null if there are none. */
  others: z.nullable(z.object({ people: z.int(), ...amounts })),
  /** The owner's own money, signed for its owner; only kinds with transactions. `fees` are part of `amount`. */
  own: z.array(z.object({ kind: flowKind, amount: decimal, fees: decimal, transactions: z.int() })),
})
export type InsightBalance = z.output<typeof balanceShape>

export const insightFlows = endpoint({
  method: 'GET',
  path: '/insight/flows',
  summary:
    "The caller's spending and income of a month, quarter or year per currency, by category and counterparty: completed transactions, less what came back. Own exchanges, deposits and withdrawals are shown apart.",
  access: 'session',
  query: z.object(periodQuery),
  reply: z.object({
    ...periodShape,
    base_currency: baseCurrency,
    /** The base currency first, also without transactions. */
    balances: z.array(balanceShape),
  }),
  refusals: ['not_found', 'rate_limited'],
})

/** Origin of a transaction's category. */
export const categoryOrigin = z.enum(['transaction', 'person', 'default'])

export const insightTransactions = endpoint({
  method: 'GET',
  path: '/insight/transactions',
  summary: 'The transactions of one figure of `/insight/flows`, newest first. Their amounts add up to it.',
  access: 'session',
  query: z.object({
    ...periodQuery,
    currency,
    flow: flowKind,
    category: z.optional(category),
    /** Only with this user. */
    person: z.optional(userNumberText),
    /** Only with payers without an account. */
    guests: z.optional(z.literal('true')),
    /** Id of the last transaction of the previous page. */
    after: z.optional(uuid),
  }),
  reply: z.object({
    /** Sum of all transactions of the figure, on all pages; null after the first page. */
    sum: z.nullable(decimal),
    transactions: z.array(
      z.object({
        transaction: transactionShape,
        /** Share of the figure; below zero if it reduces it. */
        amount: decimal,
        /** Null for the owner's own money. */
        category: z.nullable(category),
        category_origin: z.nullable(categoryOrigin),
      }),
    ),
    /** Value of `after` for the next page; null on the last one. */
    next: z.nullable(uuid),
  }),
  refusals: ['not_found', 'rate_limited'],
})

const categoryBody = z.object({
  /** Null removes the choice. */
  category: z.nullable(category),
})

export const chooseCounterpartyCategory = endpoint({
  method: 'PUT',
  path: '/insight/counterparties/:userId',
  summary:
    "Set the category of all transactions with a user, past and future, once a payment between the two has arrived. A transaction's own category outranks it. Idempotent.",
  access: 'session',
  params: z.object({ userId: userNumberText }),
  body: categoryBody,
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const chooseTransactionCategory = endpoint({
  method: 'PUT',
  path: '/insight/transactions/:id',
  summary: "Set the category of one of the caller's own transactions with another person. Idempotent.",
  access: 'session',
  params: z.object({ id: uuid }),
  body: categoryBody,
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

/** Cost in percent of the amount sent, with two decimals. */
const percent = decimal

const corridorShape = z.object({
  source_currency: currency,
  target_currency: currency,
  sends: z.int(),
  /** Without fees. */
  sent: decimal,
  fees: decimal,
  /** Fees in percent of the amount sent; null if nothing was sent. */
  cost_percent: z.nullable(percent),
  /** World Bank average of the corridor; null within one currency and for cryptocurrencies. */
  average: z.nullable(
    z.object({
      region: z.enum(['global', 'south_asia']),
      percent,
      /** Cost of sending the same amount at the average, rounded half up. */
      cost: decimal,
      /** `cost` less `fees`; below zero if the fees are higher. */
      kept: decimal,
    }),
  ),
})
export type CostCorridor = z.output<typeof corridorShape>

const feeShape = z.object({ currency, transactions: z.int(), fees: decimal })

/** Sends to other fiat currencies at the price of an average bank; `kept` is its price less all fees. */
const bankComparison = z.object({ fees: decimal, abroad: decimal, bank_cost: decimal, kept: decimal })

export const insightCosts = endpoint({
  method: 'GET',
  path: '/insight/costs',
  summary:
    "Fees of the caller's completed sends in a period per corridor, compared with World Bank averages, and fees of exchanges, withdrawals and deposits.",
  access: 'session',
  query: z.object(periodQuery),
  reply: z.object({
    ...periodShape,
    base_currency: baseCurrency,
    corridors: z.array(corridorShape),
    exchanges: z.array(feeShape),
    withdrawals: z.array(feeShape),
    /** Deposits that were converted. */
    deposits: z.array(feeShape),
    /** Fees returned with withdrawals that came back, and by disputes; not subtracted above. */
    returned: z.array(z.object({ currency, fees: decimal })),
    /** All sends, exchanges and withdrawals in the base currency. */
    total: bankComparison,
    /** The part of `total` that the balance alone paid, as in `/wallet/:id/totals`. */
    from_balance: bankComparison,
    world_bank: z.object({ issue: z.int(), quarter: z.string(), banks: percent }),
  }),
  refusals: ['not_found', 'rate_limited'],
})

const routeShape = z.object({
  /** Country of verified residence of the other people, at present. */
  country: countryCode,
  direction: z.enum(['sent', 'received']),
  flights: z.int(),
  people: z.int(),
  fees: z.array(z.object({ currency, fees: decimal })),
})
export type AtlasRoute = z.output<typeof routeShape>

export const insightAtlas = endpoint({
  method: 'GET',
  path: '/insight/atlas',
  summary: "A year of the caller's completed transfers as routes between countries, with their costs.",
  access: 'session',
  query: z.object(periodQuery),
  reply: z.object({
    ...periodShape,
    base_currency: baseCurrency,
    /** The caller's country of verified residence; null before verification. */
    home: z.nullable(countryCode),
    routes: z.array(routeShape),
    /** Transfers within the home country, and with people whose country is not known. */
    domestic: z.int(),
    elsewhere: z.int(),
    /** Transfers of all routes. */
    flights: z.int(),
    /** People at the other ends of the routes, and their countries. */
    people: z.int(),
    countries: z.int(),
    cost: bankComparison,
    world_bank: z.object({ issue: z.int(), quarter: z.string(), banks: percent }),
  }),
  refusals: ['not_found', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = { InsightCategory: category, InsightFlow: flowKind }
