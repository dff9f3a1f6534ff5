import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { restrictedPart } from './wallets.ts'
import {
  amountInput,
  currency,
  decimal,
  moment,
  noContent,
  userNumber,
  userNumberText,
  uuid,
  requiredText,
} from './protocol/wire.ts'

export const bankAccountShape = z.object({
  id: uuid,
  bank_name: z.string(),
  last4: z.string(),
  currency,
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  is_default: z.boolean(),
  linked_at: moment,
})
export type BankAccount = z.output<typeof bankAccountShape>

const userParams = z.object({ userId: userNumberText })
const bankAccountParams = z.object({ userId: userNumberText, id: uuid })

export const bankAccounts = endpoint({
  method: 'GET',
  path: '/payment/bank-accounts/:userId',
  summary: "The caller's linked bank accounts, the default one first.",
  access: 'session',
  params: userParams,
  reply: z.array(bankAccountShape),
  refusals: ['not_found'],
})

export const removeBankAccount = endpoint({
  method: 'DELETE',
  path: '/payment/bank-accounts/:userId/:id',
  summary: 'Unlink a bank account. Payments in progress to or from it still complete.',
  access: 'session',
  params: bankAccountParams,
  ...noContent,
  refusals: ['not_found'],
})

export const chooseBankAccount = endpoint({
  method: 'PUT',
  path: '/payment/bank-accounts/:userId/:id/default',
  summary: 'Make a bank account the default one.',
  access: 'session',
  params: bankAccountParams,
  reply: bankAccountShape,
  refusals: ['not_found'],
})

/** Pages from which a bank account can be linked; the provider redirects back to that page with `linkStatus`. */
export const linkReturns = ['deposit', 'withdraw', 'settings', 'send'] as const

export const linkBankAccount = endpoint({
  method: 'POST',
  path: '/payment/link-bank-account',
  summary:
    'Begin to link a bank account: redirect the browser to the provider, where the user chooses an account and consents.',
  access: 'session',
  body: z.object({
    /** Must be the caller; otherwise `not_your_account`. */
    userId: z.optional(userNumber),
    returnTo: z.optional(z.enum(linkReturns)),
    /**
     * Withdrawal to the account being linked. The step-up confirmation of the link then also covers exactly this
     * withdrawal, once, in this session, within 15 minutes.
     */
    withdrawal: z.optional(z.object({ amount: amountInput, currency })),
  }),
  stepUp: 'accepted',
  reply: z.object({ redirectUrl: z.string(), link_id: uuid }),
  refusals: [
    'not_your_account',
    'verification_required',
    'currency_not_supported',
    'insufficient_funds',
    'money_not_mature',
    'provider_unavailable',
    'rate_limited',
  ],
})

export const bankLinkStatus = endpoint({
  method: 'GET',
  path: '/payment/link-bank-account/:id',
  summary: 'Status of linking a bank account; the provider is polled while it is pending.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: z.enum(['pending', 'linked', 'canceled', 'failed']),
    reason: z.nullable(z.enum(['holder_differs', 'linked_already'])),
    bank_account: z.nullable(bankAccountShape),
  }),
  refusals: ['not_found'],
})

export const finishBankLink = endpoint({
  method: 'POST',
  path: '/payment/link-bank-account/:id/return',
  summary:
    'Complete the return from the bank: the secret of the return address proves that the session that began the link has consented. Until then the account is not linked.',
  access: 'session',
  params: z.object({ id: uuid }),
  body: z.object({ secret: requiredText(100, 'token_missing') }),
  reply: z.object({ success: z.literal(true) }),
  refusals: ['not_found', 'link_of_other_browser', 'rate_limited'],
})

export const savedCardShape = z.object({
  id: uuid,
  /** Card network, such as 'Visa'. */
  brand: z.string(),
  last4: z.string(),
  exp_month: z.int(),
  exp_year: z.int(),
  is_default: z.boolean(),
  saved_at: moment,
})
export type SavedCard = z.output<typeof savedCardShape>

export const paymentMethods = endpoint({
  method: 'GET',
  path: '/payment/methods',
  summary: "The caller's saved cards and linked bank accounts, default ones first.",
  access: 'session',
  reply: z.object({
    cards: z.array(savedCardShape),
    bank_accounts: z.array(bankAccountShape),
    // True if a new card that pays in the wallet's currency can be saved.
    saves_cards: z.boolean(),
  }),
})

export const removeCard = endpoint({
  method: 'DELETE',
  path: '/payment/methods/:id',
  summary: 'Remove a saved card, here and at the provider.',
  access: 'session',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found'],
})

export const chooseCard = endpoint({
  method: 'PUT',
  path: '/payment/methods/:id/default',
  summary: 'Make a saved card the default one.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: savedCardShape,
  refusals: ['not_found'],
})

export const payeeResults = ['match', 'close_match', 'no_match', 'not_possible'] as const

