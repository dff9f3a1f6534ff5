import { randomBytes, randomUUID } from 'node:crypto'
import { activity } from '@tern/messages/en/activity'
import type { operator } from '@tern/messages/en/operator'
import type { Coded } from '@tern/messages/message'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOnce, withDatabase } from '../../../../../tools/testing/test-database.ts'
import { listMigrations } from './migrate.ts'

// A database that an earlier version filled with sentences, brought up to date.

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const name = `${process.env.TEST_DATABASE_TEMPLATE}_${randomBytes(4).toString('hex')}`
let client: pg.Client

type Case = Coded<typeof operator.cases>
/** The sentences that earlier versions stored, and the codes that stand in their place. */
const cases: readonly (readonly [said: string, kept: Case])[] = [
  [
    'Captured were 9.99 USD; asked for were 10.00 USD.',
    { code: 'capture_differs', params: { captured: '9.99 USD', asked: '10.00 USD' } },
  ],
  [
    'Captured were 9.99 USD for a payment that had been captured already, as cap_1.',
    { code: 'captured_again', params: { captured: '9.99 USD', capture: 'cap_1' } },
  ],
  [
    'The provider says that the movement cap_1 is of this payment; here it is of p-2.',
    { code: 'capture_of_another', params: { line: 'cap_1', owner: 'p-2' } },
  ],
  [
    'The provider never said whether it took this payment on, and cannot be asked again.',
    { code: 'payment_unanswered' },
  ],
  ['The provider never said whether it took this payout on, and cannot be asked again.', { code: 'payout_unanswered' }],
  [
    'Paid out 1.00 USD; ordered were 2.00 USD.',
    { code: 'payout_differs', params: { paid: '1.00 USD', ordered: '2.00 USD' } },
  ],
  [
    'Returned were 1.00 USD; paid out were 2.00 USD.',
    { code: 'return_differs', params: { returned: '1.00 USD', paid: '2.00 USD' } },
  ],
  [
    'The provider says that the movement po_1 is of this payout; here it is of something else.',
    { code: 'payout_of_another', params: { line: 'po_1' } },
  ],
  [
    'The provider says that a payout is failed which is completed here.',
    { code: 'payout_contradicted', params: { there: 'failed', here: 'completed' } },
  ],
  [
    'A refund of 5.00 USD does not fit the payment it names, of which 4.00 USD are left. Nothing was posted.',
    { code: 'reversal_does_not_fit', params: { kind: 'refund', amount: '5.00 USD', left: '4.00 USD' } },
  ],
  [
    'A chargeback took back 5.00 USD. 1.00 USD of it were no longer in the wallet of user 1234567890: that is our loss unless it can be recovered from them.',
    { code: 'loss', params: { kind: 'chargeback', amount: '5.00 USD', lost: '1.00 USD', user: '1234567890' } },
  ],
  [
    'A capture of 5.00 USD, with others that make up for it. Nothing was posted.',
    { code: 'came_and_went', params: { kind: 'capture', amount: '5.00 USD' } },
  ],
  [
    "The provider's books have a capture of 5 JPY, ours have a debit of 6 JPY.",
    { code: 'books_differ', params: { kind: 'capture', amount: '5 JPY', own_kind: 'debit', own_amount: '6 JPY' } },
  ],
  [
    "The provider's books have a payout of 5.00 USD for nothing of ours; nothing was posted for it.",
    { code: 'not_ours', params: { kind: 'payout', amount: '5.00 USD' } },
  ],
  [
    "The provider's books have a payout of 5.00 USD for p-1; nothing was posted for it.",
    { code: 'not_posted', params: { kind: 'payout', amount: '5.00 USD', reference: 'p-1' } },
  ],
  [
    "We posted a debit of 5.00 USD; the provider's books do not have it.",
    { code: 'not_at_provider', params: { kind: 'debit', amount: '5.00 USD' } },
  ],
]

