import type { DataCategory, HeldData } from '@tern/contract/privacy/privacy'
import { accountTables } from './account-tables.ts'
import type { HeldTable } from './held-table.ts'
import { moneyTables } from './money-tables.ts'
import { planTables } from './plan-tables.ts'

/** Every table with data about people. held-tables.test.ts fails when a table is neither here nor among those without. */
export const heldTables: readonly HeldTable[] = [...accountTables, ...moneyTables, ...planTables]

/**
 * Tables that say nothing of any person: the product's own settings, rates and books, and those of operators, whose looks at
 * somebody's data are rows of `data_access`.
 */
export const tablesWithoutPeople: readonly string[] = [
  'audit_run',
  'case_policy',
  'database_cluster',
  'demo_seed',
  'desk_ceremony',
  'desk_decision',
  'desk_enrolment',
  'desk_item',
  'desk_log',
  'desk_operator',
  'desk_passkey',
  'desk_policy',
  'desk_session',
  'dispute_credit_policy',
  'dispute_policy',
  'dispute_review',
  'fee_index_month',
  'fee_policy',
  'kyc_event',
  'kyc_redaction',
  'late_price_policy',
  'ledger.currency',
  'ledger.permitted_move',
  'ledger.token',
  'limit_policy',
  'limit_policy_version',
  'liquidity_change',
  'liquidity_default',
  'liquidity_limit',
  'liquidity_total',
  'maturity_policy',
  'protection_position',
  'rate_fix',
  'rate_latest',
  'rate_policy',
  'reconciliation_run',
  'reserved_username',
  'retained_hash_key',
  'risk_policy',
  'row_acceptance',
  'schema_migration',
  'screening_entry',
  'screening_epoch',
  'screening_fetch',
  'screening_list',
  'screening_name',
  'screening_policy',
  'signing_key',
  'spread',
  'street_policy',
  'telling_policy',
  'told_position',
  'transaction_index_position',
  'monitoring_policy',
  'monitoring_position',
  'reporting_threshold',
  'travel_rule_position',
  'travel_rule_threshold',
  'treasury_order',
  'withdrawal_cost_policy',
]

/** Where the data of a category comes from, why it may be held, for how long, and where it is corrected. */
export const categories: Readonly<Record<DataCategory, Omit<HeldData, 'category' | 'entries' | 'since'>>> = {
  account: { origin: 'person', basis: 'contract', retention: 'until_account_ends', correct: 'profile' },
  identity: { origin: 'person', basis: 'law', retention: 'five_years_after_end', correct: 'request' },
  money: { origin: 'both', basis: 'law', retention: 'as_long_as_the_books', correct: 'none' },
  instruments: { origin: 'person', basis: 'contract', retention: 'until_removed', correct: 'none' },
  plans: { origin: 'person', basis: 'contract', retention: 'two_years', correct: 'none' },
  people: { origin: 'person', basis: 'contract', retention: 'until_removed', correct: 'none' },
  logins: { origin: 'product', basis: 'protection', retention: 'four_hundred_days', correct: 'settings' },
  limits: { origin: 'both', basis: 'law', retention: 'four_hundred_days', correct: 'settings' },
  messages: { origin: 'product', basis: 'contract', retention: 'ninety_days', correct: 'settings' },
  privacy: { origin: 'both', basis: 'law', retention: 'five_years_after_end', correct: 'settings' },
}