/** Answer of the bank to the question whether an account is in its holder's name. */
export const payeeCheckShape = z.object({
  /** Names this outcome in a withdrawal; null while the bank has not answered. */
  id: z.nullable(uuid),
  /** `unknown`: the bank has not answered. `not_possible`: names cannot be compared for this account. */
  result: z.enum([...payeeResults, 'unknown']),
  /** Holder's name as the bank knows it; only for a close match, and if the bank discloses it. */
  known_name: z.nullable(z.string()),
})
export type PayeeCheck = z.output<typeof payeeCheckShape>

export const checkPayee = endpoint({
  method: 'POST',
  path: '/payment/bank-accounts/:userId/:id/payee',
  summary:
    "Ask the bank whether the account is in the caller's name (Confirmation of Payee, Verification of Payee). A mismatch must be confirmed before a withdrawal.",
  access: 'session',
  params: bankAccountParams,
  reply: payeeCheckShape,
  refusals: ['not_found', 'bank_account_needed', 'rate_limited'],
})

const day = z.iso.date()

export const depositTerms = endpoint({
  method: 'GET',
  path: '/payment/deposit/terms',
  summary:
    'When money that is added now can be withdrawn to a bank account, and at what cost. Other users can be paid with it at once.',
  access: 'session',
  query: z.object({
    method: z.enum(['card', 'bank']),
    /** Bank account to be debited; without it, the terms for an unknown account apply. */
    bankAccountId: z.optional(uuid),
  }),
  reply: z.object({
    /** Hours after arrival before the money can be withdrawn to a bank. */
    to_bank_after_hours: z.int(),
    /** Charge for withdrawing it within `cost_days`, in basis points; 0 for money from a bank. */
    cost_basis_points: z.int(),
    cost_days: z.int(),
  }),
  refusals: ['bank_account_needed'],
})

export const withdrawalEstimate = endpoint({
  method: 'GET',
  path: '/payment/withdraw/estimate',
  summary: 'When a withdrawal that is ordered now reaches a bank account: 1 to 3 business days of its country.',
  access: 'session',
  query: z.object({ bankAccountId: uuid }),
  reply: z.object({
    earliest_on: day,
    expected_on: day,
    /** Largest amount that can be withdrawn now, excluding its charge. */
    withdrawable: decimal,
    /** Parts of the balance that cannot be withdrawn yet, earliest maturity first. */
    restricted: z.array(restrictedPart),
    /** Amount that can be withdrawn free of charge; anything above it is recent card money. */
    without_cost: decimal,
    /** Charge on the part above `without_cost`, in basis points; rounded half up to the minor unit. */
    cost_basis_points: z.int(),
    /** Days for which the charge applies to money from a card. */
    cost_days: z.int(),
    /** Time at which the rest can be withdrawn; null if there is no rest, or if part of it is under dispute. */
    rest_from: z.nullable(moment),
  }),
  refusals: ['bank_account_needed', 'not_found'],
})

export const payoutState = z.enum(['pending', 'completed', 'failed', 'returned'])

export const withdrawalRequest = z.object({
  amount: amountInput,
  currency,
  bankAccountId: uuid,
  /** Must be the caller; otherwise `not_your_account`. */
  userId: z.optional(userNumber),
  /** Amount plus charge, as displayed to the account holder. */
  expected_total: z.optional(decimal),
  /**
   * Id of the payee check that the account holder was shown and accepts. Required for `close_match` and `no_match`; the
   * latter also needs a step-up confirmation.
   */
  payee_check: z.optional(uuid),
})

export const withdraw = endpoint({
  method: 'POST',
  path: '/payment/withdraw',
  summary:
    'Withdraw to a linked bank account. The wallet is debited at once; the money arrives in 1 to 3 business days.',
  access: 'session',
  body: withdrawalRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object({
    success: z.literal(true),
    payout_id: uuid,
    transaction_id: uuid,
    status: payoutState,
    expected_on: day,
    /** Charged on top of the amount. */
    fee: decimal,
    redirectUrl: z.nullable(z.string()),
  }),
  refusals: [
    'not_your_account',
    'verification_required',
    'bank_account_needed',
    'currency_not_supported',
    'insufficient_funds',
    'price_changed',
    'payee_not_confirmed',
    'provider_unavailable',
    'limit_exceeded',
    'rates_unavailable',
    'rate_limited',
  ],
})

export const payoutStatus = endpoint({
  method: 'GET',
  path: '/payment/withdraw/:id',
  summary: "Status of one of the caller's withdrawals, with its expected arrival.",
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: payoutState,
    expected_on: day,
    bank_account: bankAccountShape,
    /** Reason for the failure or return, as a sentence; null if neither happened. */
    reason: z.nullable(z.string()),
    transaction_id: uuid,
  }),
  refusals: ['not_found'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  BankAccount: bankAccountShape,
  PayeeCheck: payeeCheckShape,
  PayoutState: payoutState,
  SavedCard: savedCardShape,
}
