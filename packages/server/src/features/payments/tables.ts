import {
  type Tables,
  amountSql,
  appendOnly,
  allPrivileges,
  undeletable,
  requestColumns,
  readOnly,
} from '../../platform/database/tables.ts'

/** Purpose of the seal of names that banks know. */
export const payeeSealPurpose = 'payments/payee'

/** Days for which provider reports are reconciled; older reports count as reconciled. */
export const reconciledDays = 730

export const tables: Tables = {
  bank_account: {
    rights: appendOnly,
    fixed: 'id, user_id, provider, linked_at',
    personal: {
      category: 'instruments',
      columns: 'id, bank_name, last4, currency, country, provider, is_default, linked_at, removed_at',
      since: 'linked_at',
    },
  },
  bank_link: {
    rights: undeletable,
    personal: {
      category: 'instruments',
      columns: `id, provider, status, failed_because, created_at, updated_at,
      ${amountSql('withdrawal_minor', 'withdrawal_currency', 'withdrawal')}, withdrawal_currency`,
      since: 'created_at',
    },
    erasure: [`update bank_link set status = 'canceled', updated_at = $2 where user_id = $1 and status = 'pending'`],
  },
  saved_card: {
    rights: appendOnly,
    fixed: 'id, user_id, provider, saved_at',
    personal: {
      category: 'instruments',
      columns: 'id, brand, last4, exp_month, exp_year, provider, is_default, saved_at, removed_at',
      since: 'saved_at',
    },
  },
  detached_instrument: {
    rights: allPrivileges,
    // Names no person, and is deleted once the provider has confirmed.
    personal: { category: 'instruments', unread: 'passing' },
  },
  payment: {
    rights: appendOnly,
    fixed: `id, user_id, purpose, recipient_id, amount_minor, currency, wallet_part_minor, payer_name, counted_on,
      pulled_usd_minor, sent_usd_minor, provider, price_held_until, minimum_target_minor, ${requestColumns}`,
    personal: {
      category: 'money',
      columns: `id, purpose, status, method, ${amountSql('amount_minor', 'currency', 'amount')}, currency, provider,
      recipient_id, payer_name, description, reason, transaction_id, created_at, updated_at`,
      since: 'created_at',
    },
  },
  refused_payment: {
    rights: appendOnly,
    personal: { category: 'money', columns: 'code, details, refused_at', since: 'refused_at' },
  },
  late_price_policy: {
    rights: readOnly,
    personal: 'none',
  },
  withdrawal_cost_policy: {
    rights: readOnly,
    personal: 'none',
  },
  payout: {
    rights: appendOnly,
    fixed: `id, user_id, bank_account_id, amount_minor, fee_minor, cost_version, currency, usd_minor, provider,
      ${requestColumns}`,
    personal: {
      category: 'money',
      columns: `id, status, ${amountSql('amount_minor', 'currency', 'amount')}, currency, provider, bank_account_id,
      expected_on, reason, payee_check_id, payee_result, payee_answer, payee_answered_at, transaction_id, created_at,
      updated_at`,
      since: 'created_at',
    },
  },
  payee_check: {
    rights: 'select, insert, delete',
    fixed: `id, user_id, bank_account_id, provider, scheme, result, subject_hash, reference, checked_at, valid_until`,
    personal: {
      category: 'instruments',
      columns: `id, bank_account_id, scheme, result, known_name is not null as names_holder, reference, checked_at, told_at`,
      since: 'checked_at',
    },
    // Record-keeping of payment services: five years.
    retention: { days: 5 * 365, clock: 'product', isOld: 'checked_at < $1' },
    erasure: ['update payee_check set known_name = null where user_id = $1'],
    sealed: [{ column: 'known_name', key: 'id', keyType: 'uuid', purpose: payeeSealPurpose, context: 'id::text' }],
  },
  payout_conversion: {
    rights: appendOnly,
    personal: { category: 'money', unread: 'derived' },
  },
  provider_event: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
    // Providers repeat events within a month.
    retention: { days: 400, clock: 'product', isOld: 'received_at < $1' },
  },
  settlement_line: {
    rights: appendOnly,
    personal: { category: 'money', unread: 'derived' },
  },
  operator_line: {
    rights: appendOnly,
    personal: 'none',
  },
  issuer_warning: {
    rights: appendOnly,
    fixed: 'provider, id, payment_id, warned_at',
    personal: { category: 'money', unread: 'derived' },
  },
  reconciliation_exception: {
    rights: appendOnly,
    fixed: 'id, kind, provider, subject, reference, owner_id, amount_minor, currency, opened_at',
    personal: { category: 'money', unread: 'derived' },
    facts: {
      rows: 'losses and other exceptions',
      keys: 'id',
      columns: `kind, provider, subject, reference, amount_minor, currency, opened_at, happened_at, closed_at, resolution, resolved_manually`,
    },
  },
  reconciliation_run: {
    rights: 'select, insert, delete',
    personal: 'none',
    retention: { days: reconciledDays, clock: 'product', isOld: 'until_at < $1' },
  },
}
