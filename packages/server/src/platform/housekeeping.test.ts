import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type pg from 'pg'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { connect } from './database/db.ts'
import { tables } from '../features/list.ts'
import { clearOldRows, retentionRules } from './housekeeping.ts'

const person = 1_000_000_001n
const dayMs = 86_400_000
const startedAt = new Date()

let database: TestDatabase
/** Connections under the application role, which must have the right to delete. */
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = connect(database.applicationUrl)
  await database.pool.query(
    `insert into app_user (id, email, username, created_at) values ($1, 'x@example.com', 'x', now()), ($1 + 1, 'y@example.com', 'y', now())`,
    [person],
  )
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => database.pool.query('delete from refresh_token; delete from session'))

const daysBefore = (days: number) => new Date(startedAt.getTime() - days * dayMs)
const clearRows = (now = startedAt, realTime = startedAt) =>
  clearOldRows(pool, tables, { now: () => now, realNow: () => realTime })

async function openSession(lastUsedAt: Date, userId = person): Promise<string> {
  const id = randomUUID()
  await database.pool.query(
    `insert into session (id, user_id, created_at, last_used_at, user_agent, address_prefix) values ($1, $2, $3, $3, '', '')`,
    [id, userId, lastUsedAt],
  )
  return id
}

const loadSessionIds = async () =>
  (await pool.query<{ id: string }>('select id from session order by last_used_at')).rows

async function insertOperator(): Promise<string> {
  const id = randomUUID()
  await database.pool.query(
    `insert into desk_operator (id, name, roles, created_at) values ($1, $2, '{reviewer}', now())`,
    [id, `operator ${id}`],
  )
  return id
}

