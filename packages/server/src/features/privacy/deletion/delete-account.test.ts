// Deletion of an account through the API: refused while anything is open, and complete afterwards.

import { randomUUID } from 'node:crypto'
import { answerDispute, withdrawDispute } from '@tern/contract/disputes/disputes'
import { createPayment, depositByCard } from '@tern/contract/payments'
import { placeOrder } from '@tern/contract/orders/orders'
import { deleteAccount, deletionState } from '@tern/contract/privacy/privacy'
import { login } from '@tern/contract/sign-in'
import { withdraw } from '@tern/contract/banking'
import { createRequest } from '@tern/contract/requests/requests'
import { ownTransactions } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { currentUser, register, searchUsers } from '@tern/contract/identity'
import { describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, loadFailedChecks, nextMail, settleCall, readRequirement, reportPayout } from '@tern/testkit/banking'
import { dispute } from '@tern/testkit/disputes'
import { completeDeletion, endGracePeriod } from '@tern/testkit/account-deletion'
import { dateAfterDays, createConfirmedSchedule } from '@tern/testkit/schedules'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { clearOldRows } from '../../../platform/housekeeping.ts'
import { tables } from '../../list.ts'

const world = await openTestApp()

const send = (from: TestPerson, to: TestPerson, amount: string) =>
  settleCall(
    from.call(sendMoney, {
      body: { recipient_id: to.id, amount, source_currency: 'USD', description: 'Lunch' },
      idempotencyKey: randomUUID(),
    }),
  )

const loadObstacles = async (person: TestPerson) =>
  (await person.call(deletionState, {})).obstacles.map(({ code, amounts }) =>
    [code, amounts.map(({ amount, currency }) => `${amount} ${currency}`).join()].filter(Boolean),
  )

/** Deletes the account, with its grace period ended early. */
async function requestDeletion(person: TestPerson): Promise<void> {
  const requirement = readRequirement(await settleCall(person.call(deleteAccount, {})))
  expect(requirement).toMatchObject({ action: 'delete_account' })
  await confirm(world, person, requirement)
  await person.call(deleteAccount, { confirmation: requirement.id })
  await endGracePeriod(world, person.id)
  await world.app.product.privacy.deletion.finishDue()
}

const loadUserRows = async (table: string, person: TestPerson) =>
  (await world.database.pool.query<Record<string, unknown>>(`select * from ${table} where user_id = $1`, [person.id]))
    .rows

/** One row for each table, except those of money, in which a user with a dispute can have rows: SQL after its name. */
const buildUserRows = (user: number, favoriteId: number, disputeId: string): Readonly<Record<string, string>> => ({
  rate_alert: `values (gen_random_uuid(), ${user}, 'USD', 'EUR', 'at_least', '2', 2, 1, null, null, null, null, 'x', now(), now())`,
  rate_return_alert: `values (${user}, 'USD', 'EUR', now())`,
  protection_rule: `(id, user_id, kind, is_on, currency, base_currency, share_percent, on_since, request_hash, created_at, updated_at)
    values (gen_random_uuid(), ${user}, 'keep_share', false, 'EUR', 'USD', 50, now(), 'x', now(), now())`,
  own_limit: `(user_id, direction, period, max_usd_minor) values (${user}, 'out', 'day', 5000)`,
  street_setting: `values (${user}, now(), false, 100, 'USD', 100, 22, 6, 'Europe/Berlin')`,
  street_place: `values (gen_random_uuid(), ${user}, 'Home', 'DE', '10.0.0.0/24', now(), now())`,
  street_passed: `values (gen_random_uuid(), ${user}, now(), 100, '')`,
  undo_window: `values (${user}, 60, 'everybody', now())`,
  mail_choice: `values (${user}, false, false) on conflict do nothing`,
  correction_request: `(id, user_id, field, right_value, note, state, created_at, due_at)
    values (gen_random_uuid(), ${user}, 'last_name', 'Tester', '', 'open', now(), now() + interval '1 day')`,
  favorite: `values (${user}, ${favoriteId}, now())`,
  counterparty_category: `values (${user}, ${favoriteId}, 'family', now())`,
  transaction_category: `values (${user}, gen_random_uuid(), 'family', now())`,
  passkey: `(id, user_id, credential_id, public_key, counter, transports, name, synced, created_at)
    values (gen_random_uuid(), ${user}, gen_random_uuid(), 'x', 0, '{}', 'Phone', false, now())`,
  totp: `(user_id, secret, created_at) values (${user}, 'x', now())`,
  recovery_code: `(user_id, hash, created_at) values (${user}, 'x', now())`,
  external_identity: `values ('issuer', gen_random_uuid(), ${user}, 'google', 'rolf@elsewhere.example', now())`,
  tracking_link: `select gen_random_uuid(), id, ${user}, false, now() from transaction where user_id = ${user} limit 1`,
  bank_link: `(id, user_id, provider, status, created_at, updated_at, last_polled_at)
    values (gen_random_uuid(), ${user}, 'sandbox', 'pending', now(), now(), now())`,
  dispute_objection: `values (gen_random_uuid(), '${disputeId}', 'Secret words', 'dismissed', now(), now(), null, now())`,
  dispute_file: `values (gen_random_uuid(), '${disputeId}', 'image/jpeg', 1, sha256(''), 'sealed', now())`,
})
/** Tables whose rows stay, without their content. */
const remainingTables = new Set(['tracking_link', 'bank_link', 'dispute_objection', 'dispute_file'])

