// Patterns of payments that are typical of fraud, as pure functions over facts and the numbers of a policy.
// `patterns.test.ts` is a table of examples of what warns and what does not.

import type { WarningPattern } from '@tern/contract/transfers/payee-warnings'
import { isNearName } from './near-names.ts'

/** Numbers and words of the patterns; columns of `payee_warning_policy`. */
export interface WarningPolicy {
  readonly knownDays: number
  readonly newAccountDays: number
  readonly strangersFrom: number
  readonly strangersTimes: number
  readonly unknownUsdMinor: bigint
  readonly textUsdMinor: bigint
  readonly sharePercent: number
  readonly shareUsdMinor: bigint
  /** Folded phrases in descriptions by pattern, and words of offices in names of payees (`office`). */
  readonly words: Readonly<Record<string, readonly string[]>>
}

export interface Name {
  readonly username: string
  readonly name: string | null
}

/** Facts about a payment that is about to be sent. */
export interface PayeeFacts {
  readonly payee: Name
  /** Age of the payee's account. */
  readonly payeeAgeDays: number
  /** Days since the first payment of the sender arrived at the payee; null if none did. */
  readonly firstPaidDays: number | null
  /** Senders who paid the payee for the first time within the policy's days, and in an average period before. */
  readonly strangers: number
  readonly usualStrangers: number
  /** A payment to the payee was disputed, or a case about the payee was confirmed. */
  readonly isReported: boolean
  /** Other payees of the sender. */
  readonly knownPayees: readonly Name[]
  /** `on`: an operator is calling the sender; `refused`: the sender refused or reported a call a short time ago. */
  readonly call: 'none' | 'on' | 'refused'
  readonly usdMinor: bigint
  readonly amountMinor: bigint
  /** Available balance in the currency of the amount. */
  readonly balanceMinor: bigint
  /** Folded text of the sender. */
  readonly description: string
}

interface FoundPattern {
  readonly pattern: WarningPattern
  /** Username of the similar payee, for `similar_name`. */
  readonly similarTo?: string
}

type Rule = (policy: WarningPolicy, facts: PayeeFacts) => boolean

const isFirst: Rule = (_policy, { firstPaidDays }) => firstPaidDays === null

const isKnown: Rule = ({ knownDays }, { firstPaidDays }) => firstPaidDays !== null && firstPaidDays >= knownDays

const containsPhrase = (text: string, phrases: readonly string[] = []): boolean => {
  const words = ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
  return phrases.some((phrase) => words.includes(` ${phrase} `))
}

const describes =
  (pattern: WarningPattern): Rule =>
  (policy, facts) =>
    facts.usdMinor >= policy.textUsdMinor && containsPhrase(facts.description, policy.words[pattern])

const looksLikeOffice: Rule = ({ words }, { payee }) =>
  [payee.username, payee.name ?? ''].some((name) => containsPhrase(name.toLowerCase(), words.office))

/** Causes of `unknown_payee`. They are not told apart to the sender. */
const isUnknown: Rule = (policy, { payeeAgeDays, strangers, usualStrangers, isReported, usdMinor }) => {
  const isNew = payeeAgeDays < policy.newAccountDays
  const isBurst = strangers >= policy.strangersFrom && strangers >= usualStrangers * policy.strangersTimes
  return isReported || (usdMinor >= policy.unknownUsdMinor && (isNew || isBurst))
}

const isLargeShare: Rule = ({ sharePercent, shareUsdMinor }, { amountMinor, balanceMinor, usdMinor }) =>
  usdMinor >= shareUsdMinor && amountMinor * 100n >= balanceMinor * BigInt(sharePercent)

/** Rules for payees who are not known, in the order in which they are shown. */
const unfamiliarRules: readonly (readonly [WarningPattern, Rule])[] = [
  ['during_call', (_policy, { call }) => call === 'on'],
  ['refused_call', (_policy, { call }) => call === 'refused'],
  ['impersonates', (policy, facts) => isFirst(policy, facts) && looksLikeOffice(policy, facts)],
  ['tax', describes('tax')],
  ['investment', describes('investment')],
  ['release_fee', describes('release_fee')],
  ['unknown_payee', (policy, facts) => isFirst(policy, facts) && isUnknown(policy, facts)],
  ['large_share', (policy, facts) => isFirst(policy, facts) && isLargeShare(policy, facts)],
]

/** Returns the patterns of a payment, most urgent first; none for an ordinary payment. */
export function findPatterns(policy: WarningPolicy, facts: PayeeFacts): FoundPattern[] {
  const urgent: FoundPattern[] = containsPhrase(facts.description, policy.words.safe_account)
    ? [{ pattern: 'safe_account' }]
    : []
  if (isKnown(policy, facts)) return urgent
  const similar = isFirst(policy, facts) ? facts.knownPayees.find((known) => isNearName(known, facts.payee)) : undefined
  const found = unfamiliarRules.flatMap(([pattern, rule]) => (rule(policy, facts) ? [{ pattern }] : []))
  const [calls, others] = [found.filter(isAboutCall), found.filter((entry) => !isAboutCall(entry))]
  const similarPart = similar ? [{ pattern: 'similar_name' as const, similarTo: similar.username }] : []
  return [...urgent, ...calls, ...similarPart, ...others]
}

const isAboutCall = ({ pattern }: FoundPattern): boolean => pattern === 'during_call' || pattern === 'refused_call'
