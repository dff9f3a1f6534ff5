// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { Evidence } from './cases/case-rows.ts'
import type { FileState } from './screening/fetch/download.ts'

export interface ScreeningPolicyRow {
  readonly source: 'ofac_sdn' | 'ofac_consolidated' | 'un' | 'eu' | 'uk' | 'pep'
  readonly max_age_hours: number
  readonly max_vanished_percent: number
  readonly is_required: boolean
}

export interface ScreeningListRow {
  readonly source: 'ofac_sdn' | 'ofac_consolidated' | 'un' | 'eu' | 'uk' | 'pep'
  readonly version: number
  readonly sha256: string
  readonly files: readonly string[]
  readonly entries: number
  readonly published_at: Date | null
  readonly imported_at: Date
  readonly checked_at: Date
}

export interface ScreeningFetchRow {
  readonly source: 'ofac_sdn' | 'ofac_consolidated' | 'un' | 'eu' | 'uk' | 'pep'
  readonly files: readonly FileState[]
  readonly version: number | null
  readonly tried_at: Date
  readonly failure: string | null
  readonly failing_since: Date | null
}

export interface ScreeningEntryRow {
  readonly id: string
  readonly source: 'ofac_sdn' | 'ofac_consolidated' | 'un' | 'eu' | 'uk' | 'pep'
  readonly reference: string
  readonly kind: 'person' | 'entity' | 'vessel' | 'aircraft'
  readonly programme: string
  readonly birth_dates: readonly string[]
  readonly countries: readonly string[]
  readonly content_hash: string
  readonly first_version: number
  readonly changed_version: number
  readonly ended_version: number | null
}

export interface ScreeningNameRow {
  readonly id: bigint
  readonly entry_id: string
  readonly name: string
  readonly kind: 'primary' | 'alias' | 'weak'
}

export interface ScreeningEpochRow {
  readonly number: number
  readonly cause: 'import' | 'matcher'
  readonly matcher_version: number
  readonly begun_at: Date
  readonly ends_gap: boolean
}

export interface ScreeningPersonRow {
  readonly user_id: bigint
  readonly screened_epoch: number
  readonly screened_at: Date | null
}

export interface ScreeningCounterpartyRow {
  readonly id: string
  readonly kind: 'guest' | 'account_holder'
  readonly user_id: bigint
  readonly name: string
  readonly screened_epoch: number
  readonly screened_at: Date | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

export interface CasePolicyRow {
  readonly version: number
  readonly kind: 'name_match' | 'counterparty_name' | 'pattern'
  readonly decide_hours: number
  readonly escalated_hours: number
  readonly answer_hours: number
  readonly objection_hours: number
}

export interface TellingPolicyRow {
  readonly country: string | null
  readonly check_kind: 'name' | 'payment'
  readonly telling: 'full' | 'limited'
  readonly valid_from: string
  readonly source: string
}

export interface ComplianceCaseRow {
  readonly id: string
  readonly user_id: bigint
  readonly kind: 'name_match' | 'counterparty_name' | 'pattern'
  readonly state: 'open' | 'cleared' | 'confirmed'
  readonly stops: 'nothing' | 'transfers' | 'person'
  readonly policy_version: number
  readonly evidence: Evidence
  readonly need: 'nothing' | 'explanation' | 'document'
  readonly need_by: Date | null
  readonly decide_by: Date
  readonly opened_at: Date
  readonly escalated_at: Date | null
  readonly escalations: number
  readonly decided_at: Date | null
  readonly decided_by: string | null
  readonly counterparty_id: string | null
}

export interface ScreeningMatchRow {
  readonly id: string
  readonly user_id: bigint | null
  readonly entry_id: string
  readonly status: 'open' | 'cleared' | 'ended'
  readonly score_basis_points: number
  readonly tier: 'review' | 'hold'
  readonly listed_name: string
  readonly list_version: number
  readonly birth_date_evidence: 'same' | 'close' | 'differs' | 'not_given'
  readonly country_evidence: 'same' | 'differs' | 'not_given'
  readonly entry_hash: string
  readonly person_hash: string
  readonly found_at: Date
  readonly closed_at: Date | null
  readonly cleared_by: string | null
  readonly case_id: string | null
  readonly counterparty_id: string | null
}

export interface ComplianceCaseTransferRow {
  readonly case_id: string
  readonly transfer_id: string
  readonly linked_at: Date
  readonly told_at: Date | null
}

export interface ComplianceQuestionRow {
  readonly id: string
  readonly case_id: string
  readonly need: 'explanation' | 'document'
  readonly requested_at: Date
  readonly answer_by: Date
  readonly answer: string | null
  readonly answered_at: Date | null
}

export interface ComplianceReviewRow {
  readonly id: string
  readonly case_id: string
  readonly cause: 'opened' | 'more_found' | 'answered' | 'not_answered'
  readonly opened_at: Date
  readonly closed_at: Date | null
}

export interface ComplianceObjectionRow {
  readonly id: string
  readonly case_id: string
  readonly user_id: bigint
  readonly text: string
  readonly state: 'open' | 'upheld' | 'dismissed'
  readonly made_at: Date
  readonly decide_by: Date
  readonly escalated_at: Date | null
  readonly escalations: number
  readonly decided_at: Date | null
  readonly decided_by: string | null
}

export interface TravelRuleThresholdRow {
  readonly country: string
  readonly valid_from: string
  readonly currency: string
  readonly threshold_minor: bigint
  readonly source: string
}

export interface TravelRuleRecordRow {
  readonly transaction_id: string
  readonly originator_id: bigint
  readonly beneficiary_id: bigint
  readonly kind: 'send' | 'payout'
  readonly usd_minor: bigint | null
  readonly threshold_country: string | null
  readonly threshold_valid_from: string | null
  readonly content: Buffer
  readonly moved_at: Date
  readonly recorded_at: Date
}

export interface TravelRulePositionRow {
  readonly only_row: boolean
  readonly position: string
  readonly cluster: bigint
  readonly at: Date
}

export interface MonitoringPolicyRow {
  readonly version: number
  readonly structuring_hours: number
  readonly structuring_count: number
  readonly structuring_percent: number
  readonly rapid_hours: number
  readonly rapid_usd_minor: bigint
  readonly rapid_percent: number
  readonly fan_in_hours: number
  readonly fan_in_senders: number
  readonly mule_account_days: number
  readonly mule_hours: number
  readonly mule_senders: number
  readonly mule_percent: number
  readonly mule_payees: number
  readonly known_days: number
}

export interface ReportingThresholdRow {
  readonly country: string
  readonly source: string
  readonly valid_from: string
  readonly currency: string
  readonly threshold_minor: bigint
}

export interface MonitoringPositionRow {
  readonly only_row: boolean
  readonly position: string
  readonly cluster: bigint
  readonly at: Date
}