const insertRowByTable: Readonly<Record<string, (at: Date) => Promise<unknown>>> = {
  refresh_token: async (at) =>
    database.pool.query(
      `insert into refresh_token (hash, session_id, created_at, expires_at) values (sha256($1::text::bytea), $2, $3, $3)`,
      [randomUUID(), await openSession(startedAt), at],
    ),
  sign_in_challenge: (at) =>
    database.pool.query(
      `insert into sign_in_challenge (hash, user_id, sign_in_method, created_at, expires_at) values (sha256($1::text::bytea), $2, '', $3, $3)`,
      [randomUUID(), person, at],
    ),
  passkey_ceremony: (at) =>
    database.pool.query(
      `insert into passkey_ceremony (id, purpose, challenge, created_at, expires_at) values ($1, 'sign_in', '', $2, $2)`,
      [randomUUID(), at],
    ),
  desk_ceremony: (at) =>
    database.pool.query(`insert into desk_ceremony (id, challenge, expires_at) values ($1, '', $2)`, [
      randomUUID(),
      at,
    ]),
  desk_enrolment: async (at) =>
    database.pool.query(
      `insert into desk_enrolment (hash, operator_id, replaces, expires_at) values (sha256($1::text::bytea), $2, false, $3)`,
      [randomUUID(), await insertOperator(), at],
    ),
  desk_session: async (at) =>
    database.pool.query(
      `insert into desk_session (hash, operator_id, created_at, used_at) values (sha256($1::text::bytea), $2, $3, $3)`,
      [randomUUID(), await insertOperator(), at],
    ),
  external_sign_in: (at) =>
    database.pool.query(
      `insert into external_sign_in (hash, provider, browser, nonce, verifier, mode, created_at, expires_at)
       values (sha256($1::text::bytea), 'google', '', '', '', 'popup', $2, $2)`,
      [randomUUID(), at],
    ),
  external_link: (at) =>
    database.pool.query(
      `insert into external_link (hash, issuer, subject, provider, created_at, expires_at)
       values (sha256($1::text::bytea), '', '', 'google', $2, $2)`,
      [randomUUID(), at],
    ),
  spent_id_token: (at) =>
    database.pool.query(`insert into spent_id_token values (sha256($1::text::bytea), $2)`, [randomUUID(), at]),
  signing_key: (at) =>
    database.pool.query(
      `insert into signing_key (id, public_key, private_key, created_at, retired_at) values ($1, '{}', '', $2, $2)`,
      [randomUUID(), at],
    ),
  session: async (at) => {
    await openSession(startedAt)
    await openSession(at)
  },
  tracking_link: (at) =>
    database.pool.query(
      `insert into tracking_link (id, transaction_id, user_id, shows_amounts, created_at, ended_at)
       values ($1, $1, $2, false, $3, $3)`,
      [randomUUID(), person, at],
    ),
  guest_payment: (at) => insertGuestPayment(at),
  kyc_document: (at) =>
    database.pool.query(
      `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, created_at, deleted_at)
       values ($1, $2, 'passport', 'image/jpeg', 1, $3, $3)`,
      [randomUUID(), person, at],
    ),
  shown_name: (at) =>
    database.pool.query(
      `insert into shown_name values ($1, $2, $3) on conflict (viewer_id, owner_id) do update set shown_at = $3`,
      // A payee that no schedule of another test has.
      [person + 1n, person, at],
    ),
  kyc_event: (at) =>
    database.pool.query(`insert into kyc_event (provider, id, received_at) values ('sandbox', $1, $2)`, [
      randomUUID(),
      at,
    ]),
  dispute_file: (at) => insertDisputeFile(at),
  mail: (at) =>
    database.pool.query(`insert into mail (id, template, created_at, sent_at) values ($1, 'log_in', $2, $2)`, [
      randomUUID(),
      at,
    ]),
  notification: (at) => insertNotification(at, at),
  changed_topic: (at) =>
    database.pool.query(`insert into changed_topic (user_id, topic, changed_at) values ($1, 'requests', $2)`, [
      person,
      at,
    ]),
  desk_call: async (at) =>
    database.pool.query(
      `insert into desk_call (id, user_id, operator_id, caller, about, started_at, expires_at, ended_at, ended_by)
       values ($1, $2, $3, 'Ines', 'payment', $4::timestamptz - interval '10 minutes', $4::timestamptz, $4::timestamptz, 'operator')`,
      [randomUUID(), person, await insertOperator(), at],
    ),
  desk_call_alert: async (at) =>
    database.pool.query(
      `insert into desk_call_alert (id, user_id, raised_at, seen_by, seen_at)
       values ($1, $2, $3::timestamptz, $4, $3::timestamptz)`,
      [randomUUID(), person, at, await insertOperator()],
    ),
  payee_warning: (at) =>
    database.pool.query(
      `insert into payee_warning (id, user_id, payee_id, amount_minor, currency, patterns, policy_version, facts, shown_at, expires_at)
       values ($1, $2::bigint, $2::bigint + 1, 1, 'USD', '{new_payee}', 1, '{}', $3::timestamptz, $3::timestamptz + interval '15 minutes')`,
      [randomUUID(), person, at],
    ),
  liability_day: (at) =>
    database.pool.query(
      `insert into liability_day (day, seed, depth, root_hash, built_at)
       select date '2020-01-01' + count(*)::int, sha256(''), 8, sha256(''), $1 from liability_day`,
      [at],
    ),
  balance_certificate: (at) =>
    database.pool.query('insert into balance_certificate values ($1, $2, $3, $4, $5)', [
      randomUUID(),
      person,
      randomBytes(32),
      '',
      at,
    ]),
  payee_check: (at) =>
    database.pool.query(
      `with account as (
         insert into bank_account (id, user_id, provider, token, fingerprint, bank_name, last4, currency, country, is_default, linked_at)
         values ($1::uuid, $2::bigint, 'x', 'x', $4, 'x', '1', 'USD', 'US', false, $3::timestamptz) returning id)
       insert into payee_check (id, user_id, bank_account_id, provider, scheme, result, subject_hash, checked_at, valid_until)
       select id, $2::bigint, id, 'x', 'none', 'match', '', $3::timestamptz, $3::timestamptz from account`,
      [randomUUID(), person, at, randomUUID()],
    ),
  provider_event: (at) =>
    database.pool.query(`insert into provider_event values ('x', $1, null, $2, 'done')`, [randomUUID(), at]),
  limit_usage: (at) => database.pool.query('insert into limit_usage values ($1, $2, 5)', [person, at]),
  restricted_money: (at) =>
    database.pool.query(
      `with account as (
         insert into ledger.account (name, kind, currency) values ('rounding:' || $2::uuid, 'rounding', 'USD') returning id, currency)
       insert into restricted_money (account_id, user_id, currency, minor, reason, origin, matures_at, created_at)
       select id, $1, currency, 1, 'card', $2, $3, $3 from account`,
      [person, randomUUID(), at],
    ),
  risk_payee_day: (at) => database.pool.query(`insert into risk_payee_day values ($1, $2, 'x', true, 1)`, [person, at]),
  street_passed: (at) =>
    database.pool.query(
      `insert into street_passed (movement, request_digest, user_id, passed_at, usd_minor) values ($1, '', $2, $3, 1)`,
      [randomUUID(), person, at],
    ),
  risk_decision: (at) =>
    database.pool.query(
      `insert into risk_decision (id, movement, user_id, decided_at, policy_version, kind, usd_minor, rule, passed, inputs)
       values ($1, $1, $2, $3, 1, 'transfer', 1, 'allowance', true, '{}')`,
      [randomUUID(), person, at],
    ),
  quote: (at) => insertQuote(randomUUID(), at),
  schedule_occurrence: async (at) => insertOccurrence(await insertSchedule(null), at),
  schedule: async (at) => {
    // A schedule with a recent date is kept, so only the second one is deleted.
    await insertOccurrence(await insertSchedule(at), startedAt)
    await insertSchedule(at)
  },
  exchange_order: (at) => insertOrder(at),
  exchange_order_edit: async (at) => {
    const order = await insertOrder(null)
    await database.pool.query(
      `insert into exchange_order_edit (id, order_id, request_hash, created_at) values ($1, $2, '', $3)`,
      [randomUUID(), order, at],
    )
  },
  protection_action: (at) => insertAction(at),
  rate_return_alert: (at) =>
    database.pool.query(
      `insert into rate_return_alert select $1, 'USD', code, $2 from ledger.currency
        where code <> 'USD' and code not in (select target_currency from rate_return_alert) limit 1`,
      [person, at],
    ),
  rate_alert: (at) =>
    database.pool.query(
      `insert into rate_alert (id, user_id, source_currency, target_currency, rate_side, rate, trigger_numerator,
         trigger_denominator, told_at, told_rate, told_source, told_as_of, request_hash, created_at, updated_at)
       values ($1, $2, 'USD', 'EUR', 'at_least', '1', 1, 1, $3, '1', 'x', $3, '', $3, $3)`,
      [randomUUID(), person, at],
    ),
  reconciliation_run: (at) =>
    database.pool.query(`insert into reconciliation_run values ($1, 'x', $2, $2, $2, 0, 0, 0, 0, 0)`, [
      randomUUID(),
      at,
    ]),
  consent: (at) =>
    database.pool.query(
      `insert into consent (id, user_id, document, version, given_how, given_at, withdrawn_at)
       values ($1, $2, 'terms', 1, 'sign_up', $3, $3)`,
      [randomUUID(), person, at],
    ),
  data_access: (at) =>
    database.pool.query(
      `insert into data_access (id, user_id, at, role, purpose, what) values ($1, $2, $3, 'you', 'export', '{everything}')`,
      [randomUUID(), person, at],
    ),
  correction_request: (at) =>
    database.pool.query(
      `insert into correction_request (id, user_id, field, right_value, note, state, created_at, due_at, decided_at,
         decided_by, answer) values ($1, $2, 'address', 'x', '', 'declined', $3, $3::timestamptz + interval '1 day', $3, 'x', 'x')`,
      [randomUUID(), person, at],
    ),
  desk_own_account: async (at) =>
    database.pool.query(
      `insert into desk_own_account (operator_id, user_id, linked_at, unlinked_at) values ($1, $2, $3, $3)`,
      [await insertOperator(), person, at],
    ),
  compliance_case: (at) =>
    database.pool.query(
      `insert into compliance_case (id, user_id, kind, state, stops, policy_version, evidence, decide_by, opened_at, decided_at,
         decided_by) values ($1, $2, 'pattern', 'cleared', 'person', 1, '{}', $3, $3, $3, 'x')`,
      [randomUUID(), person, at],
    ),
  screening_counterparty: (at) =>
    database.pool.query(
      `insert into screening_counterparty (id, kind, user_id, name, created_at, ended_at)
       values ($1, 'guest', $2, 'Gina Guest', $3, $3)`,
      [randomUUID(), person, at],
    ),
  travel_rule_record: (at) =>
    database.pool.query(
      `insert into travel_rule_record (transaction_id, originator_id, beneficiary_id, kind, content, moved_at, recorded_at)
       values ($1, $2, $2, 'payout', '', $3, $3)`,
      [randomUUID(), person, at],
    ),
  retained_identity: (at) =>
    database.pool.query(
      `insert into retained_identity (id, user_id, content, closed_at, due_at)
       values ($1, $2 + (select count(*) from retained_identity), '', $3, $3)`,
      [randomUUID(), person, at],
    ),
  audit_run: (at) => database.pool.query('insert into audit_run values ($1, $2, 1, 0)', [randomUUID(), at]),
  transparency_checkpoint: async (at) => {
    // The last checkpoint is always kept.
    await database.pool.query(
      `insert into transparency_checkpoint values (9000000000, sha256(''), '', now() + interval '100 years') on conflict do nothing`,
    )
    await database.pool.query(
      `insert into transparency_checkpoint
       select coalesce(max(size), 0) + 1, sha256(''), '', $1 from transparency_checkpoint where size < 9000000000`,
      [at],
    )
  },
  'graphile_worker._private_jobs': async (at) => {
    await database.pool.query(`select graphile_worker.add_job('never_done', max_attempts := 1)`)
    await database.pool.query('alter table graphile_worker._private_jobs disable trigger user')
    await database.pool.query('update graphile_worker._private_jobs set attempts = 1, updated_at = $1', [at])
    await database.pool.query('alter table graphile_worker._private_jobs enable trigger user')
  },
}