const transactions: readonly (readonly [kind: string, source: string, said: string, kept: string])[] = [
  ['SEND', 'wallet', 'To my bank, ending in tears', 'To my bank, ending in tears'],
  ['RECEIVE', 'wallet', 'Card deposit', 'Card deposit'],
  ['EXCHANGE', 'wallet', 'USD to EUR', 'exchange {"from":"USD","to":"EUR"}'],
  ['DEPOSIT', 'card', 'Card deposit', 'card_deposit'],
  ['DEPOSIT', 'bank', 'Bank deposit', 'bank_deposit'],
  ['DEPOSIT', 'card', 'Payment for a transfer that was not made', 'payment_for_unmade_transfer'],
  ['DEPOSIT', 'card', 'Card payment won back', 'card_payment_won_back'],
  ['DEPOSIT', 'bank', 'Withdrawal returned by O\'Hara "& Co"', 'withdrawal_returned {"bank":"O\'Hara \\"& Co\\""}'],
  [
    'WITHDRAW',
    'bank',
    'To Reef, ending in 1, ending in 4021',
    'withdrawal {"bank":"Reef, ending in 1","last4":"4021"}',
  ],
  ['WITHDRAW', 'card', 'Card payment taken back', 'card_payment_taken_back'],
  ['WITHDRAW', 'bank', 'Bank payment returned', 'bank_payment_returned'],
]

const outcomes = {
  'taken back, with a loss': 'taken_back_with_a_loss',
  'already in review': 'already_in_review',
  'failed after completed': 'failed_after_completed',
  received: 'received',
}
const ends = {
  'disowned by mail': 'reported_unrecognized',
  'ended by its owner': 'ended_by_owner',
  'password reset': 'password_reset',
  'refresh token reused': 'refresh_token_reused',
}
const refused = {
  detail: 'This person receives EUR.',
  errors: [{ field: 'recipient_id', message: 'This person receives EUR.' }],
}
const coded = {
  reason: { code: 'recipient_currency', params: { currency: 'EUR' } },
  errors: [{ field: 'recipient_id', code: 'recipient_currency', params: { currency: 'EUR' } }],
}

async function fillInSentences(): Promise<void> {
  const now = new Date()
  for (const outcome of Object.keys(outcomes)) {
    await client.query(`insert into provider_event values ('sandbox', $1, null, now(), $1)`, [outcome])
  }
  await client.query(
    `insert into app_user (id, email, username, created_at) values (1234567890, 'a@example.com', 'anna', now())`,
  )
  for (const reason of Object.keys(ends)) {
    await client.query(
      `insert into session (id, user_id, created_at, last_used_at, user_agent, address_prefix, revoked_at, revoked_reason)
         values (gen_random_uuid(), 1234567890, now(), now(), $1, '', now(), $1)`,
      [reason],
    )
  }
  for (const reason of ['It could not be delivered while it was of use', 'The mail server answered 550']) {
    await client.query(
      `insert into mail (id, template, created_at, due_at, given_up_at, given_up_reason)
         values (gen_random_uuid(), 'log_in', now(), now(), now(), $1)`,
      [reason],
    )
  }
  for (const [index, [sentence, { code }]] of cases.entries()) {
    const resolution = ['It could be placed.', 'I asked them.', null][index % 3] ?? null
    await client.query(
      `insert into reconciliation_exception (id, kind, provider, subject, detail, opened_at, closed_at, resolution)
         values ($1, 'unmatched', 'sandbox', $2, $3, $4, $5, $6)`,
      [randomUUID(), code, sentence, now, resolution === null ? null : now, resolution],
    )
  }
  for (const [kind, source, said] of transactions) {
    await client.query(
      `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description, source_amount,
           source_currency, target_amount, target_currency, fee_amount, fee_currency, payment_source)
         values (1, gen_random_uuid(), gen_random_uuid(), $1, 'COMPLETED', now(), gen_random_uuid(), $2, 1, 'USD', 1, 'EUR', 0, 'USD', $3)`,
      [kind, said, source],
    )
  }
  await client.query(`insert into refused_payment values (1, gen_random_uuid(), 'x', 'currency_not_held', $1, now())`, [
    refused,
  ])
  await client.query(`select ledger.refuse(gen_random_uuid(), 'x', 'transfer', now(), 'currency_not_held', $1)`, [
    refused,
  ])
}

