import { amountSql, type HeldTable } from './held-table.ts'

const ofUser = (table: string): string => `from ${table} where user_id = $1`

/** What people have planned, asked for and been asked for. Of others: their user number, which the person chose them by. */
export const planTables: readonly HeldTable[] = [
  {
    ...{ table: 'favorite', category: 'people', rows: ofUser('favorite'), since: 'created_at' },
    columns: 'favorite_id, (select username from app_user where id = favorite_id) as username, created_at',
  },
  {
    ...{ table: 'shown_name', category: 'people', rows: 'from shown_name where viewer_id = $1', since: 'shown_at' },
    columns: 'owner_id, (select username from app_user where id = owner_id) as username, shown_at',
  },
  {
    ...{ table: 'schedule', category: 'plans', rows: ofUser('schedule'), since: 'created_at' },
    columns: `id, payee_id, side, ${amountSql(
      'amount_minor',
      "case side when 'target' then target_currency else source_currency end",
      'amount',
    )}, source_currency, target_currency, note, recurrence, time_zone, state, next_on, paused_until, created_at, ended_at`,
  },
  {
    ...{ table: 'schedule_occurrence', category: 'plans', since: 'o.due_at' },
    columns: 'o.schedule_id, o.on_date, o.due_at, o.state, o.reason, o.transaction_id, o.closed_at',
    rows: 'from schedule_occurrence o join schedule s on s.id = o.schedule_id where s.user_id = $1',
  },
  {
    ...{ table: 'exchange_order', category: 'plans', rows: ofUser('exchange_order'), since: 'created_at' },
    columns: `id, kind, state, ${amountSql('source_minor', 'source_currency', 'source_amount')}, source_currency,
      target_currency, ${amountSql('fee_minor', 'source_currency', 'fee')}, rate, rate_currency, worst_rate, expires_at,
      transaction_id, created_at, edited_at, ended_at`,
  },
  {
    ...{ table: 'exchange_order_edit', category: 'plans', since: 'e.created_at' },
    columns: 'e.order_id, e.created_at',
    rows: 'from exchange_order_edit e join exchange_order o on o.id = e.order_id where o.user_id = $1',
  },
  {
    ...{ table: 'protection_rule', category: 'plans', rows: ofUser('protection_rule'), since: 'created_at' },
    columns: `id, kind, is_on, currency, base_currency, share_percent,
      ${amountSql('threshold_minor', 'base_currency', 'threshold')}, created_at, updated_at`,
  },
  {
    ...{ table: 'protection_action', category: 'plans', since: 'a.created_at' },
    columns: 'a.rule_id, a.state, a.reason, a.transaction_id, a.created_at, a.closed_at',
    rows: 'from protection_action a join protection_rule r on r.id = a.rule_id where r.user_id = $1',
  },
  {
    ...{ table: 'rate_alert', category: 'plans', rows: ofUser('rate_alert'), since: 'created_at' },
    columns: 'id, source_currency, target_currency, rate_side, rate, told_at, told_rate, created_at',
  },
  {
    ...{ table: 'rate_return_alert', category: 'plans', rows: ofUser('rate_return_alert'), since: 'created_at' },
    columns: 'source_currency, target_currency, created_at',
  },
  {
    ...{ table: 'undo_window', category: 'plans', rows: ofUser('undo_window') },
    columns: 'seconds, applies_to, updated_at',
  },
  {
    ...{ table: 'tracking_link', category: 'plans', rows: ofUser('tracking_link'), since: 'created_at' },
    columns: 'id, transaction_id, shows_amounts, created_at, ended_at',
  },
  {
    ...{ table: 'payment_request', category: 'plans', since: 'created_at' },
    columns: `id, requester_id, payer_id, ${amountSql('amount_minor', 'currency', 'amount')}, currency, description, name,
      allows_parts, status, ${amountSql('paid_minor', 'currency', 'paid')}, created_at, expires_at, closed_at, decline_reason`,
    rows: 'from payment_request where requester_id = $1 or payer_id = $1',
  },
  {
    ...{ table: 'request_payment', category: 'plans', since: 'p.created_at' },
    columns: `p.request_id, p.payer_id, ${amountSql('p.amount_minor', 'r.currency', 'amount')}, r.currency,
      ${amountSql('p.paid_minor', 'p.paid_currency', 'paid')}, p.paid_currency, p.status, p.created_at`,
    rows: `from request_payment p join payment_request r on r.id = p.request_id
      where r.requester_id = $1 or p.payer_id = $1`,
  },
  {
    ...{ table: 'guest_payment', category: 'plans', since: 'g.created_at' },
    columns: `g.request_id, ${amountSql('g.amount_minor', 'r.currency', 'amount')}, r.currency, g.created_at`,
    rows: `from guest_payment g join payment_request r on r.id = g.request_id
      where r.requester_id = $1 or (g.email = (select lower(email) from app_user
        where id = $1 and email_proven_at is not null))`,
  },
  {
    ...{ table: 'split', category: 'plans', rows: ofUser('split'), since: 'created_at' },
    columns: `id, ${amountSql('total_minor', 'currency', 'total')}, currency, description, split_by, people,
      ${amountSql('own_minor', 'currency', 'own_part')}, created_at`,
  },
  {
    ...{ table: 'split_part', category: 'plans' },
    columns: 'p.split_id, p.position, p.request_id, p.shares',
    rows: 'from split_part p join split s on s.id = p.split_id where s.user_id = $1',
  },
]
