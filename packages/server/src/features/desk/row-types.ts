// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface DeskOperatorRow {
  readonly id: string
  readonly name: string
  readonly roles: readonly ('reviewer' | 'payments' | 'lead' | 'auditor')[]
  readonly created_at: Date
  readonly disabled_at: Date | null
}

export interface DeskEnrolmentRow {
  readonly hash: Buffer
  readonly operator_id: string
  readonly replaces: boolean
  readonly expires_at: Date
}

export interface DeskPasskeyRow {
  readonly id: string
  readonly operator_id: string
  readonly credential_id: string
  readonly public_key: Buffer
  readonly counter: bigint
  readonly transports: readonly string[]
  readonly created_at: Date
  readonly last_used_at: Date | null
}

export interface DeskCeremonyRow {
  readonly id: string
  readonly challenge: string
  readonly enrolment_hash: Buffer | null
  readonly expires_at: Date
}

export interface DeskSessionRow {
  readonly hash: Buffer
  readonly operator_id: string
  readonly created_at: Date
  readonly used_at: Date
}

export interface DeskPolicyRow {
  readonly queue: string
  readonly two_people_above_usd_minor: bigint | null
}

export interface DeskItemRow {
  readonly queue: string
  readonly subject: string
  readonly round: number
  readonly claimed_by: string | null
  readonly for_lead: boolean
  readonly verdict: string | null
  readonly carrying_out_since: Date | null
  readonly carried_out_at: Date | null
}

export interface DeskDecisionRow {
  readonly id: string
  readonly queue: string
  readonly subject: string
  readonly round: number
  readonly seat: 'first' | 'second' | 'lead'
  readonly operator_id: string
  readonly verdict: string
  readonly reason: string
  readonly decided_at: Date
}

export interface DeskLogRow {
  readonly number: bigint
  readonly at: Date
  readonly operator_id: string | null
  readonly actor: string
  readonly act: string
  readonly queue: string | null
  readonly subject: string | null
  readonly reason: string | null
  readonly before: string | null
  readonly after: string | null
  readonly decision_id: string | null
  readonly hash: Buffer
}

export interface DeskOwnAccountRow {
  readonly operator_id: string
  readonly user_id: bigint
  readonly linked_at: Date
  readonly unlinked_at: Date | null
}

export interface DeskCallRow {
  readonly id: string
  readonly user_id: bigint
  readonly operator_id: string
  readonly caller: string
  readonly about: 'payment' | 'verification' | 'security' | 'question' | 'account'
  readonly code: string | null
  readonly started_at: Date
  readonly expires_at: Date
  readonly confirmed_at: Date | null
  readonly ended_at: Date | null
  readonly ended_by: 'operator' | 'user' | 'time' | 'account' | null
}

export interface DeskCallAlertRow {
  readonly id: string
  readonly user_id: bigint
  readonly call_id: string | null
  readonly raised_at: Date
  readonly seen_by: string | null
  readonly seen_at: Date | null
}