beforeAll(async () => {
  await runOnce(serverUrl, `create database ${name}`)
  client = new pg.Client({ connectionString: withDatabase(serverUrl, name) })
  await client.connect()
  const files = await listMigrations()
  const first = files.findIndex((file) => file.name === '038-codes-not-sentences.sql')
  for (const { sql } of files.slice(0, first)) await client.query(sql)
  await fillInSentences()
  for (const { sql } of files.slice(first)) await client.query(sql)
})
afterAll(async () => {
  await client.end()
  await runOnce(serverUrl, `drop database ${name} with (force)`)
})

const rowsOf = async <T extends object>(statement: string): Promise<T[]> => (await client.query<T>(statement)).rows

test('outcomes of events and ends of sessions are codes', async () => {
  const events = await rowsOf<{ id: string; outcome: string }>('select id, outcome from provider_event')
  expect(Object.fromEntries(events.map(({ id, outcome }) => [id, outcome]))).toEqual(outcomes)
  const sessions = await rowsOf<{ was: string; is: string }>(
    'select user_agent as was, revoked_reason as is from session',
  )
  expect(Object.fromEntries(sessions.map(({ was, is }) => [was, is]))).toEqual(ends)
  const mails = await rowsOf<{ reason: string }>('select given_up_reason as reason from mail order by 1')
  expect(mails.map(({ reason }) => reason)).toEqual(['outlived', 'refused'])
})

test('cases keep what they said as a code with its parameters', async () => {
  const found = await rowsOf<{ subject: string; code: string; params: object }>(
    'select subject, detail as code, params from reconciliation_exception',
  )
  for (const [, kept] of cases) {
    const row = found.find(({ subject }) => subject === kept.code)
    expect(row).toEqual({ subject: kept.code, code: kept.code, params: kept.params ?? {} })
  }
  const resolutions = await rowsOf<object>(
    'select distinct resolution, resolution_note as note from reconciliation_exception order by 1',
  )
  expect(resolutions).toEqual([
    { resolution: 'manual', note: 'I asked them.' },
    { resolution: 'matched', note: null },
    { resolution: null, note: null },
  ])
})

test('what the product said of transactions is a code; people’s own notes stay', async () => {
  const found = await rowsOf<{ description: string }>('select description from transaction order by xid')
  expect(found.map(({ description }) => description)).toEqual(transactions.map(([, , , kept]) => kept))
  const codes = found.slice(2).map(({ description }) => description.split(' ')[0])
  for (const code of codes) expect(activity.transactions).toHaveProperty(String(code))
})

test('refusals that are kept with their keys lose their sentences, also in the ledger', async () => {
  const [payment] = await rowsOf<{ details: object }>('select details from refused_payment')
  expect(payment?.details).toEqual(coded)
  const [posting] = await rowsOf<{ details: object }>('select refusal_details as details from ledger.posting')
  expect(posting?.details).toEqual(coded)
})

test.each([
  `update provider_event set outcome = 'taken back'`,
  `update session set revoked_reason = 'Signed out by hand'`,
  `update mail set given_up_reason = 'It was late'`,
  `update reconciliation_exception set detail = 'Something differs.'`,
  `update reconciliation_exception set resolution = 'Refunded by hand.' where resolution is not null`,
  `update reconciliation_exception set resolution_note = 'Refunded by hand.' where resolution = 'matched'`,
  `update refused_payment set details = '{"detail": "No."}'`,
  `update refused_payment set details = '{"errors": [{"field": "amount", "message": "No."}]}'`,
  `insert into transaction select (jsonb_populate_record(t, '{"description": "Card deposit"}')).* from transaction t
     where kind = 'DEPOSIT' limit 1`,
  `select ledger.refuse(gen_random_uuid(), 'x', 'transfer', now(), 'no_way', '{"detail": "No."}')`,
  `select ledger.refuse(gen_random_uuid(), 'x', 'a transfer', now(), 'no_way', null)`,
])('no prose comes back: %s', async (statement) => {
  await expect(client.query(statement)).rejects.toMatchObject({ code: '23514' })
})