const insertNotification = (createdAt: Date, readAt?: Date) =>
  database.pool.query(
    `insert into notification (id, user_id, code, params, dedupe, created_at, read_at)
     values ($1, $2, 'verification_result', '{}', $3, $4, $5)`,
    [randomUUID(), person, randomUUID(), createdAt, readAt],
  )

async function insertSchedule(endedAt: Date | null): Promise<string> {
  const id = randomUUID()
  await database.pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, '', 'USD', now())
     on conflict do nothing`,
    [randomUUID(), person],
  )
  await database.pool.query(
    `insert into schedule (id, user_id, payee_id, wallet_id, source_currency, target_currency, side, amount_minor, note,
       recurrence, anchor_on, time_zone, ceiling_minor, has_rate_guard, wait_days, confirmed_recurrence,
       confirmed_ceiling_minor, confirmed_from, state, request_hash, created_at, updated_at, ended_at)
     select $1, user_id, user_id + 1, id, 'USD', 'USD', 'source', 100, '', 'once', '2026-01-01', 'UTC', 101, false, 3,
       'once', 101, '2026-01-01',
       case when $3::timestamptz is null then 'active' else 'stopped' end, '', now(), now(), $3 from wallet where user_id = $2`,
    [id, person, endedAt],
  )
  return id
}

/** Inserts a canceled guest payment with its request. */
async function insertGuestPayment(at: Date): Promise<void> {
  const [payment, request] = [randomUUID(), randomUUID()]
  await database.pool.query(
    `insert into payment (id, user_id, purpose, payer_name, status, reason, method, amount_minor, currency, provider,
       idempotency_key, request_hash, created_at, updated_at, last_polled_at)
     values ($1, $2, 'request', 'Gina', 'failed', 'canceled', 'card', 100, 'USD', 'x', $1, '', $3, $3, $3)`,
    [payment, person, at],
  )
  await database.pool.query(
    `insert into payment_request (id, requester_id, amount_minor, currency, allows_parts, idempotency_key, request_hash,
       created_at, expires_at) values ($1, $2, 100, 'USD', false, $1, '', $3, $3::timestamptz + interval '1 day')`,
    [request, person, at],
  )
  await database.pool.query(
    `insert into guest_payment (payment_id, request_id, amount_minor, email, usd_minor, created_at)
     values ($1, $2, 100, 'gina@example.com', 100, $3)`,
    [payment, request, at],
  )
}

async function insertDisputeFile(at: Date): Promise<void> {
  await insertSchedule(null)
  const id = randomUUID()
  await database.pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description, source_amount,
       source_currency, target_amount, target_currency, fee_amount, fee_currency)
     select user_id, $1, $1, 'SEND', 'COMPLETED', $3, id, '', 100, 'USD', 100, 'USD', 0, 'USD' from wallet where user_id = $2`,
    [id, person, at],
  )
  await database.pool.query(
    `insert into dispute (id, user_id, transaction_id, kind, state, statement, claimed_minor, currency, facts, hash,
       policy_country, policy_version, opened_at, decide_by, outcome, decided_at)
     values ($1, $2, $1, 'unauthorized', 'upheld', '', 100, 'USD', '{}', sha256(''), '*', 1, $3, $3, 'credited', $3)`,
    [id, person, at],
  )
  await database.pool.query(
    `insert into dispute_file (id, dispute_id, content_type, size_bytes, sha256, content, created_at)
     values ($1, $1, 'image/jpeg', 1, sha256(''), '', $2)`,
    [id, at],
  )
}

