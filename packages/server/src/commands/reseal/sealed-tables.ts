// Tables whose rows are under seal (`seal_table`), as their triggers `row_is_sealed` seal them.

export interface SealedTable {
  readonly table: string
  /** The rows as the report names them. */
  readonly rows: string
  /** Columns of the primary key, by which a seal finds its row. */
  readonly keys: string
  /** Columns under seal, in the order of the table's trigger `row_is_sealed`. */
  readonly facts: string
}

const ofId = (table: string, rows: string, facts: string): SealedTable => ({ table, rows, keys: 'id', facts })

const decisions: readonly SealedTable[] = [
  ofId(
    'transfer',
    'held transfers',
    `kind,state,sender_id,recipient_id,payment_id,amount_minor,currency,usd_minor,locked_price,quote_id,hold_reason,held_until,
    release_reason,decided_by,decision_note,created_at,held_at,decided_at`,
  ),
  {
    table: 'street_hold',
    rows: 'holds of street mode',
    keys: 'transfer_id',
    facts: 'confirm_after_seconds,confirmed_at',
  },
  ofId('compliance_case', 'cases', 'user_id,kind,state,stops,need,need_by,decide_by,opened_at,decided_at,decided_by'),
  ofId('compliance_objection', 'objections to cases', 'case_id,user_id,state,made_at,decide_by,decided_at,decided_by'),
  { table: 'desk_item', rows: 'items of the desk', keys: 'queue,subject', facts: 'round,verdict' },
  ofId('desk_decision', 'decisions of the desk', 'queue,subject,round,seat,operator_id,verdict,reason,decided_at'),
  ofId('app_user', 'freezes of accounts', 'frozen_at'),
]

const disputesAndLosses: readonly SealedTable[] = [
  ofId(
    'dispute',
    'disputes',
    `user_id,transaction_id,kind,state,claimed_minor,claimed_fee_minor,currency,opened_at,decide_by,credit_by,need,need_by,outcome,
    decided_at,suspected_at`,
  ),
  ofId('dispute_objection', 'objections in disputes', 'dispute_id,state,made_at,decide_by,decided_at'),
  {
    table: 'dispute_posting',
    rows: 'movements of disputes',
    keys: 'posting_id,dispute_id',
    facts: 'kind,transaction_id,amount_minor,fee_minor,currency,at',
  },
  ofId(
    'reconciliation_exception',
    'losses and other exceptions',
    `kind,provider,subject,reference,amount_minor,currency,opened_at,happened_at,closed_at,resolution,resolved_manually`,
  ),
]

const orders: readonly SealedTable[] = [
  ofId(
    'schedule',
    'schedules',
    `user_id,payee_id,wallet_id,source_currency,target_currency,side,amount_minor,recurrence,anchor_on,time_zone,ceiling_minor,
    has_rate_guard,wait_days,confirmed_at,confirmed_recurrence,confirmed_ceiling_minor,confirmed_from,state,next_on`,
  ),
  ofId(
    'schedule_occurrence',
    'dates of schedules',
    'schedule_id,on_date,due_at,state,transaction_id,total_minor,ceiling_minor,closed_at',
  ),
  ofId(
    'exchange_order',
    'exchange orders',
    `user_id,wallet_id,transaction_id,kind,state,source_currency,target_currency,source_minor,fee_minor,fee_basis_points,
    rate_currency,rate,worst_rate,minimum_minor,trigger_numerator,trigger_denominator,expires_at,quote_id,created_at,ended_at`,
  ),
  ofId(
    'protection_rule',
    'protection rules',
    'user_id,kind,is_on,currency,base_currency,share_percent,threshold_minor',
  ),
  ofId(
    'payment_request',
    'payment requests',
    'requester_id,payer_id,amount_minor,currency,allows_parts,created_at,expires_at',
  ),
  {
    table: 'guest_payment',
    rows: 'payments of guests',
    keys: 'payment_id',
    facts: 'request_id,amount_minor,usd_minor,refusal,created_at',
  },
  ofId(
    'treasury_order',
    'orders to venues',
    `provider,currency,sell_currency,sell_minor,buy_currency,state,reference,sold_minor,bought_minor,reason,ordered_by,created_at,
    filled_at`,
  ),
]

const limits: readonly SealedTable[] = [
  {
    table: 'liquidity_limit',
    rows: 'limits of positions',
    keys: 'currency',
    facts: 'long_minor,short_minor,flatten_above_minor,changed_by,changed_at',
  },
  {
    table: 'own_limit',
    rows: 'limits that people set',
    keys: 'user_id,direction,period',
    facts: 'max_usd_minor,next_max_usd_minor,next_at',
  },
]

/** All tables under seal, in report order. */
export const sealedTables: readonly SealedTable[] = [...decisions, ...disputesAndLosses, ...orders, ...limits]

/** Names of columns in a list of them. */
export const columnsOf = (columns: string): string[] => columns.split(',').map((column) => column.trim())
