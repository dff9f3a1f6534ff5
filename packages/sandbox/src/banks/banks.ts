import { createHash } from 'node:crypto'
import { fingerprint } from '../server/api.ts'

/** How long something takes at a bank, in business days, and what becomes of it. */
export interface Course {
  days: number
  /** Why it fails after these days; absent where it goes through. */
  failure?: string
  /** How many business days after having gone through it is given back; absent where it stays. */
  returnedAfterDays?: number
}

/** An invented bank. Each is one way in which banks treat money that comes and goes. */
export interface Bank {
  /** In addresses. */
  slug: string
  name: string
  /** What happens, in a few words. */
  effect: string
  linksAccounts: boolean
  debit: Course
  payout: Course
}

export const banks: readonly Bank[] = [
  {
    slug: 'harbour',
    name: 'Harbour Bank',
    effect: 'All goes well',
    linksAccounts: true,
    debit: { days: 2 },
    payout: { days: 1 },
  },
  {
    slug: 'shoal',
    name: 'Shoal Bank',
    effect: 'Debits fail: not enough money',
    linksAccounts: true,
    debit: { days: 2, failure: 'insufficient_funds' },
    payout: { days: 2 },
  },
  {
    slug: 'undertow',
    name: 'Undertow Bank',
    effect: 'Debits settle and are taken back 5 business days later',
    linksAccounts: true,
    debit: { days: 2, returnedAfterDays: 5 },
    payout: { days: 3 },
  },
  {
    slug: 'reef',
    name: 'Reef Bank',
    effect: 'Payouts fail: account closed',
    linksAccounts: true,
    debit: { days: 2 },
    payout: { days: 1, failure: 'account_closed' },
  },
  {
    slug: 'drift',
    name: 'Drift Bank',
    effect: 'Payouts arrive and come back 2 business days later',
    linksAccounts: true,
    debit: { days: 2 },
    payout: { days: 2, returnedAfterDays: 2 },
  },
  {
    slug: 'fog',
    name: 'Fog Bank',
    effect: 'Linking fails',
    linksAccounts: false,
    debit: { days: 2 },
    payout: { days: 1 },
  },
]

export const bankBySlug = (slug: string): Bank | undefined => banks.find((bank) => bank.slug === slug)

/** An account somebody has at a bank before it is linked. A bank keeps one for a person in each currency. */
export interface HeldAccount {
  currency: string
  /** The last four of the account's number. */
  last4: string
  /** The same for the same account of the same person. */
  fingerprint: string
}

const currencyByCountry: ReadonlyMap<string, string> = new Map([
  ['US', 'USD'],
  ['GB', 'GBP'],
  ['CA', 'CAD'],
  ['AU', 'AUD'],
  ['DE', 'EUR'],
  ['FR', 'EUR'],
  ['JP', 'JPY'],
  ['SG', 'SGD'],
  ['IN', 'INR'],
  ['BR', 'BRL'],
])

const common = ['USD', 'EUR', 'GBP']

const lastFour = (text: string): string =>
  String(createHash('sha256').update(text).digest().readUInt32BE() % 10_000).padStart(4, '0')

/** The accounts that a person of a country has at a bank: in the country's own currency first, then USD, EUR and GBP. */
export function accountsAt({ slug }: Bank, userReference: string, country: string): HeldAccount[] {
  const own = currencyByCountry.get(country)
  return [...new Set([...(own ? [own] : []), ...common])].map((currency) => {
    const mark = fingerprint(userReference, slug, country, currency)
    return { currency, last4: lastFour(mark), fingerprint: mark }
  })
}
