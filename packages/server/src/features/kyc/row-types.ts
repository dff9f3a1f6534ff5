// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { DocumentType } from '@tern/contract/countries'

export interface KycSubmissionRow {
  readonly id: string
  readonly user_id: bigint
  readonly status: 'pending' | 'in_review' | 'needs_information' | 'verified' | 'rejected' | 'superseded'
  readonly first_name: string
  readonly last_name: string
  readonly date_of_birth: string
  readonly country: string
  readonly nationality: string
  readonly email: string
  readonly document_type: string
  readonly issuing_country: string | null
  readonly currency_preference: string
  readonly street_address: string
  readonly city: string
  readonly state: string
  readonly postal_code: string
  readonly numbers: Buffer
  readonly provider_check_id: string | null
  readonly reasons: unknown
  readonly submitted_at: Date
  readonly decided_at: Date | null
  readonly last_polled_at: Date
  readonly provider: string
  readonly is_hosted: boolean
  readonly decided_by: 'provider' | 'operator' | null
  readonly local_name: Buffer | null
}

export interface KycNumberRow {
  readonly submission_id: string
  readonly kind: 'idNumber' | 'documentNumber' | 'panCard' | 'medicareNumber'
  readonly fingerprint: Buffer
  readonly last_characters: string
  readonly released_at: Date | null
}

export interface KycDocumentRow {
  readonly id: string
  readonly user_id: bigint
  readonly document_type: DocumentType
  readonly side: 'front' | 'back' | 'selfie' | null
  readonly content_type: 'image/jpeg' | 'application/pdf'
  readonly size_bytes: number
  readonly content: Buffer | null
  readonly created_at: Date
  readonly deleted_at: Date | null
}

export interface KycEventRow {
  readonly provider: string
  readonly id: string
  readonly received_at: Date
}

export interface KycRedactionRow {
  readonly provider: string
  readonly check_id: string
  readonly requested_at: Date
}
