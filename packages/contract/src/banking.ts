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

/** Bank accounts, saved cards and payouts to banks. */

export const bankAccountShape = z.object({
  id: uuid,
  bank_name: z.string(),
  /** Last four digits of the account number. */
  last4: z.string(),
  currency,
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  is_default: z.boolean(),
  linked_at: moment,
})
export type BankAccount = z.output<typeof bankAccountShape>

const byUser = z.object({ userId: userNumberText })
const byUserAndId = z.object({ userId: userNumberText, id: uuid })

export const bankAccounts = endpoint({
  method: 'GET',
  path: '/payment/bank-accounts/:userId',
  summary: "The caller's linked bank accounts, the default one first.",
  access: 'session',
  params: byUser,
  reply: z.array(bankAccountShape),
  refusals: ['not_found'],
})

export const removeBankAccount = endpoint({
  method: 'DELETE',
  path: '/payment/bank-accounts/:userId/:id',
  summary: 'Unlink a bank account. What is under way to or from it still comes to its end.',
  access: 'session',
  params: byUserAndId,
  ...noContent,
  refusals: ['not_found'],
})

export const chooseBankAccount = endpoint({
  method: 'PUT',
  path: '/payment/bank-accounts/:userId/:id/default',
  summary: 'Make a bank account the default one.',
  access: 'session',
  params: byUserAndId,
  reply: bankAccountShape,
  refusals: ['not_found'],
})

/** Pages that link bank accounts, returned to with `linkStatus`. */
export const linkReturns = ['deposit', 'withdraw', 'settings', 'send'] as const

export const linkBankAccount = endpoint({
  method: 'POST',
  path: '/payment/link-bank-account',
  summary: 'Begin to link a bank account: the browser goes to the provider, where the person chooses and consents.',
  access: 'session',
  body: z.object({
    /** Must be the caller. */
    userId: z.optional(userNumber),
    returnTo: z.optional(z.enum(linkReturns)),
    /**
     * A withdrawal to the account that is linked. The confirmation then covers exactly it as well: once, by this session, within 15
     * minutes.
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
  summary: 'What became of linking a bank account; the provider is asked while it is pending.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: z.enum(['pending', 'linked', 'canceled', 'failed']),
    /** Why it failed, where that is known. */
    reason: z.nullable(z.enum(['holder_differs'])),
    bank_account: z.nullable(bankAccountShape),
  }),
  refusals: ['not_found'],
})

export const finishBankLink = endpoint({
  method: 'POST',
  path: '/payment/link-bank-account/:id/return',
  summary:
    'Back from the bank: the secret of the return address shows that the session that began is the one that consented. Until then nothing is linked.',
  access: 'session',
  params: z.object({ id: uuid }),
  body: z.object({ secret: requiredText(100, 'token_missing') }),
  reply: z.object({ success: z.literal(true) }),
  refusals: ['not_found', 'link_of_other_browser', 'rate_limited'],
})

export const savedCardShape = z.object({
  id: uuid,
  /** Such as 'Visa'. */
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
  reply: z.object({ cards: z.array(savedCardShape), bank_accounts: z.array(bankAccountShape) }),
})

export const removeCard = endpoint({
  method: 'DELETE',
  path: '/payment/methods/:id',
  summary: 'Forget a saved card, here and at the provider.',
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

const day = z.iso.date()

export const depositTerms = endpoint({
  method: 'GET',
  path: '/payment/deposit/terms',
  summary:
    'When money that is added now can go to a bank account, and what that costs. Other people can be paid with it at once.',
  access: 'session',
  query: z.object({
    method: z.enum(['card', 'bank']),
    /** The bank account that pays; an unknown one if missing. */
    bankAccountId: z.optional(uuid),
  }),
  reply: z.object({
    /** Hours after its arrival during which it cannot go to a bank. */
    to_bank_after_hours: z.int(),
    /** Cost of withdrawing it within `cost_days`, in hundredths of a percent; 0 for money from a bank. */
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
    /** The most that can go to a bank now, beside its cost. */
    withdrawable: decimal,
    /** Parts of the balance that cannot go to a bank yet, earliest maturity first. */
    restricted: z.array(restrictedPart),
    /** What of it costs nothing: beyond it, a withdrawal is of money that cards paid in lately. */
    without_cost: decimal,
    /** What that part costs on top, in hundredths of a percent, rounded half up to the minor unit. */
    cost_basis_points: z.int(),
    /** For how many days money from a card costs that. */
    cost_days: z.int(),
    /** When the rest can go to a bank; null without a rest, or while a dispute about some of it is open. */
    rest_from: z.nullable(moment),
  }),
  refusals: ['bank_account_needed', 'not_found'],
})

export const payoutState = z.enum(['pending', 'completed', 'failed', 'returned'])

export const withdrawalRequest = z.object({
  amount: amountInput,
  currency,
  bankAccountId: uuid,
  /** Must be the caller. */
  userId: z.optional(userNumber),
  /** The amount with its cost, as the person was shown it. */
  expected_total: z.optional(decimal),
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
    /** What it cost, on top of the amount. */
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
    'limit_exceeded',
    'rates_unavailable',
    'rate_limited',
  ],
})

export const payoutStatus = endpoint({
  method: 'GET',
  path: '/payment/withdraw/:id',
  summary: 'How a withdrawal of the caller stands, and when it is expected.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: z.object({
    status: payoutState,
    expected_on: day,
    bank_account: bankAccountShape,
    /** Why it failed or was returned, as a sentence, else null. */
    reason: z.nullable(z.string()),
    transaction_id: uuid,
  }),
  refusals: ['not_found'],
})