/** Inserts an order canceled at a time, or an open one if null. */
async function insertOrder(at: Date | null): Promise<string> {
  await insertSchedule(null)
  const id = randomUUID()
  await database.pool.query(
    `insert into exchange_order (id, user_id, wallet_id, transaction_id, kind, state, source_currency, target_currency,
       source_minor, fee_minor, fee_basis_points, rate_currency, rate, worst_rate, minimum_minor, trigger_numerator,
       trigger_denominator, expires_at, request_hash, created_at, ended_at)
     select $1, user_id, id, $1, 'limit', $3, 'USD', 'EUR', 100, 1, 100, 'USD', '1', '1', 100, 1, 1, now(), '', now(), $4
       from wallet where user_id = $2`,
    [id, person, at ? 'cancelled' : 'open', at],
  )
  return id
}

async function insertAction(at: Date): Promise<void> {
  const rule = randomUUID()
  await database.pool.query(
    `insert into protection_rule (id, user_id, kind, is_on, currency, base_currency, threshold_minor, on_since, request_hash,
       created_at, updated_at) values ($1, $2, 'convert_incoming', true, 'USDT', 'USD', 1, now(), '', now(), now())`,
    [rule, person],
  )
  await database.pool.query(
    `insert into protection_action (id, rule_id, incoming_id, state, created_at, closed_at)
     values ($1, $2, $1, 'not_needed', $3, $3)`,
    [randomUUID(), rule, at],
  )
}