/** Columns that name a party of a row; the database refuses new rows that name a deleted user. */
const partyTables: Readonly<Record<string, readonly string[]>> = {
  payment: ['user_id', 'recipient_id'],
  transfer: ['sender_id', 'recipient_id'],
  payment_request: ['requester_id', 'payer_id'],
  schedule: ['user_id', 'payee_id'],
  favorite: ['user_id', 'favorite_id'],
}
const ownerTables = [
  ...['payout', 'exchange_order', 'bank_account', 'saved_card', 'bank_link', 'kyc_submission', 'session', 'passkey'],
  ...['external_identity', 'protection_rule', 'rate_alert', 'correction_request'],
  ...['compliance_case', 'compliance_objection', 'dispute'],
]

describe('deleting an account', () => {
  test('is refused with every reason while money or anything else is open', async () => {
    const [olga, pete] = [await world.enroll('olga', 'United States'), await world.enroll('pete', 'United States')]
    expect(await loadObstacles(olga)).toEqual([])
    await world.fund(olga, 10_000)
    await olga.call(createRequest, {
      body: { payer_id: pete.id, amount: '3.00', currency: 'USD' },
      idempotencyKey: randomUUID(),
    })
    expect(await loadObstacles(olga)).toEqual([['balance', '100.00 USD'], ['request_open']])
    expect(await loadObstacles(pete)).toEqual([['request_open']])
    // Refused with its reasons, before a confirmation is requested.
    const refusedDeletion = await settleCall(olga.call(deleteAccount, {}))
    expect(refusedDeletion).toMatchObject({
      status: 409,
      code: 'account_not_empty',
      obstacles: [{ code: 'balance' }, {}],
    })
  })

  test('waits for everything pending, arranged, or under review', async () => {
    const people = ['ines', 'ivo', 'jana', 'jens', 'lars'].map((name) => world.enroll(name, 'United States'))
    const [ines, ivo, jana, jens, lars] = await Promise.all(people)
    const kai = await world.enroll('kai', null)
    const key = () => ({ idempotencyKey: randomUUID() })
    const cardBody = {
      purpose: 'send',
      method: 'card',
      recipient_id: ivo!.id,
      amount: '1.00',
      currency: 'USD',
    } as const
    await ines!.call(createPayment, { body: cardBody, ...key() })
    await createConfirmedSchedule(jana!, ivo!, {
      next_on: dateAfterDays(world, 2),
      recurrence: 'weekly',
      target_currency: 'USD',
    })
    await world.fund(jens!, 1000)
    const undoableBody = { recipient_id: jana!.id, amount: '1.00', source_currency: 'USD', undo_seconds: 600 } as const
    await jens!.call(sendMoney, { body: undoableBody, ...key() })
    const { pool } = world.database
    await pool.query(`update app_user set kyc_status = 'in_review', email_verified_at = now() where id = $1`, [kai.id])
    const { payment_id: id } = await lars!.call(depositByCard, { body: { amount: 5000, currency: 'usd' }, ...key() })
    await steer(world, id, 'fail')
    await waitForPayment(lars!, id, 'failed')
    expect(await loadObstacles(lars!)).toEqual([])
    await pool.query(
      `insert into reconciliation_exception (id, kind, provider, subject, reference, detail, opened_at)
       values (gen_random_uuid(), 'missing_internal', 'sandbox', 'movement', $1, 'missing_internal', now())`,
      [id],
    )
    const codes = [ines!, ivo!, jana!, jens!, kai, lars!].map(async (person) =>
      (await loadObstacles(person)).map(([code]) => code),
    )
    expect(await Promise.all(codes)).toEqual([
      ['payment_open'],
      ['incoming_open'],
      ['incoming_open', 'schedule_open'],
      ['balance', 'on_hold', 'transfer_open'],
      ['verification_running'],
      ['case_open'],
    ])
  })

  test('leaves no login, name, search result, device, card or arrangement', async () => {
    const [vera, will] = [
      await world.enroll('vera', 'United States', { localName: 'Вера' }),
      await world.enroll('will', 'United States'),
    ]
    const account = await linkAccount(world, vera)
    await world.fund(will, 10_000)
    await send(will, vera, '20.00')
    await send(vera, will, '19.90')
    expect(await loadObstacles(vera)).toEqual([])
    expect(Date.parse((await vera.call(deletionState, {})).identity_kept_until ?? '')).toBeGreaterThan(
      Date.now() + 5 * 365 * 86_400_000,
    )
    await requestDeletion(vera)

    expect(await settleCall(vera.call(currentUser, {}))).toMatchObject({ code: 'unauthenticated' })
    const { email, password } = vera
    expect(await settleCall(will.call(login, { body: { email, password } }))).toMatchObject({
      code: 'invalid_credentials',
    })
    expect(await will.call(searchUsers, { query: { query: vera.username } })).toEqual([])
    expect(await send(will, vera, '1.00')).toMatchObject({ code: 'recipient_not_found' })
    const { transactions } = await will.call(ownTransactions, {})
    expect(transactions.map(({ counterparty, amount }) => [counterparty?.name, amount])).toEqual([
      ['Deleted account', '19.90'],
      ['Deleted account', '20.10'],
      [undefined, '100.00'],
    ])
    const { rows } = await world.database.pool.query('select * from app_user where id = $1', [vera.id])
    expect(rows).toMatchObject([
      {
        ...{
          name: null,
          first_name: null,
          local_name: null,
          password_hash: null,
          metadata: {},
          kyc_status: 'not_started',
        },
        ...{ username: `deleted-${vera.id}`, email: `deleted-${vera.id}@deleted.invalid` },
      },
    ])
    for (const table of ['kyc_submission', 'notification', 'mailed_link', 'step_up_confirmation', 'passkey'])
      expect(await loadUserRows(table, vera), table).toEqual([])
    expect(await loadUserRows('session', vera)).toMatchObject([
      { user_agent: '', address_prefix: '', revoked_reason: 'deletion_begun' },
    ])
    expect(await loadUserRows('bank_account', vera)).toMatchObject([{ id: account, removed_at: expect.any(Date) }])
    expect(await nextMail(world, vera, 'Your Tern account is deleted')).toContain('deleted on')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('removes all arrangements, notices, texts and login data of the user', async () => {
    const [rolf, rita] = [await world.enroll('rolf', 'United States'), await world.enroll('rita', 'United States')]
    const { pool } = world.database
    await world.fund(rita, 5000)
    await send(rita, rolf, '20.00')
    const transfer = await rolf.call(sendMoney, {
      body: { recipient_id: rita.id, amount: '19.90', source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    })
    const { id: disputeId } = await dispute(rolf, transfer.transaction_id, 'not_received', {
      statement: 'Secret words',
    })
    await rolf.call(answerDispute, { params: { id: disputeId }, body: { text: 'Secret words' } })
    await rolf.call(withdrawDispute, { params: { id: disputeId } })
    const userRows = buildUserRows(rolf.id, rita.id, disputeId)
    for (const [table, row] of Object.entries(userRows)) await pool.query(`insert into ${table} ${row}`)
    await pool.query(`insert into favorite values (${rita.id}, ${rolf.id}, now())`)
    await pool.query(`insert into waitlist values (gen_random_uuid(), lower('${rolf.email}'), now())`)
    await completeDeletion(world, rolf.id)

    const deletedTables = Object.keys(userRows).filter((table) => !remainingTables.has(table))
    const retainedTables = await Promise.all(
      deletedTables.map(async (table) => ((await loadUserRows(table, rolf)).length === 0 ? [] : [table])),
    )
    expect(retainedTables.flat()).toEqual([])
    const remainingReferences = await pool.query(
      `select (select count(*)::int from favorite where favorite_id = $1) as favorites,
              (select count(*)::int from waitlist where email = lower($2)) as waiting,
              (select count(*)::int from refresh_token r join session s on s.id = r.session_id where s.user_id = $1) as tokens,
              (select bool_and(ended_at is not null) from tracking_link where user_id = $1) as untracked,
              (select string_agg(status, ' ') from bank_link where user_id = $1) as links,
              (select bool_and(withdrawn_at is not null) from consent where user_id = $1) as withdrawn,
              (select count(*)::int from dispute_file where dispute_id = $3 and content is not null) as files,
              (select statement || text from dispute d join dispute_objection o on o.dispute_id = d.id where d.id = $3)
                || (select coalesce(string_agg(text, ''), '') from dispute_event where dispute_id = $3) as words`,
      [rolf.id, rolf.email, disputeId],
    )
    expect(remainingReferences.rows).toEqual([
      {
        ...{ favorites: 0, waiting: 0, tokens: 0, untracked: true, links: 'canceled', withdrawn: true, files: 0 },
        words: '',
      },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('keeps the files of verified users, also of formerly verified ones, and of no others', async () => {
    const [sara, formerUser] = [
      await world.enroll('sara', 'United States'),
      await world.enroll('former', 'United States'),
    ]
    const unverifiedUser = await world.enroll('never', null)
    for (const { id } of [sara, formerUser, unverifiedUser])
      await world.database.pool.query(
        `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, content, created_at)
         values ($1, $2, 'passport', 'image/jpeg', 1, 'sealed', now())`,
        [randomUUID(), id],
      )
    await world.database.pool.query(`update app_user set kyc_status = 'needs_information' where id = $1`, [
      formerUser.id,
    ])
    for (const { id } of [sara, formerUser, unverifiedUser]) await completeDeletion(world, id)
    for (const person of [sara, formerUser])
      expect(await loadUserRows('kyc_document', person)).toMatchObject([
        { content: expect.any(Buffer), deleted_at: null },
      ])
    expect(await loadUserRows('kyc_document', unverifiedUser)).toMatchObject([
      { content: null, deleted_at: expect.any(Date) },
    ])
  })

  test('frees the address at once, and blocks the username for a year', async () => {
    const yuri = await world.enroll('yuri', null)
    await requestDeletion(yuri)
    const registerAgain = (username: string) =>
      settleCall(yuri.call(register, { body: { email: yuri.email, username, password: `${randomUUID()}-Aa1` } }))
    expect(await registerAgain(yuri.username)).toMatchObject({ code: 'username_taken' })
    expect(await registerAgain(`deleted-${yuri.id}`)).toMatchObject({ code: 'username_taken' })
    expect(await registerAgain(`${yuri.username}.new`)).toMatchObject({ email: yuri.email })
  })

  test('keeps the identity of a verified user, sealed, until it is due, and of no others', async () => {
    const [zoe, yves] = [
      await world.enroll('zoe', 'United States', { localName: 'Ζωή' }),
      await world.enroll('yves', null),
    ]
    await requestDeletion(zoe)
    await requestDeletion(yves)
    expect(await loadUserRows('retained_identity', yves)).toEqual([])
    const [retainedIdentity] = await loadUserRows('retained_identity', zoe)
    const sealedContent = String((retainedIdentity?.content as Buffer | undefined)?.toString('latin1'))
    for (const text of ['zoe', 'Tester', zoe.idNumber]) expect(sealedContent).not.toContain(text)
    const { privacy } = world.app.product
    expect(await privacy.readRetained({ userId: BigInt(zoe.id), operator: 'Operator 1' })).toMatchObject({
      email: zoe.email,
      forms: [{ lastName: 'Tester', localName: 'Ζωή', status: 'verified', numbers: { idNumber: zoe.idNumber } }],
    })
    expect(await loadUserRows('data_access', zoe)).toMatchObject([
      { operator: 'Operator 1', purpose: 'retained_identity' },
    ])
    const dueAt = retainedIdentity?.due_at as Date
    await clearOldRows(world.database.pool, tables, { now: () => new Date(dueAt.getTime() + 1000) })
    expect(await loadUserRows('retained_identity', zoe)).toEqual([])
    await expect(privacy.readRetained({ userId: BigInt(zoe.id), operator: 'Operator 1' })).rejects.toThrow('not_found')
  })

  test('cannot be undone by pending work: nothing about the user changes any more', async () => {
    const xena = await world.enroll('xena', 'United States')
    const will = await world.enroll('will', 'United States')
    await requestDeletion(xena)
    const { pool } = world.database
    await expect(pool.query(`update app_user set name = 'Xena' where id = $1`, [xena.id])).rejects.toThrow('has left')
    const referencingTables = [
      ...Object.entries(partyTables),
      ...ownerTables.map((table) => [table, ['user_id']] as const),
    ]
    const acceptedColumns: string[] = []
    for (const [table, columns] of referencingTables) {
      for (const column of columns) {
        const insert = pool.query(`insert into ${table} (${column}) values ($1)`, [xena.id])
        const isRefused = await insert.then(
          () => false,
          (error: { code?: string }) => error.code === 'TU001',
        )
        if (!isRefused) acceptedColumns.push(`${table}.${column}`)
      }
    }
    expect(acceptedColumns).toEqual([])
    expect(
      await settleCall(
        will.call(createRequest, {
          body: { payer_id: xena.id, amount: '3.00', currency: 'USD' },
          idempotencyKey: randomUUID(),
        }),
      ),
    ).toMatchObject({ code: 'recipient_not_found' })
  })

  test('waits for an order whose amount is on hold', async () => {
    const una = await world.enroll('una', 'Germany')
    await world.fund(una, 10_000)
    await una.call(placeOrder, {
      body: {
        kind: 'limit',
        source_currency: 'EUR',
        target_currency: 'USDT',
        amount: '50.00',
        rate: '9',
        rate_currency: 'EUR',
        expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString(),
      },
      idempotencyKey: randomUUID(),
    } as never)
    expect((await loadObstacles(una)).map(([code]) => code)).toEqual(['balance', 'on_hold', 'order_open'])
  })

  test('waits for possible returns of a bank; later ones go to an operator', async () => {
    const tara = await world.enroll('tara', 'United States')
    const will = await world.enroll('will', 'United States')
    const bankAccountId = await linkAccount(world, tara)
    await world.fund(will, 5000)
    await send(will, tara, '40.00')
    const body = { amount: '40.00', currency: 'USD', bankAccountId } as const
    const { payout_id: id } = await tara.call(withdraw, { body, idempotencyKey: randomUUID() })
    expect((await loadObstacles(tara)).map(([code]) => code)).toContain('payout_open')
    await world.app.product.payments.submitPayout(id)
    expect(await reportPayout(world, id, 'paid')).toMatchObject({ status: 204 })
    const backdatePayouts = (interval: string) =>
      world.database.pool.query(`update payout set updated_at = updated_at - $2::interval where id = $1`, [
        id,
        interval,
      ])
    await backdatePayouts('9 days 23 hours')
    expect((await loadObstacles(tara)).map(([code]) => code)).toContain('payout_recent')
    await backdatePayouts('1 hour')
    expect(await loadObstacles(tara)).toEqual([])
    await requestDeletion(tara)
    expect(await reportPayout(world, id, 'returned')).toMatchObject({ status: 204 })
    expect(await reportPayout(world, id, 'returned')).toMatchObject({ status: 204 })
    const { rows } = await world.database.pool.query(
      'select detail, params from reconciliation_exception where reference = $1',
      [id],
    )
    expect(rows).toEqual([{ detail: 'return_to_nobody', params: { returned: '40.00 USD' } }])
    expect(await loadFailedChecks(world)).toEqual([])
  })
})
