import { amountSql, dollarSql, type HeldTable } from './held-table.ts'

const ofUser = (table: string): string => `from ${table} where user_id = $1`

/** The accounts of a person's wallet, by name, so that the index finds them. */
const ownAccounts = `from ledger.account where name = any(array(
  select prefix || wallet.id || ':' || currency.code
    from wallet, ledger.currency, unnest(array['wallet:', 'hold:']) as prefix where user_id = $1))`

/** Balances and what moved them. Of others: the name that the person's own list shows. */
export const moneyTables: readonly HeldTable[] = [
  {
    ...{ table: 'wallet', category: 'money', rows: ofUser('wallet'), since: 'created_at' },
    columns: 'id, name, base_currency, created_at',
  },
  {
    ...{ table: 'ledger.account', category: 'money', file: 'balance', rows: ownAccounts },
    columns: `name, currency, ${amountSql('balance', 'currency', 'balance')}, version as entries`,
  },
  {
    ...{ table: 'ledger.entry', category: 'money', file: 'ledger_entry', since: 'e.created_at' },
    columns: `own.name as account, own.currency, e.version as number, e.posting_id,
      ${amountSql('e.amount', 'own.currency', 'amount')}, ${amountSql('e.balance', 'own.currency', 'balance')}, e.created_at`,
    rows: `from (select id, name, currency ${ownAccounts}) own join ledger.entry e on e.account_id = own.id`,
  },
  {
    ...{ table: 'restricted_money', category: 'money', rows: ofUser('restricted_money'), since: 'created_at' },
    columns: `reason, ${amountSql('minor', 'currency', 'amount')}, currency, origin,
      nullif(matures_at, 'infinity') as matures_at, created_at`,
  },
  {
    ...{ table: 'transaction', category: 'money', since: 't.created_at' },
    columns: `t.id, t.kind, t.status, t.created_at, t.description,
      ${amountSql('t.source_amount', 't.source_currency', 'source_amount')}, t.source_currency,
      ${amountSql('t.target_amount', 't.target_currency', 'target_amount')}, t.target_currency,
      ${amountSql('t.fee_amount', 't.fee_currency', 'fee')}, t.fee_currency,
      (t.rate_numerator / nullif(t.rate_denominator, 0))::text as rate,
      t.payment_source, t.passed_by_room, t.sender_id, t.recipient_id, other.username as other_username`,
    rows: `from transaction t left join app_user other
        on other.id = case t.kind when 'RECEIVE' then t.sender_id when 'SEND' then t.recipient_id end
      where t.user_id = $1`,
  },
  {
    ...{ table: 'transfer', category: 'money', since: 'created_at', rows: 'from transfer where sender_id = $1' },
    columns: `id, kind, state, recipient_id, ${amountSql('amount_minor', 'currency', 'amount')}, currency, description,
      hold_reason, held_until, release_reason, created_at, held_at, decided_at`,
  },
  {
    ...{ table: 'payment', category: 'money', rows: ofUser('payment'), since: 'created_at' },
    columns: `id, purpose, status, method, ${amountSql('amount_minor', 'currency', 'amount')}, currency, provider,
      recipient_id, payer_name, description, reason, transaction_id, created_at, updated_at`,
  },
  {
    ...{ table: 'payout', category: 'money', rows: ofUser('payout'), since: 'created_at' },
    columns: `id, status, ${amountSql('amount_minor', 'currency', 'amount')}, currency, provider, bank_account_id,
      expected_on, reason, transaction_id, created_at, updated_at`,
  },
  {
    ...{ table: 'dispute', category: 'money', rows: ofUser('dispute'), since: 'opened_at' },
    columns: `id, transaction_id, kind, state, outcome, statement, ${amountSql('claimed_minor', 'currency', 'claimed')},
      ${amountSql('claimed_fee_minor', 'currency', 'claimed_fee')}, currency, facts, opened_at, decide_by, credit_by, escalated_at, need, need_by, decided_at`,
  },
  {
    ...{ table: 'dispute_event', category: 'money', since: 'e.at' },
    columns: 'e.dispute_id, e.code, e.text, e.at',
    rows: 'from dispute_event e join dispute d on d.id = e.dispute_id where d.user_id = $1',
  },
  {
    ...{ table: 'dispute_file', category: 'money', since: 'f.created_at' },
    columns: 'f.id, f.dispute_id, f.content_type, f.size_bytes, f.created_at',
    rows: 'from dispute_file f join dispute d on d.id = f.dispute_id where d.user_id = $1',
  },
  {
    ...{ table: 'dispute_posting', category: 'money', since: 'p.at' },
    columns: `p.dispute_id, p.kind, p.transaction_id, ${amountSql('p.amount_minor', 'p.currency', 'amount')},
      ${amountSql('p.fee_minor', 'p.currency', 'fee')}, p.currency, p.at`,
    rows: 'from dispute_posting p join dispute d on d.id = p.dispute_id where d.user_id = $1',
  },
  {
    ...{ table: 'dispute_objection', category: 'money', since: 'o.made_at' },
    columns: 'o.dispute_id, o.text, o.state, o.made_at, o.decide_by, o.decided_at',
    rows: 'from dispute_objection o join dispute d on d.id = o.dispute_id where d.user_id = $1',
  },
  {
    ...{ table: 'refused_payment', category: 'money', rows: ofUser('refused_payment'), since: 'refused_at' },
    columns: 'code, details, refused_at',
  },
  {
    ...{ table: 'quote', category: 'money', rows: ofUser('quote'), since: 'created_at' },
    columns: 'id, recipient_id, locked_price, created_at, expires_at',
  },
  {
    ...{ table: 'bank_account', category: 'instruments', rows: ofUser('bank_account'), since: 'linked_at' },
    columns: 'id, bank_name, last4, currency, country, provider, is_default, linked_at, removed_at',
  },
  {
    ...{ table: 'saved_card', category: 'instruments', rows: ofUser('saved_card'), since: 'saved_at' },
    columns: 'id, brand, last4, exp_month, exp_year, provider, is_default, saved_at, removed_at',
  },
  {
    ...{ table: 'bank_link', category: 'instruments', rows: ofUser('bank_link'), since: 'created_at' },
    columns: `id, provider, status, failed_because, created_at, updated_at,
      ${amountSql('withdrawal_minor', 'withdrawal_currency', 'withdrawal')}, withdrawal_currency`,
  },
  // It names no person, and goes as soon as the provider has been told.
  { table: 'detached_instrument', category: 'instruments', unread: 'passing' },
  {
    ...{ table: 'own_limit', category: 'limits', rows: ofUser('own_limit') },
    columns: `direction, period, ${dollarSql('max_usd_minor', 'max_usd')}, ${dollarSql('next_max_usd_minor', 'next_max_usd')},
      next_at`,
  },
  {
    ...{ table: 'limit_usage', category: 'limits', rows: ofUser('limit_usage'), since: 'day::timestamptz' },
    columns: `day, ${dollarSql('usd_minor', 'usd')}, movements`,
  },
  {
    ...{ table: 'limit_usage_by_method', category: 'limits', since: 'day::timestamptz' },
    columns: `day, method, ${dollarSql('usd_minor', 'usd')}, movements`,
    rows: ofUser('limit_usage_by_method'),
  },
  {
    ...{ table: 'risk_profile', category: 'limits', rows: ofUser('risk_profile') },
    columns: `proven_at, ${dollarSql('unproven_usd_minor', 'unproven_usd')}, unproven_payments`,
  },
  { table: 'send_guard', category: 'limits', unread: 'derived' },
  {
    ...{ table: 'risk_payee_day', category: 'limits', rows: ofUser('risk_payee_day'), since: 'day::timestamptz' },
    columns: `day, payee, is_trusted, ${dollarSql('usd_minor', 'usd')}`,
  },
  {
    ...{ table: 'risk_decision', category: 'limits', rows: ofUser('risk_decision'), since: 'decided_at' },
    columns: `decided_at, kind, payee, ${dollarSql('usd_minor', 'usd')}, rule, passed, policy_version, inputs`,
  },
  {
    ...{ table: 'street_setting', category: 'limits', rows: ofUser('street_setting'), since: 'valid_from' },
    columns: 'valid_from, is_on, limit_minor, currency, night_from, night_until, time_zone',
  },
  {
    ...{ table: 'street_place', category: 'limits', rows: ofUser('street_place'), since: 'created_at' },
    columns: 'name, country, network, trusted_from, created_at',
  },
  {
    ...{ table: 'street_passed', category: 'limits', rows: ofUser('street_passed'), since: 'passed_at' },
    columns: `passed_at, ${dollarSql('usd_minor', 'usd')}`,
  },
  { table: 'street_hold', category: 'money', unread: 'derived' },
  { table: 'transaction_index_person', category: 'money', unread: 'derived' },
  { table: 'transaction_facet', category: 'money', unread: 'derived' },
  { table: 'transaction_search', category: 'money', unread: 'derived' },
  { table: 'transaction_word', category: 'money', unread: 'derived' },
  { table: 'transaction_renamed', category: 'money', unread: 'derived' },
  { table: 'balance_day', category: 'money', unread: 'derived' },
  { table: 'ledger.posting', category: 'money', unread: 'derived' },
  { table: 'settlement_line', category: 'money', unread: 'derived' },
  { table: 'reconciliation_exception', category: 'money', unread: 'derived' },
  { table: 'provider_event', category: 'money', unread: 'derived' },
  { table: 'row_seal', category: 'money', unread: 'derived' },
  { table: 'liquidity_reservation', category: 'money', unread: 'passing' },
]
