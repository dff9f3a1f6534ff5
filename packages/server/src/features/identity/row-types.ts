// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrentUser } from '@tern/contract/identity'
import type { JWK } from 'jose'
import type { SensitiveActionKind } from '@tern/contract/security'

export interface AppUserRow {
  readonly id: bigint
  readonly email: string
  readonly username: string
  readonly name: string | null
  readonly first_name: string | null
  readonly password_hash: string | null
  readonly email_verified_at: Date | null
  readonly kyc_status: 'not_started' | 'pending' | 'in_review' | 'needs_information' | 'verified' | 'rejected'
  readonly created_at: Date
  readonly metadata: CurrentUser['metadata']
  readonly pending_email: string | null
  readonly password_blocked_at: Date | null
  readonly email_proven_at: Date | null
  readonly credentials_version: bigint
  readonly deleted_at: Date | null
  readonly frozen_at: Date | null
  readonly factor_change: string | null
  readonly factor_changed_at: Date | null
  readonly deletion_due_at: Date | null
  readonly local_name: Buffer | null
  readonly proven_before_move: boolean
}

export interface LoginAttemptRow {
  readonly account: Buffer
  readonly failures: number
  readonly last_failed_at: Date
  readonly blocked_until: Date | null
  readonly check_id: string | null
  readonly check_until: Date | null
}

export interface SessionRow {
  readonly id: string
  readonly user_id: bigint
  readonly created_at: Date
  readonly last_used_at: Date
  readonly user_agent: string
  readonly address_prefix: string
  readonly revoked_at: Date | null
  readonly revoked_reason: string | null
  readonly sign_in_method: string
  readonly device: Buffer | null
  readonly country: string | null
}

export interface RefreshTokenRow {
  readonly hash: Buffer
  readonly session_id: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly answered_at: Date | null
  readonly successor: Buffer | null
}

export interface SigningKeyRow {
  readonly id: string
  readonly public_key: JWK
  readonly private_key: Buffer
  readonly created_at: Date
  readonly retired_at: Date | null
}

export interface MailedLinkRow {
  readonly hash: Buffer
  readonly purpose:
    | 'log_in'
    | 'verify_email'
    | 'change_email'
    | 'reset_password'
    | 'unrecognized_sign_in'
    | 'freeze_account'
  readonly user_id: bigint
  readonly email: string
  readonly browser: Buffer | null
  readonly session_id: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly keeps_email: boolean
}

export interface SignInChallengeRow {
  readonly hash: Buffer
  readonly user_id: bigint
  readonly sign_in_method: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly credentials_version: bigint
}

export interface TotpRow {
  readonly user_id: bigint
  readonly secret: Buffer
  readonly created_at: Date
  readonly confirmed_at: Date | null
  readonly last_step: bigint
  readonly next_secret: Buffer | null
  readonly begun_at: Date | null
  readonly session_id: string | null
}

export interface RecoveryCodeRow {
  readonly user_id: bigint
  readonly hash: Buffer
  readonly created_at: Date
  readonly used_at: Date | null
}

export interface PasskeyRow {
  readonly id: string
  readonly user_id: bigint
  readonly credential_id: string
  readonly public_key: Buffer
  readonly counter: bigint
  readonly transports: readonly string[]
  readonly name: string
  readonly synced: boolean
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly session_id: string | null
}

export interface PasskeyCeremonyRow {
  readonly id: string
  readonly purpose: 'sign_in' | 'second_factor' | 'register' | 'step_up'
  readonly challenge: string
  readonly user_id: bigint | null
  readonly subject: string | null
  readonly created_at: Date
  readonly expires_at: Date
}

export interface ExternalIdentityRow {
  readonly issuer: string
  readonly subject: string
  readonly user_id: bigint
  readonly provider: 'google' | 'external'
  readonly email: string | null
  readonly linked_at: Date
}

export interface ExternalSignInRow {
  readonly hash: Buffer
  readonly provider: 'google' | 'external'
  readonly browser: Buffer
  readonly nonce: string
  readonly verifier: Buffer
  readonly mode: 'popup' | 'redirect'
  readonly return_to: string | null
  readonly created_at: Date
  readonly expires_at: Date
}

export interface SpentIdTokenRow {
  readonly hash: Buffer
  readonly expires_at: Date
}

export interface ExternalLinkRow {
  readonly hash: Buffer
  readonly issuer: string
  readonly subject: string
  readonly provider: 'google' | 'external'
  readonly email: string | null
  readonly created_at: Date
  readonly expires_at: Date
}

export interface StepUpConfirmationRow {
  readonly id: string
  readonly user_id: bigint
  readonly session_id: string
  readonly action: SensitiveActionKind
  readonly binding: Buffer
  readonly subject: unknown
  readonly mailed_code: Buffer | null
  readonly failures: number
  readonly created_at: Date
  readonly expires_at: Date
  readonly confirmed_at: Date | null
  readonly used_at: Date | null
  readonly mails: number
}

export interface MailRequestRow {
  readonly target: Buffer
  readonly granted_at: readonly Date[]
  readonly last_granted_at: Date
}

export interface UsernameClaimRow {
  readonly skeleton: string
  readonly user_id: bigint
  readonly username: string
  readonly claimed_at: Date
  readonly released_at: Date | null
}

export interface ReservedUsernameRow {
  readonly word: string
  readonly as_part: boolean
}

export interface FavoriteRow {
  readonly user_id: bigint
  readonly favorite_id: bigint
  readonly created_at: Date
}

export interface ShownNameRow {
  readonly viewer_id: bigint
  readonly owner_id: bigint
  readonly shown_at: Date
}
