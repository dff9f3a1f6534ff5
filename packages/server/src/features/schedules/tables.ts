import { type Tables, amountSql } from '../../platform/database/tables.ts'

export const tables: Tables = {
  schedule: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, payee_id, wallet_id, time_zone, request_hash, created_at',
    personal: {
      category: 'plans',
      columns: `id, payee_id, side, ${amountSql(
        'amount_minor',
        "case side when 'target' then target_currency else source_currency end",
        'amount',
      )}, source_currency, target_currency, note, recurrence, time_zone, state, next_on, paused_until, created_at, ended_at`,
      since: 'created_at',
    },
    retention: {
      days: 730,
      clock: 'product',
      isOld: 'ended_at < $1 and not exists (select from schedule_occurrence where schedule_id = schedule.id)',
    },
    erasure: [
      `update schedule set state = 'stopped', paused_until = null, resume_at = null, next_on = null, next_at = null,
          warn_at = null, updated_at = $2, ended_at = $2
    where user_id = $1 and state = 'paused'`,
    ],
    facts: {
      rows: 'schedules',
      keys: 'id',
      columns: `user_id, payee_id, wallet_id, source_currency, target_currency, side, amount_minor, recurrence, anchor_on, time_zone, ceiling_minor,
    has_rate_guard, wait_days, confirmed_at, confirmed_recurrence, confirmed_ceiling_minor, confirmed_from, state, next_on`,
    },
  },
  schedule_occurrence: {
    rights: 'select, insert, delete',
    fixed: 'id, schedule_id, on_date, due_at',
    personal: {
      category: 'plans',
      columns: 'o.schedule_id, o.on_date, o.due_at, o.state, o.reason, o.transaction_id, o.closed_at',
      rows: 'from schedule_occurrence o join schedule s on s.id = o.schedule_id where s.user_id = $1',
      since: 'o.due_at',
    },
    // Sent dates remain as transactions.
    retention: { days: 730, clock: 'product', isOld: 'closed_at < $1' },
    facts: {
      rows: 'dates of schedules',
      keys: 'id',
      columns: 'schedule_id, on_date, due_at, state, transaction_id, total_minor, ceiling_minor, closed_at',
    },
  },
}
