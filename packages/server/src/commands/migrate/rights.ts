// The application role's rights: one line per table and definer function. grants.test.ts fails when one is missing.

export interface TableGrant {
  readonly rights: string
  /** Columns that stay as written. */
  readonly updateExcept?: string
}

const readOnly = 'select'
const appendOnly = 'select, insert'
const neverDeleted = 'select, insert, update'
export const everything = 'select, insert, update, delete'
/** The request's content and time. */
const orderColumns = 'idempotency_key, request_hash, created_at'

/**
 * Rights by table. Money and its history are append-only or written by definer functions; rows that a provider's answer
 * may change keep who, how much and which currency.
 */
export const tableGrants: Readonly<Record<string, string | TableGrant>> = {
  'ledger.account': 'select, insert (name, kind, currency, floor)',
  'ledger.currency': readOnly,
  'ledger.posting': readOnly,
  'ledger.entry': readOnly,
  'ledger.permitted_move': readOnly,
  'ledger.token': readOnly,
  'public.transaction': readOnly,
  'public.limit_usage': readOnly,
  'public.limit_usage_by_method': readOnly,
  'public.limit_policy': readOnly,
  'public.rate_fix': {
    rights: appendOnly,
    updateExcept: 'id, source, base, quote, as_of, numerator, denominator, received_at',
  },
  'public.rate_latest': neverDeleted,
  'public.rate_policy': readOnly,
  'public.spread': readOnly,
  'public.late_price_policy': readOnly,
  'public.fee_policy': readOnly,
  'public.risk_policy': readOnly,
  'public.case_policy': readOnly,
  'public.telling_policy': readOnly,
  'public.travel_rule_threshold': readOnly,
  'public.monitoring_policy': readOnly,
  'public.reporting_threshold': readOnly,
  'public.maturity_policy': readOnly,
  'public.street_policy': readOnly,
  'public.withdrawal_cost_policy': readOnly,
  'public.limit_policy_version': readOnly,
  'public.database_cluster': readOnly,
  'public.schema_migration': readOnly,

  'public.payment': {
    rights: appendOnly,
    updateExcept: `id, user_id, purpose, recipient_id, amount_minor, currency, wallet_part_minor, payer_name, counted_on,
      pulled_usd_minor, sent_usd_minor, provider, price_held_until, minimum_target_minor, ${orderColumns}`,
  },
  'public.payout': {
    rights: appendOnly,
    updateExcept: `id, user_id, bank_account_id, amount_minor, fee_minor, card_minor, cost_version, currency, usd_minor, provider,
      ${orderColumns}`,
  },
  'public.transfer': {
    rights: appendOnly,
    updateExcept: `id, kind, sender_id, recipient_id, payment_id, amount_minor, currency, usd_minor,
      request_hash, created_at`,
  },
  'public.payment_request': {
    rights: appendOnly,
    updateExcept: `id, requester_id, payer_id, amount_minor, currency, description, name, allows_parts, expires_at,
      ${orderColumns}`,
  },
  'public.request_payment': {
    rights: appendOnly,
    updateExcept:
      'posting_id, request_id, transaction_id, payer_id, payment_id, amount_minor, paid_minor, paid_currency, created_at',
  },
  'public.guest_payment': {
    rights: 'select, insert, delete',
    updateExcept: 'payment_id, request_id, amount_minor, email, usd_minor, created_at',
  },
  'public.split': appendOnly,
  'public.split_part': appendOnly,
  'public.refused_payment': appendOnly,
  'public.settlement_line': appendOnly,
  'public.reconciliation_exception': {
    rights: appendOnly,
    updateExcept: 'id, kind, provider, subject, reference, amount_minor, currency, opened_at',
  },
  'public.wallet': { rights: appendOnly, updateExcept: 'id, user_id, created_at' },
  'public.bank_account': { rights: appendOnly, updateExcept: 'id, user_id, provider, linked_at' },
  'public.saved_card': { rights: appendOnly, updateExcept: 'id, user_id, provider, saved_at' },
  'public.bank_link': neverDeleted,
  'public.app_user': { rights: appendOnly, updateExcept: 'id, created_at' },
  'public.username_claim': { rights: appendOnly, updateExcept: 'skeleton' },
  'public.reserved_username': readOnly,
  'public.kyc_document': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, document_type, side, content_type, size_bytes, created_at',
  },
  'public.kyc_submission': everything,
  'public.kyc_event': 'select, insert, delete',
  'public.kyc_redaction': 'select, insert, delete',
  'public.kyc_number': { rights: 'select, insert, delete', updateExcept: 'submission_id, kind, last_characters' },
  'public.favorite': { rights: 'select, insert, delete', updateExcept: 'user_id, favorite_id' },
  'public.screening_policy': readOnly,
  'public.screening_fetch': 'select, insert, update',
  'public.screening_list': { rights: appendOnly, updateExcept: 'source, version, sha256, files, entries, imported_at' },
  'public.screening_entry': { rights: appendOnly, updateExcept: 'id, source, reference, first_version' },
  'public.screening_name': everything,
  'public.screening_epoch': appendOnly,
  'public.screening_person': { rights: appendOnly, updateExcept: 'user_id' },
  'public.screening_counterparty': { rights: 'select, insert, delete', updateExcept: 'id, kind, user_id, created_at' },
  'public.screening_match': { rights: appendOnly, updateExcept: 'id, user_id, counterparty_id, entry_id' },
  'public.compliance_case': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, counterparty_id, kind, policy_version, opened_at',
  },
  'public.compliance_case_transfer': { rights: appendOnly, updateExcept: 'case_id, transfer_id, linked_at' },
  'public.compliance_question': { rights: appendOnly, updateExcept: 'id, case_id, need, requested_at, answer_by' },
  'public.compliance_review': { rights: appendOnly, updateExcept: 'id, case_id, cause, opened_at' },
  'public.compliance_objection': { rights: appendOnly, updateExcept: 'id, case_id, user_id, text, made_at' },
  'public.travel_rule_record': {
    rights: 'select, insert, delete',
    updateExcept: `transaction_id, originator_id, beneficiary_id, kind, usd_minor, threshold_country, threshold_valid_from, moved_at,
      recorded_at`,
  },
  'public.travel_rule_position': neverDeleted,
  'public.monitoring_position': neverDeleted,
  'public.retained_hash_key': { rights: appendOnly, updateExcept: 'purpose, key_id, created_at' },
  'public.demo_seed': neverDeleted,
  'public.own_limit': everything,
  'public.risk_profile': neverDeleted,
  'public.risk_payee_day': 'select, insert, update, delete',
  'public.risk_decision': {
    rights: 'select, insert, delete',
    updateExcept: 'id, movement, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed, inputs',
  },
  'public.street_setting': everything,
  'public.street_place': { rights: 'select, insert, delete', updateExcept: 'id, user_id, network, created_at' },
  'public.street_passed': 'select, insert, delete',
  'public.street_hold': { rights: appendOnly, updateExcept: 'transfer_id, confirm_after_seconds' },
  'public.schedule': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, payee_id, wallet_id, time_zone, request_hash, created_at',
  },
  'public.schedule_occurrence': { rights: 'select, insert, delete', updateExcept: 'id, schedule_id, on_date, due_at' },
  'public.exchange_order': {
    rights: 'select, insert, delete',
    updateExcept: `id, user_id, wallet_id, transaction_id, kind, source_currency, target_currency, rate_currency,
      request_hash, created_at`,
  },
  'public.exchange_order_edit': 'select, insert, delete',
  'public.protection_rule': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, kind, request_hash, created_at',
  },
  'public.protection_action': {
    rights: 'select, insert, delete',
    updateExcept: 'id, rule_id, incoming_id, created_at',
  },
  'public.protection_position': neverDeleted,
  'public.rate_alert': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, source_currency, target_currency, request_hash, created_at',
  },
  'public.rate_return_alert': {
    rights: 'select, insert, delete',
    updateExcept: 'user_id, source_currency, target_currency',
  },
  'public.mail_choice': everything,
  'public.told_position': neverDeleted,
  'public.fee_index_month': 'select, insert, delete',
  'public.tracking_link': {
    rights: 'select, insert, delete',
    updateExcept: 'id, transaction_id, user_id, created_at',
  },
  'public.undo_window': { rights: 'select, insert, delete', updateExcept: 'user_id' },
  'public.consent': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, document, version, given_how, given_at',
  },
  'public.data_access': 'select, insert, delete',
  'public.correction_request': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, field, right_value, note, created_at, due_at',
  },
  'public.retained_identity': 'select, insert, delete',
  'public.waitlist': { rights: 'select, insert, delete', updateExcept: 'id, email, joined_at' },

  'public.dispute_policy': readOnly,
  'public.dispute': {
    rights: appendOnly,
    updateExcept: `id, user_id, transaction_id, kind, claimed_minor, currency, facts, hash, policy_country, policy_version,
      opened_at, claimed_fee_minor, is_new_account`,
  },
  'public.dispute_event': { rights: appendOnly, updateExcept: 'id, dispute_id, code, at' },
  'public.dispute_file': {
    rights: 'select, insert, delete',
    updateExcept: 'id, dispute_id, content_type, size_bytes, sha256, created_at',
  },
  'public.dispute_posting': appendOnly,
  'public.dispute_objection': { rights: appendOnly, updateExcept: 'id, dispute_id, made_at' },
  'public.dispute_review': { rights: appendOnly, updateExcept: 'id, dispute_id, cause, opened_at' },

  'public.desk_operator': { rights: appendOnly, updateExcept: 'id, name, created_at' },
  'public.desk_enrolment': 'select, insert, delete',
  'public.desk_passkey': everything,
  'public.desk_ceremony': everything,
  'public.desk_session': everything,
  'public.desk_policy': readOnly,
  'public.desk_own_account': { rights: 'select, insert, delete', updateExcept: 'operator_id, user_id, linked_at' },
  'public.desk_item': { rights: appendOnly, updateExcept: 'queue, subject' },
  'public.desk_decision': appendOnly,
  'public.desk_log': appendOnly,

  // Derived from `transaction` as needed.
  'public.transaction_index_position': everything,
  'public.transaction_index_person': everything,
  'public.transaction_facet': everything,
  'public.transaction_search': everything,
  'public.transaction_word': everything,
  'public.transaction_renamed': everything,
  'public.balance_day': everything,

  // Deleted after a while: see housekeeping.ts.
  'public.quote': {
    rights: 'select, insert, delete',
    updateExcept: 'id, user_id, recipient_id, created_at, expires_at, locked_price, signature',
  },
  'public.liquidity_limit': neverDeleted,
  'public.liquidity_default': readOnly,
  'public.liquidity_reservation': 'select, insert, delete',
  'public.liquidity_total': neverDeleted,
  'public.treasury_order': {
    rights: appendOnly,
    updateExcept: 'id, provider, currency, sell_currency, sell_minor, buy_currency, ordered_by, created_at',
  },
  'public.provider_event': everything,
  'public.reconciliation_run': 'select, insert, delete',
  'public.audit_run': 'select, insert, delete',
  'public.detached_instrument': everything,
  'public.mail': everything,
  'public.notification': everything,
  'public.changed_topic': 'select, insert, delete',
  'public.session': everything,
  'public.refresh_token': everything,
  'public.signing_key': everything,
  'public.login_attempt': everything,
  'public.mail_request': everything,
  'public.mailed_link': everything,
  'public.sign_in_challenge': everything,
  'public.totp': everything,
  'public.recovery_code': everything,
  'public.passkey': everything,
  'public.passkey_ceremony': everything,
  'public.external_identity': everything,
  'public.external_sign_in': everything,
  'public.external_link': everything,
  'public.spent_id_token': everything,
  'public.step_up_confirmation': everything,
  'public.rate_limit': everything,
}

/** Definer functions, and whether the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.move_money': true,
  'public.create_pending_transactions': true,
  'public.fail_pending_transaction': true,
  'public.price_pending_order': true,
  'public.price_pending_transaction': true,
  'public.reverse_limit_usage': true,
  'public.clear_limit_usage': true,
  'public.count_limit_usage': true,
  'public.limits_of': true,
  'public.decide_limits': false,
  'public.dispute_given': true,
  'public.lock_disputed_transaction': false,
  'public.require_given_once': false,
  'public.renew_free_room': false,
  'public.open_limit_usage': false,
  'public.note_limit_policy': false,
  'public.forget_free_room': false,
  'ledger.lock_accounts': true,
  'ledger.close_accounts': true,
  'ledger.reopen_accounts': true,
  'ledger.open_stripes': true,
  'ledger.refuse': true,
  'ledger.reserve_token': true,
  'ledger.release_token': true,
  'ledger.post': false,
}
