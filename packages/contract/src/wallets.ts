import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import { transactionList, transactionQuery } from './transactions.ts'
import {
  baseCurrency,
  currency,
  decimal,
  moment,
  requiredText,
  userNumber,
  userNumberText,
  uuid,
} from './protocol/wire.ts'

/** Part of a balance that cannot be withdrawn to a bank yet. */
export const restrictedPart = z.object({
  amount: decimal,
  reason: z.enum(['card', 'bank_debit', 'provisional_credit']),
  /** Time from which it can be withdrawn; null while a dispute about it is open. */
  from: z.nullable(moment),
  /** True if part of it was received from another person. */
  is_received: z.boolean(),
})
export type RestrictedPart = z.output<typeof restrictedPart>

export const walletShape = z.object({
  id: uuid,
  name: z.string(),
  user_id: userNumber,
  base_currency: baseCurrency,
  currency: baseCurrency,
  /** Spendable amount in the base currency. */
  fiat_balance: decimal,
  /** Spendable amount in USDT. */
  stablecoin_balance: decimal,
  /** Incoming amount in the base currency that has not settled yet. */
  pending: decimal,
  /** All balances, each with the amount on hold. */
  assets: z.array(z.object({ currency, available: decimal, held: decimal })),
  /** Parts of the spendable balances that cannot be withdrawn yet, earliest maturity first. */
  restricted: z.array(
    z.extend(restrictedPart, {
      currency,
      /** Time at which the money was first paid in, or its dispute opened; earlier transactions are not part of it. */
      since: moment,
    }),
  ),
})
export type Wallet = z.output<typeof walletShape>

export const ownWallets = endpoint({
  method: 'GET',
  path: '/wallet',
  summary: "The caller's wallets; every user has one.",
  access: 'session',
  reply: z.array(walletShape),
})

export const walletOfUser = endpoint({
  method: 'GET',
  path: '/wallet/user/:userId',
  summary: "The caller's own wallet.",
  access: 'session',
  params: z.object({ userId: userNumberText }),
  reply: walletShape,
  refusals: ['not_found'],
})

/** Another user's wallet, as visible to verified users: the owner's name or initials, and the base currency. */
export const foreignWalletShape = z.object({
  name: z.string(),
  base_currency: baseCurrency,
})

export const walletByUser = endpoint({
  method: 'GET',
  path: '/wallet/:userId',
  summary:
    "A wallet: the caller's own in full, another user's with base currency and owner's name only, initials until a payment between the two has arrived.",
  access: 'session',
  params: z.object({ userId: userNumberText }),
  reply: z.union([walletShape, foreignWalletShape]),
  refusals: ['not_found', 'verification_required', 'rate_limited'],
})

export const balanceHistory = endpoint({
  method: 'GET',
  path: '/wallet/:id/history',
  summary: 'History of the base-currency balance: one point for each change, oldest first, from the ledger.',
  access: 'session',
  params: z.object({ id: uuid }),
  query: z.object({ days: z.optional(z.enum(['30', '90', '365'])) }),
  reply: z.object({
    currency: baseCurrency,
    from: moment,
    to: moment,
    opening_balance: decimal,
    closing_balance: decimal,
    money_in: decimal,
    money_out: decimal,
    points: z.array(z.object({ at: moment, balance: decimal })),
  }),
  refusals: ['not_found'],
})

const costs = { amount: decimal, bank_cost: decimal, kept: decimal }

export const walletTotals = endpoint({
  method: 'GET',
  path: '/wallet/:id/totals',
  summary:
    'Totals in and out of the base-currency balance since a time, by the ledger and without money returned on the day (UTC) it left, and the cost of transfers. `since` defaults to the first of this month in UTC; at most 366 days back.',
  access: 'session',
  params: z.object({ id: uuid }),
  query: z.object({
    since: z.optional(
      z.pipe(
        moment,
        z.transform((text) => new Date(text)),
      ),
    ),
  }),
  reply: z.object({
    currency: baseCurrency,
    from: moment,
    to: moment,
    money_in: decimal,
    money_out: decimal,
    /** Fees of completed sends, exchanges and withdrawals that this balance alone paid. */
    fees: decimal,
    /**
     * Completed sends to other fiat currencies that this balance alone paid; `kept`: the bank's cost less all `fees`.
     */
    abroad: z.object(costs),
    /** Cost of sending a typical amount abroad. */
    example: z.object({ ...costs, fee: decimal, total: decimal }),
  }),
  refusals: ['not_found'],
})

/** Wallet field that only the server can change. */
const unchangeable = z.optional(z.never(withCode('cannot_be_changed')))

/** Change of a wallet by its owner, who can change only its name. Any other field of `Wallet` is refused by name. */
export const walletChange = z.object({
  name: requiredText(60, 'name_required'),
  id: unchangeable,
  user_id: unchangeable,
  base_currency: unchangeable,
  currency: unchangeable,
  fiat_balance: unchangeable,
  stablecoin_balance: unchangeable,
  pending: unchangeable,
  assets: unchangeable,
  restricted: unchangeable,
})

export const updateWallet = endpoint({
  method: 'PUT',
  path: '/wallet/update/:id',
  summary: "Rename the caller's own wallet. Balances and currency change by movements and verification only.",
  access: 'session',
  params: z.object({ id: uuid }),
  body: walletChange,
  reply: walletShape,
  refusals: ['not_found'],
})

export const transactionsOfWallet = endpoint({
  method: 'GET',
  path: '/wallet/:id/transactions',
  summary: "The transactions of the caller's own wallet, as `/transaction/user/:userId` lists them.",
  access: 'session',
  params: z.object({ id: uuid }),
  query: transactionQuery,
  reply: transactionList,
  refusals: ['not_found'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  ForeignWallet: foreignWalletShape,
  Wallet: walletShape,
}
