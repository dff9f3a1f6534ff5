// Deletes rows no longer needed. Money and its history stay: postings, entries, transactions, payments, payouts,
// settlement lines and cases.

import type pg from 'pg'

const dayMs = 86_400_000
/** Small enough that no statement holds locks or the WAL for long. */
const batchRows = 2000

interface Rule {
  /** Days to keep after the row's time. */
  readonly keepDays: number
  /** `product`: the clock that dates the rows, movable in a sandbox. `real`: sign-in data. */
  readonly clock: 'product' | 'real'
  /** Deletes at most $2 rows dated before $1. */
  readonly statement: string
}

/** Deletes `limit` rows for which `isOld` compares their time to $1. */
const deleteRows = (table: string, isOld: string): string =>
  `delete from ${table} where ctid = any (array(select ctid from ${table} where ${isOld} limit $2))`

/** Provider reports are reconciled for this long; older ones count as reconciled. */
export const keepReconciliationRunsDays = 730

const signInData = (table: string, isOld: string, keepDays: number): Rule => ({
  keepDays,
  clock: 'real',
  statement: deleteRows(table, isOld),
})

/** In order: rows naming a session before the session. docs/operating.md lists the same. */
export const retentionRules: Readonly<Record<string, Rule>> = {
  refresh_token: signInData('refresh_token', 'expires_at < $1', 0),
  sign_in_challenge: signInData('sign_in_challenge', 'expires_at < $1', 0),
  passkey_ceremony: signInData('passkey_ceremony', 'expires_at < $1', 0),
  desk_ceremony: signInData('desk_ceremony', 'expires_at < $1', 0),
  desk_enrolment: signInData('desk_enrolment', 'expires_at < $1', 1),
  desk_session: signInData('desk_session', 'created_at < $1', 1),
  external_sign_in: signInData('external_sign_in', 'expires_at < $1', 1),
  external_link: signInData('external_link', 'expires_at < $1', 1),
  spent_id_token: signInData('spent_id_token', 'expires_at < $1', 1),
  signing_key: signInData('signing_key', 'retired_at < $1', 30),
  // Kept sessions make devices and places familiar. One always stays, since an account's first sign-in sends no alert.
  session: signInData(
    'session',
    `last_used_at < $1
       and exists (select from session as later where later.user_id = session.user_id
                     and (later.last_used_at, later.id) > (session.last_used_at, session.id))
       and not exists (select from refresh_token where session_id = session.id)
       and not exists (select from step_up_confirmation where session_id = session.id)
       and not exists (select from mailed_link where session_id = session.id)
       and not exists (select from passkey where session_id = session.id)
       and not exists (select from totp where session_id = session.id)`,
    400,
  ),
  tracking_link: {
    keepDays: 90,
    clock: 'product',
    statement: deleteRows('tracking_link', 'ended_at < $1'),
  },
  // The email of somebody who paid nothing.
  guest_payment: {
    keepDays: 90,
    clock: 'product',
    statement: deleteRows(
      'guest_payment',
      `created_at < $1
         and exists (select from payment where payment.id = guest_payment.payment_id and payment.status = 'failed')`,
    ),
  },
  // What was deleted is counted for a day. Files of somebody who was never verified by them, and of whoever left as long ago as
  // who they were has to be kept.
  kyc_document: {
    keepDays: 2,
    clock: 'product',
    statement: deleteRows(
      'kyc_document',
      `deleted_at < $1
         or (created_at < $1 - interval '178 days'
             and exists (select from app_user where id = user_id
                           and kyc_status in ('not_started', 'needs_information', 'rejected'))
             and not exists (select from kyc_submission form
                               where form.user_id = kyc_document.user_id and form.status = 'verified')
             and not exists (select from retained_identity kept where kept.user_id = kyc_document.user_id))
         or exists (select from retained_identity left_long_ago
                     where left_long_ago.user_id = kyc_document.user_id and due_at < $1 + interval '2 days')`,
    ),
  },
  // Names that led to no send or schedule.
  shown_name: {
    keepDays: 30,
    clock: 'product',
    statement: deleteRows(
      'shown_name',
      `shown_at < $1
         and not exists (select from transaction where user_id = viewer_id and recipient_id = owner_id and kind = 'SEND')
         and not exists (select from schedule where user_id = viewer_id and payee_id = owner_id)`,
    ),
  },
  // Providers send an event again for days at most.
  kyc_event: {
    keepDays: 90,
    clock: 'product',
    statement: deleteRows('kyc_event', 'received_at < $1'),
  },
  // Five years, for which a court may still ask for them.
  dispute_file: {
    keepDays: 1827,
    clock: 'product',
    statement: deleteRows(
      'dispute_file',
      `created_at < $1 and exists (select from dispute where dispute.id = dispute_id and decided_at is not null)`,
    ),
  },
  mail: signInData('mail', 'created_at < $1', 90),
  // Unread and unanswered ones are kept twice as long.
  notification: {
    keepDays: 90,
    clock: 'product',
    statement: deleteRows(
      'notification',
      `created_at < $1 and (read_at is not null and not (needs_action and answered_at is null)
                            or created_at < $1 - interval '90 days')`,
    ),
  },
  // Event streams look back by ten minutes.
  changed_topic: signInData('changed_topic', 'changed_at < $1', 1),
  // Providers repeat events within a month.
  provider_event: { keepDays: 400, clock: 'product', statement: deleteRows('provider_event', 'received_at < $1') },
  // By a function that keeps 400 days: the application may not delete what limits depend on.
  limit_usage: { keepDays: 400, clock: 'product', statement: 'select from clear_limit_usage($1::date, $2)' },
  // The function never deletes a lot that is in force.
  restricted_money: { keepDays: 30, clock: 'product', statement: 'select from forget_matured_money($1, $2)' },
  risk_payee_day: { keepDays: 40, clock: 'product', statement: deleteRows('risk_payee_day', 'day < $1::date') },
  street_passed: { keepDays: 40, clock: 'product', statement: deleteRows('street_passed', 'passed_at < $1') },
  // As long as a payment can be disputed (PSD2, article 71: 13 months), and a while longer.
  risk_decision: { keepDays: 730, clock: 'product', statement: deleteRows('risk_decision', 'decided_at < $1') },
  // Used or reserved quotes belong to their payment.
  quote: {
    keepDays: 90,
    clock: 'product',
    statement: deleteRows(
      'quote',
      'expires_at < $1 and not exists (select from ledger.token where token.id = quote.id)',
    ),
  },
  // What was sent stays as a transaction.
  schedule_occurrence: {
    keepDays: 730,
    clock: 'product',
    statement: deleteRows('schedule_occurrence', 'closed_at < $1'),
  },
  schedule: {
    keepDays: 730,
    clock: 'product',
    statement: deleteRows(
      'schedule',
      'ended_at < $1 and not exists (select from schedule_occurrence where schedule_id = schedule.id)',
    ),
  },
  // What was filled stays as a transaction with its quote.
  exchange_order: {
    keepDays: 730,
    clock: 'product',
    statement: deleteRows('exchange_order', "ended_at < $1 and state <> 'filled'"),
  },
  exchange_order_edit: {
    keepDays: 90,
    clock: 'product',
    statement: deleteRows('exchange_order_edit', 'created_at < $1'),
  },
  protection_action: {
    keepDays: 730,
    clock: 'product',
    statement: deleteRows('protection_action', 'closed_at < $1'),
  },
  // Whoever has waited so long does not wait any more.
  rate_return_alert: { keepDays: 30, clock: 'product', statement: deleteRows('rate_return_alert', 'created_at < $1') },
  rate_alert: { keepDays: 90, clock: 'product', statement: deleteRows('rate_alert', 'told_at < $1') },
  reconciliation_run: {
    keepDays: keepReconciliationRunsDays,
    clock: 'product',
    statement: deleteRows('reconciliation_run', 'until_at < $1'),
  },
  // Five years, for which somebody may still ask about them.
  consent: { keepDays: 1827, clock: 'product', statement: deleteRows('consent', 'withdrawn_at < $1') },
  data_access: { keepDays: 1827, clock: 'product', statement: deleteRows('data_access', 'at < $1') },
  correction_request: {
    keepDays: 1827,
    clock: 'product',
    statement: deleteRows('correction_request', 'decided_at < $1'),
  },
  // Of an account that is deleted as long as what else is kept of it. A trigger keeps every other link.
  desk_own_account: {
    keepDays: 1827,
    clock: 'real',
    statement: deleteRows(
      'desk_own_account',
      'unlinked_at < $1 or exists (select from app_user u where u.id = user_id and u.deleted_at < $1)',
    ),
  },
  // With all that belongs to it. What was confirmed stays as long as it stops somebody.
  compliance_case: {
    keepDays: 1827,
    clock: 'product',
    statement: deleteRows('compliance_case', "decided_at < $1 and state = 'cleared'"),
  },
  // Five years after the last payment by or to them, with what was found.
  screening_counterparty: {
    keepDays: 1827,
    clock: 'product',
    statement: deleteRows(
      'screening_counterparty',
      `ended_at < $1
         and not exists (select from compliance_case where counterparty_id = screening_counterparty.id)`,
    ),
  },
  // Five years after the transfer (FATF, recommendation 11).
  travel_rule_record: {
    keepDays: 1827,
    clock: 'product',
    statement: deleteRows('travel_rule_record', 'moved_at < $1'),
  },
  retained_identity: {
    keepDays: 0,
    clock: 'product',
    statement: deleteRows('retained_identity', 'due_at < $1'),
  },
  audit_run: signInData('audit_run', 'finished_at < $1', 400),
  // Permanently failed jobs; the tasks for open payments and payouts do their work.
  'graphile_worker._private_jobs': {
    keepDays: 30,
    clock: 'real',
    statement: deleteRows(
      'graphile_worker._private_jobs',
      'attempts >= max_attempts and locked_at is null and updated_at < $1',
    ),
  },
}

/** Deletes everything `retentionRules` allows; returns the rows per table. */
export async function clearOldRows(
  pool: pg.Pool,
  { now, realNow = () => new Date() }: { now: () => Date; realNow?: () => Date },
): Promise<Record<string, number>> {
  const cleared: Record<string, number> = {}
  for (const [table, { keepDays, clock, statement }] of Object.entries(retentionRules)) {
    const at = clock === 'product' ? now() : realNow()
    const before = new Date(at.getTime() - keepDays * dayMs)
    cleared[table] = 0
    for (;;) {
      const { rowCount } = await pool.query(statement, [before, batchRows])
      cleared[table] += rowCount ?? 0
      if ((rowCount ?? 0) < batchRows) break
    }
  }
  return cleared
}