const insertOccurrence = (scheduleId: string, at: Date) =>
  database.pool.query(
    `insert into schedule_occurrence (id, schedule_id, on_date, due_at, state, reason, closed_at)
     values ($1, $2, $3::timestamptz, $3::timestamptz, 'skipped', 'by_owner', $3::timestamptz)`,
    [randomUUID(), scheduleId, at],
  )

const insertQuote = (id: string, at: Date) =>
  database.pool.query(
    `insert into quote (id, user_id, created_at, expires_at, locked_price, signature) values ($1, $2, $3, $3, '{}', '')`,
    [id, person, at],
  )

const countRows = async (table: string) =>
  Number((await database.pool.query<{ count: bigint }>(`select count(*) from ${table}`)).rows[0]?.count)

describe.each([...retentionRules(tables)])('%s', (table, { days }) => {
  test(`is kept for ${days} days and then deleted`, async () => {
    await insertRowByTable[table]?.(daysBefore(days - 1))
    const count = await countRows(table)
    expect(count).toBeGreaterThan(0)
    expect((await clearRows())[table]).toBe(0)
    expect(await countRows(table)).toBe(count)

    await insertRowByTable[table]?.(daysBefore(days + 2))
    const clearedCount = (await clearRows())[table]
    expect(clearedCount).toBeGreaterThan(0)
    if (table !== 'graphile_worker._private_jobs' && table !== 'session') expect(clearedCount).toBe(1)
  })
})

test('keeps all data that money depends on, and every rule has a test', () => {
  const rules = [...retentionRules(tables).keys()]
  expect(Object.keys(insertRowByTable).toSorted()).toEqual(rules.toSorted())
  const retainedTables = new Set(['transaction', 'payment', 'payout', 'settlement_line', 'reconciliation_exception'])
  expect(rules.filter((table) => retainedTables.has(table) || table.startsWith('ledger.'))).toEqual([])
})

test('deletes old rows in batches until none is left', async () => {
  await database.pool.query(
    `insert into provider_event select 'many', n::text, null, $1, 'done' from generate_series(1, 4500) n`,
    [daysBefore(500)],
  )
  expect((await clearRows()).provider_event).toBe(4500)
  expect(await countRows('provider_event')).toBe(1)
})

test("keeps a referenced session and every user's last one", async () => {
  const oldDate = daysBefore(500)
  const loneSessionId = await openSession(oldDate, person + 1n)
  const namedSessionId = await openSession(oldDate)
  await database.pool.query(
    `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, synced, created_at, session_id)
     values ($1, $2, 'key', '', 0, '{}', '', false, now(), $3)`,
    [randomUUID(), person, namedSessionId],
  )
  await openSession(daysBefore(450))
  const latestSession = await openSession(daysBefore(420))
  expect((await clearRows()).session).toBe(1)
  expect((await loadSessionIds()).map(({ id }) => id).toSorted()).toEqual(
    [loneSessionId, namedSessionId, latestSession].toSorted(),
  )
  await database.pool.query('delete from passkey')
  expect((await clearRows()).session).toBe(1)
})

