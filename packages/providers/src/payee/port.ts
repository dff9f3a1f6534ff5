import type { UnknownOutcome } from '../outcome.ts'

/** Scheme by which a bank compares names; `bank_lookup` is the bank's own, `none` if it has none. */
export const payeeSchemes = ['confirmation_of_payee', 'verification_of_payee', 'bank_lookup', 'none'] as const
export type PayeeScheme = (typeof payeeSchemes)[number]

export interface PayeeCheckRequest {
  /** Linked bank account: `LinkedAccount.token`. */
  readonly accountToken: string
  /** Country of the account (ISO 3166-1 alpha-2). */
  readonly country: string
  /** Verified name of the account holder. */
  readonly holderName: string
}

interface CheckFacts {
  readonly scheme: PayeeScheme
  /** Provider's id of the check. */
  readonly reference?: string | undefined
  /** Name that was compared, if the provider did not compare `holderName`. */
  readonly comparedName?: string | undefined
  /** End of the outcome's validity at the provider. */
  readonly expiresAt?: Date | undefined
}

/**
 * `close_match`: names the account holder as the bank knows it, if the bank discloses it. `not_possible`: neither scheme
 * nor bank can compare names.
 */
export type PayeeOutcome =
  | (CheckFacts & { readonly status: 'match' | 'no_match' | 'not_possible' })
  | (CheckFacts & { readonly status: 'close_match'; readonly knownName?: string | undefined })

/** Asks banks whether an account belongs to the named person. */
export interface PayeeProvider {
  verify(request: PayeeCheckRequest): Promise<PayeeOutcome | UnknownOutcome>
}
