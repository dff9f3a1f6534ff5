import { createHash } from 'node:crypto'
import { fingerprint } from '../server/api.ts'
import { currencyByCountry } from '../server/currency.ts'

/** Duration of an order in business days, and its outcome. */
export interface OrderOutcome {
  days: number
  /** Reason for failing; absent if the order succeeds. */
  failure?: string
  /** Business days until a successful order is returned; absent if it never is. */
  returnedAfterDays?: number
}

/** Bank's answer to the question whether an account is in a name; `unanswered`: an error instead of an answer. */
export const payeeAnswers = ['match', 'close_match', 'no_match', 'not_possible', 'unanswered'] as const
export type PayeeAnswer = (typeof payeeAnswers)[number]

export interface Bank {
  slug: string
  name: string
  effect: string
  /** `match` by default. */
  payee?: PayeeAnswer
  /** True if linking fails, so that the bank never has debits or payouts. */
  refusesLinks?: true
  debit: OrderOutcome
  payout: OrderOutcome
}

export const banks: readonly Bank[] = [
  { slug: 'harbour', name: 'Harbour Bank', effect: 'All goes well', debit: { days: 2 }, payout: { days: 1 } },
  {
    slug: 'shoal',
    name: 'Shoal Bank',
    effect: 'Debits fail: not enough money',
    debit: { days: 2, failure: 'insufficient_funds' },
    payout: { days: 2 },
  },
  {
    slug: 'undertow',
    name: 'Undertow Bank',
    effect: 'Debits settle and are taken back 5 business days later',
    debit: { days: 2, returnedAfterDays: 5 },
    payout: { days: 3 },
  },
  {
    slug: 'reef',
    name: 'Reef Bank',
    effect: 'Payouts fail: account closed',
    debit: { days: 2 },
    payout: { days: 1, failure: 'account_closed' },
  },
  {
    slug: 'drift',
    name: 'Drift Bank',
    effect: 'Payouts arrive and come back 2 business days later',
    debit: { days: 2 },
    payout: { days: 2, returnedAfterDays: 2 },
  },
  {
    slug: 'ripple',
    name: 'Ripple Bank',
    effect: 'Knows the holder by a similar name',
    payee: 'close_match',
    debit: { days: 2 },
    payout: { days: 1 },
  },
  {
    slug: 'squall',
    name: 'Squall Bank',
    effect: 'Says the account is in another name',
    payee: 'no_match',
    debit: { days: 2 },
    payout: { days: 1 },
  },
  {
    slug: 'haze',
    name: 'Haze Bank',
    effect: 'Cannot check names',
    payee: 'not_possible',
    debit: { days: 2 },
    payout: { days: 1 },
  },
  {
    slug: 'lull',
    name: 'Lull Bank',
    effect: 'Does not answer about names',
    payee: 'unanswered',
    debit: { days: 2 },
    payout: { days: 1 },
  },
  {
    slug: 'fog',
    name: 'Fog Bank',
    effect: 'Linking fails',
    refusesLinks: true,
    debit: { days: 2 },
    payout: { days: 1 },
  },
]

export const findBankBySlug = (slug: string): Bank | undefined => banks.find((bank) => bank.slug === slug)

/** Account that a person can link; one per bank and currency. */
export interface HeldAccount {
  currency: string
  last4: string
  /** Hash that identifies the account and its holder. */
  fingerprint: string
}

const commonCurrencies = ['USD', 'EUR', 'GBP']

const lastFour = (text: string): string =>
  String(createHash('sha256').update(text).digest().readUInt32BE() % 10_000).padStart(4, '0')

/** Returns a person's accounts at a bank: the country's currency first, then USD, EUR and GBP. */
export function buildAccounts({ slug }: Bank, userReference: string, country: string): HeldAccount[] {
  const localCurrency = currencyByCountry.get(country)
  return [...new Set([...(localCurrency ? [localCurrency] : []), ...commonCurrencies])].map((currency) => {
    const accountHash = fingerprint(userReference, slug, country, currency)
    return { currency, last4: lastFour(accountHash), fingerprint: accountHash }
  })
}
