// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface MailRow {
  readonly id: string
  readonly user_id: bigint | null
  readonly template: string
  readonly content: Buffer | null
  readonly created_at: Date
  readonly sent_at: Date | null
  readonly given_up_at: Date | null
  readonly given_up_reason: string | null
}

export interface NotificationRow {
  readonly id: string
  readonly user_id: bigint
  readonly code: string
  readonly params: unknown
  readonly subject_id: string | null
  readonly dedupe: string
  readonly needs_action: boolean
  readonly created_at: Date
  readonly read_at: Date | null
  readonly mail_due_at: Date | null
  readonly answered_at: Date | null
  readonly group_key: string
}

export interface ChangedTopicRow {
  readonly xid: string
  readonly user_id: bigint
  readonly topic: string
  readonly changed_at: Date
}

export interface MailChoiceRow {
  readonly user_id: bigint
  readonly payments: boolean
  readonly requests: boolean
}