test('keeps unread notifications twice as long', async () => {
  await clearRows()
  await insertNotification(daysBefore(179))
  await insertNotification(daysBefore(182))
  expect((await clearRows()).notification).toBe(1)
})

test('keeps the files of verified users as long as their identity, also after revocation or deletion', async () => {
  const [formerUserId, leaverId, absentUserId] = [person + 1n, person + 1_000n, person + 1_001n]
  await database.pool.query(
    `insert into app_user (id, email, username, created_at) values ($1, 'z@example.com', 'z', now()), ($2, 'n@example.com', 'n', now())`,
    [leaverId, absentUserId],
  )
  await database.pool.query(`update app_user set kyc_status = 'needs_information' where id = $1`, [formerUserId])
  await database.pool.query(
    `insert into kyc_submission (id, user_id, status, first_name, last_name, date_of_birth, country, nationality, email,
       document_type, currency_preference, street_address, city, state, postal_code, numbers, submitted_at, last_polled_at, provider)
     values ($1, $2, 'verified', '', '', '1990-01-01', '', '', '', 'passport', 'EUR', '', '', '', '', '', $3, $3, 'sandbox')`,
    [randomUUID(), formerUserId, daysBefore(400)],
  )
  await database.pool.query(
    `insert into retained_identity (id, user_id, content, closed_at, due_at) values ($1, $2, '', $3, $4)`,
    [randomUUID(), leaverId, daysBefore(300), daysBefore(-1)],
  )
  for (const owner of [formerUserId, leaverId, absentUserId])
    await database.pool.query(
      `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, content, created_at)
       values ($1, $2, 'passport', 'image/jpeg', 1, 'sealed', $3)`,
      [randomUUID(), owner, daysBefore(400)],
    )
  const loadOwners = async () => {
    const sql = 'select user_id from kyc_document where deleted_at is null order by user_id'
    return (await database.pool.query<{ user_id: bigint }>(sql)).rows.map((row) => row.user_id)
  }
  await clearRows()
  expect(await loadOwners()).toEqual([formerUserId, leaverId])
  await clearRows(daysBefore(-2))
  expect(await loadOwners()).toEqual([formerUserId])
})

test('keeps a quote that was used, or is reserved by a payment until released', async () => {
  const [id, holder] = [randomUUID(), randomUUID()]
  await insertQuote(id, daysBefore(200))
  await pool.query('select ledger.reserve_token($1, $2)', [id, holder])
  const rowExists = async () => (await pool.query('select from quote where id = $1', [id])).rowCount === 1
  await clearRows()
  expect(await rowExists()).toBe(true)
  await pool.query('select ledger.release_token($1, $2)', [id, holder])
  await clearRows()
  expect(await rowExists()).toBe(false)
})

test('keeps a counterparty as long as a case about its name', async () => {
  const [id, caseId] = [randomUUID(), randomUUID()]
  await database.pool.query(
    `insert into screening_counterparty (id, kind, user_id, name, created_at, ended_at)
       values ($1, 'guest', $2, 'Gina Guest', $3, $3)`,
    [id, person, daysBefore(2000)],
  )
  await database.pool.query(
    `insert into compliance_case (id, user_id, kind, state, stops, policy_version, evidence, decide_by, opened_at, decided_at,
       decided_by, counterparty_id) values ($1, $2, 'counterparty_name', 'confirmed', 'transfers', 1, '{}', $3, $3, $3, 'x', $4)`,
    [caseId, person, daysBefore(2000), id],
  )
  const rowExists = async () =>
    (await pool.query('select from screening_counterparty where id = $1', [id])).rowCount === 1
  await clearRows()
  expect(await rowExists()).toBe(true)
  await database.pool.query(`update compliance_case set state = 'cleared' where id = $1`, [caseId])
  await clearRows()
  expect(await rowExists()).toBe(false)
})

test('a moved product clock affects neither real-time rules nor limits', async () => {
  await openSession(daysBefore(10))
  await openSession(startedAt)
  await database.pool.query('insert into limit_usage values ($1, $2, 5) on conflict do nothing', [person, startedAt])
  const [usageCount, sessionCount] = [await countRows('limit_usage'), await countRows('session')]
  await clearRows(new Date(startedAt.getTime() + 3000 * dayMs))
  expect([await countRows('limit_usage'), await countRows('session')]).toEqual([usageCount, sessionCount])
})
