import type { EventHeaders } from '../events/port.ts'
import type { ProviderSetup } from '../setup.ts'
import type { KnownOutcome, UnknownOutcome } from '../outcome.ts'

/** Details typed by the account holder, after the product's own checks. Dates are `YYYY-MM-DD`. */
export interface IdentityDetails {
  /** Empty for a person with a single name. */
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

/** File uploaded by the person. Its content is read only when it is sent, and is not kept. */
export interface IdentityFile {
  readonly documentType: string
  readonly side: 'front' | 'back' | 'selfie' | null
  readonly contentType: string
  read(): Promise<Uint8Array>
}

export const identityReasonCodes = [
  'reviewed_by_hand',
  'document_unreadable',
  'not_confirmed',
  'number_in_review',
  'number_of_another',
  'document_missing',
  'document_expired',
  'document_not_accepted',
  'differs_from_document',
  'selfie_not_matching',
  'too_young',
  'check_not_finished',
  'lists_not_current',
] as const

/**
 * Missing or wrong detail. `field` is a name in IdentityDetails, `document` or `selfie` for a picture, or `check` for
 * the verification as a whole.
 */
export interface IdentityReason {
  field: string
  code: (typeof identityReasonCodes)[number]
}

export type IdentityResult =
  | {
      /** `pending`: not decided yet, possibly because the person has not visited the provider's page. */
      status: 'pending' | 'verified' | 'in_review' | 'needs_information' | 'rejected'
      /** The provider's id of the verification. */
      checkId: string
      reasons: readonly IdentityReason[]
      /** True if the person can continue on the provider's page. */
      isHosted: boolean
    }
  | UnknownOutcome

export interface IdentityOrder {
  /** Our id of the verification. */
  readonly reference: string
  readonly details: IdentityDetails
  readonly files: readonly IdentityFile[]
  /** Address to which the provider's page returns. */
  readonly returnUrl: string
}

/** Event content: the verification of this reference has changed. Its state must be queried. */
export type IdentityEvent = { id: string } & (
  | { about: 'verification'; reference: string }
  /** Authentic event about another subject, which this port does not handle. */
  | { about: 'unhandled' }
)

export interface IdentityProvider {
  /** Checks our account there, for `npx tern doctor`. */
  readonly setup?: ProviderSetup
  /** Stored with every submission. */
  readonly name: string
  /** Minimum interval between two queries about one person, in milliseconds. */
  readonly minPauseMs: number
  /** Starts a verification; for a reference used before, returns the current state instead. */
  create(order: IdentityOrder): Promise<IdentityResult>
  /** Returns the state of a verification. The details are compared with the provider's findings. */
  lookup(checkId: string, details: IdentityDetails): Promise<IdentityResult>
  /** Returns the address of the provider's page, valid once and briefly; `ended` if no action is needed there. */
  openPage(checkId: string): Promise<{ status: 'open'; url: string } | { status: 'ended' } | UnknownOutcome>
  /** Deletes the provider's data about the person; succeeds if already deleted. */
  redact(checkId: string): Promise<{ status: 'redacted' } | UnknownOutcome>
  /** Verifies an event's signature as for payments, and parses it. Throws SignatureError, or Error if unreadable. */
  verifyEvent(rawBody: Buffer, headers: EventHeaders, now: Date): IdentityEvent
}

export type KnownIdentity = KnownOutcome<IdentityResult>
