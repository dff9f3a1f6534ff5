import type { Unknown } from '../outcome.ts'

/** A person's details as they typed them, after the product's own checks. Dates are `YYYY-MM-DD`. */
export interface IdentityDetails {
  firstName: string
  lastName: string
  dateOfBirth: string
  country: string
  nationality: string
  idNumber: string
  documentType: string
  documentNumber: string
  issuingCountry?: string
  streetAddress?: string
  city?: string
  state?: string
  postalCode?: string
}

export const identityReasonCodes = [
  'reviewed_by_hand',
  'document_unreadable',
  'not_confirmed',
  'number_in_review',
] as const

/** What is missing or wrong; `field` is the name used in IdentityDetails. */
export interface IdentityReason {
  field: string
  code: (typeof identityReasonCodes)[number]
}

/** The provider's verdict; `unknown` means no answer came and the check has to be repeated. */
export type IdentityResult =
  | {
      status: 'verified' | 'in_review' | 'needs_information' | 'rejected'
      checkId: string
      reasons: readonly IdentityReason[]
    }
  | Unknown

export interface IdentityProvider {
  /** In every submission it was asked about. */
  readonly name: string
  /** Checks one person. The same `reference` again replaces the earlier check. */
  check(reference: string, details: IdentityDetails): Promise<IdentityResult>
}
