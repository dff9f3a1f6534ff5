import type { EventHeaders } from '../events/port.ts'
import type { Known, Unknown } from '../outcome.ts'

/** A person's details as they typed them, after the product's own checks. Dates are `YYYY-MM-DD`. */
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

/** A file that the person uploaded. Its content is read when it is its turn to be sent, and kept nowhere. */
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
 * What is missing or wrong. `field` is the name used in IdentityDetails, `document` or `selfie` for a picture, `check` for the
 * verification as a whole.
 */
export interface IdentityReason {
  field: string
  code: (typeof identityReasonCodes)[number]
}

/** How a verification stands at its provider. */
export type IdentityResult =
  | {
      /** `pending`: nothing is decided yet, maybe because the person has not been to the provider's page. */
      status: 'pending' | 'verified' | 'in_review' | 'needs_information' | 'rejected'
      /** The provider's own id of it. */
      checkId: string
      reasons: readonly IdentityReason[]
      /** Whether the person can go on at a page of the provider's. */
      isHosted: boolean
    }
  | Unknown

/** Asks for a person to be verified. */
export interface IdentityOrder {
  /** Our own id of it. */
  readonly reference: string
  readonly details: IdentityDetails
  readonly files: readonly IdentityFile[]
  /** Where a page of the provider's leads back to. */
  readonly returnUrl: string
}

/** What an event tells: that something changed about the verification of this reference. How it stands has to be asked. */
export type IdentityEvent = { id: string } & (
  | { about: 'verification'; reference: string }
  /** An authentic event about something else: not for this port. */
  | { about: 'unhandled' }
)

export interface IdentityProvider {
  /** In every submission it was asked about. */
  readonly name: string
  /** The shortest pause between two questions about one person, in milliseconds. */
  readonly leastPauseMs: number
  /** Begins a verification. The same reference again begins no other, and tells how it stands. */
  create(order: IdentityOrder): Promise<IdentityResult>
  /** How a verification stands. The details are compared with what the provider found. */
  lookup(checkId: string, details: IdentityDetails): Promise<IdentityResult>
  /** The address of the provider's page, good once and for a short time; `ended` when there is nothing to do there. */
  openPage(checkId: string): Promise<{ status: 'open'; url: string } | { status: 'ended' } | Unknown>
  /** Deletes what the provider keeps of the person; also when it did before. */
  redact(checkId: string): Promise<{ status: 'redacted' } | Unknown>
  /** Checks an event's signature like those of payments, and reads it. Throws SignatureError, or Error for what cannot be read. */
  verifyEvent(rawBody: Buffer, headers: EventHeaders, now: Date): IdentityEvent
}

export type KnownIdentity = Known<IdentityResult>
