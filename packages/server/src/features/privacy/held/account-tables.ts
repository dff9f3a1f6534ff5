import { toldReadings } from '../data-access.ts'
import type { HeldTable } from './held-table.ts'

const ofUser = (table: string): string => `from ${table} where user_id = $1`

/** Who somebody is, how they log in, and what they are told. */
export const accountTables: readonly HeldTable[] = [
  {
    ...{ table: 'app_user', category: 'account', rows: 'from app_user where id = $1', since: 'created_at' },
    columns: `id, email, pending_email, username, name, first_name, kyc_status, metadata, created_at, email_verified_at,
      email_proven_at, password_hash is not null as has_password, password_blocked_at, factor_change, factor_changed_at,
      deletion_due_at, deleted_at`,
  },
  {
    ...{ table: 'username_claim', category: 'account', rows: ofUser('username_claim'), since: 'claimed_at' },
    columns: 'username, claimed_at, released_at',
  },
  {
    ...{ table: 'kyc_submission', category: 'identity', rows: ofUser('kyc_submission'), since: 'submitted_at' },
    columns: `id, status, first_name, last_name, date_of_birth, country, nationality, email, document_type, issuing_country,
      currency_preference, street_address, city, state, postal_code, reasons, submitted_at, decided_at, provider,
      provider_check_id, is_hosted, decided_by`,
  },
  {
    ...{ table: 'screening_person', category: 'identity', rows: ofUser('screening_person') },
    columns: 'screened_at',
  },
  {
    ...{ table: 'screening_counterparty', category: 'identity', rows: ofUser('screening_counterparty') },
    ...{ columns: 'kind, name, screened_at, created_at, ended_at', since: 'created_at' },
  },
  // Of hits the law may forbid to tell: the person reads that checks are made, and when.
  { table: 'screening_match', category: 'identity', unread: 'derived' },
  { table: 'compliance_case', category: 'identity', unread: 'untold' },
  { table: 'compliance_case_transfer', category: 'identity', unread: 'untold' },
  { table: 'compliance_review', category: 'identity', unread: 'untold' },
  {
    ...{ table: 'compliance_question', category: 'identity', since: 'requested_at' },
    columns: 'q.need, q.requested_at, q.answer_by, q.answer, q.answered_at',
    rows: 'from compliance_question q join compliance_case c on c.id = q.case_id where c.user_id = $1',
  },
  {
    ...{ table: 'compliance_objection', category: 'identity', since: 'made_at' },
    ...{ columns: 'text, state, made_at, decide_by, decided_at', rows: ofUser('compliance_objection') },
  },
  {
    ...{ table: 'travel_rule_record', category: 'identity', since: 'moved_at' },
    columns: `transaction_id, kind, case originator_id when $1 then 'originator' else 'beneficiary' end as role, moved_at, recorded_at`,
    rows: 'from travel_rule_record where originator_id = $1 or beneficiary_id = $1',
  },
  {
    ...{ table: 'kyc_document', category: 'identity', rows: ofUser('kyc_document'), since: 'created_at' },
    columns: 'id, document_type, side, content_type, size_bytes, created_at',
  },
  {
    ...{ table: 'kyc_number', category: 'identity' },
    columns: 'submission_id, kind, last_characters, kyc_number.released_at',
    rows: 'from kyc_number join kyc_submission on id = submission_id where user_id = $1',
  },
  { ...{ table: 'retained_identity', category: 'identity' }, unread: 'elsewhere' },
  {
    ...{ table: 'session', category: 'logins', rows: ofUser('session'), since: 'created_at' },
    columns: `id, created_at, last_used_at, user_agent, address_prefix as network, country, sign_in_method, revoked_at,
      revoked_reason`,
  },
  {
    ...{ table: 'passkey', category: 'logins', rows: ofUser('passkey'), since: 'created_at' },
    columns: 'id, name, synced, transports, created_at, last_used_at',
  },
  {
    ...{ table: 'external_identity', category: 'logins', rows: ofUser('external_identity'), since: 'linked_at' },
    columns: 'provider, email, linked_at',
  },
  {
    ...{ table: 'totp', category: 'logins', rows: ofUser('totp'), since: 'created_at' },
    columns: 'created_at, confirmed_at',
  },
  {
    ...{ table: 'recovery_code', category: 'logins', rows: ofUser('recovery_code'), since: 'created_at' },
    columns: 'created_at, used_at',
  },
  {
    ...{ table: 'step_up_confirmation', category: 'logins', rows: ofUser('step_up_confirmation'), since: 'created_at' },
    columns: 'action, subject, failures, created_at, confirmed_at, used_at',
  },
  {
    ...{ table: 'mailed_link', category: 'logins', rows: ofUser('mailed_link'), since: 'created_at' },
    columns: 'purpose, email, created_at, expires_at, used_at',
  },
  { table: 'refresh_token', category: 'logins', unread: 'secret' },
  { table: 'sign_in_challenge', category: 'logins', unread: 'passing' },
  { table: 'passkey_ceremony', category: 'logins', unread: 'passing' },
  { table: 'external_sign_in', category: 'logins', unread: 'passing' },
  { table: 'external_link', category: 'logins', unread: 'passing' },
  { table: 'spent_id_token', category: 'logins', unread: 'counted' },
  { table: 'login_attempt', category: 'logins', unread: 'counted' },
  { table: 'mail_request', category: 'logins', unread: 'counted' },
  { table: 'rate_limit', category: 'logins', unread: 'counted' },
  {
    ...{ table: 'notification', category: 'messages', rows: ofUser('notification'), since: 'created_at' },
    columns: 'id, code, params, subject_id, needs_action, created_at, read_at, answered_at',
  },
  {
    ...{ table: 'mail', category: 'messages', rows: ofUser('mail'), since: 'created_at' },
    columns: 'template, created_at, sent_at, given_up_at, given_up_reason',
  },
  { ...{ table: 'mail_choice', category: 'messages', rows: ofUser('mail_choice') }, columns: 'payments, requests' },
  { table: 'changed_topic', category: 'messages', unread: 'passing' },
  {
    ...{ table: 'waitlist', category: 'messages', since: 'joined_at' },
    columns: 'email, country, joined_at, forwarded_at',
    rows: 'from waitlist where email = (select lower(email) from app_user where id = $1)',
  },
  {
    ...{ table: 'consent', category: 'privacy', rows: ofUser('consent'), since: 'given_at' },
    columns: 'document, version, given_how, given_at, withdrawn_at',
  },
  {
    ...{ table: 'data_access', category: 'privacy', rows: toldReadings, since: 'at' },
    columns: 'at, role, operator, purpose, what',
  },
  {
    ...{ table: 'correction_request', category: 'privacy', rows: ofUser('correction_request'), since: 'created_at' },
    columns: 'field, right_value, note, state, created_at, due_at, decided_at, answer',
  },
  // Of whoever works at the desk as well: that this account is theirs.
  {
    ...{ table: 'desk_own_account', category: 'privacy', rows: ofUser('desk_own_account'), since: 'linked_at' },
    columns: 'linked_at, unlinked_at',
  },
]
