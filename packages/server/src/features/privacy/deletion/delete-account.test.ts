// How an account ends, through the API: refused while anything is open, and then nobody's.

import { randomUUID } from 'node:crypto'
import { placeOrder } from '@tern/contract/orders/orders'
import { deleteAccount, deletionState } from '@tern/contract/privacy/privacy'
import { login } from '@tern/contract/sign-in'
import { withdraw } from '@tern/contract/banking'
import { createRequest } from '@tern/contract/requests/requests'
import { ownTransactions } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { currentUser, register, searchUsers } from '@tern/contract/identity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../../tools/testing/test-app.ts'
import {
  confirm,
  expectSoundBooks,
  nextMail,
  outcomeOf,
  requirementOf,
  tellOfPayout,
} from '../../../../../../tools/testing/test-banking.ts'
import { leaveForGood, passGrace } from '../../../../../../tools/testing/leaving/test-leaving.ts'
import { linkAccount } from '../../../../../../tools/testing/test-payments.ts'
import { clearOldRows } from '../../../platform/housekeeping.ts'

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

const send = (from: TestPerson, to: TestPerson, amount: string) =>
  outcomeOf(
    from.call(sendMoney, {
      body: { recipient_id: to.id, amount, source_currency: 'USD', description: 'Lunch' },
      idempotencyKey: randomUUID(),
    }),
  )

const obstaclesOf = async (person: TestPerson) =>
  (await person.call(deletionState, {})).obstacles.map(({ code, amounts }) =>
    [code, amounts.map(({ amount, currency }) => `${amount} ${currency}`).join()].filter(Boolean),
  )

/** Deletes the account, and lets the days pass in which its owner could come back. */
async function leave(person: TestPerson): Promise<void> {
  const requirement = requirementOf(await outcomeOf(person.call(deleteAccount, {})))
  expect(requirement).toMatchObject({ action: 'delete_account' })
  await confirm(world, person, requirement)
  await person.call(deleteAccount, { confirmation: requirement.id })
  await passGrace(world, person.id)
  await world.app.product.privacy.deletion.runDue()
}

const stored = async (table: string, of: TestPerson) =>
  (await world.database.pool.query<Record<string, unknown>>(`select * from ${table} where user_id = $1`, [of.id])).rows

describe('deleting an account', () => {
  test('is refused with every reason while money or anything else is open', async () => {
    const [olga, pete] = [await world.enroll('olga', 'United States'), await world.enroll('pete', 'United States')]
    expect(await obstaclesOf(olga)).toEqual([])
    await world.fund(olga, 10_000)
    await olga.call(createRequest, {
      body: { payer_id: pete.id, amount: '3.00', currency: 'USD' },
      idempotencyKey: randomUUID(),
    })
    expect(await obstaclesOf(olga)).toEqual([['balance', '100.00 USD'], ['request_open']])
    expect(await obstaclesOf(pete)).toEqual([['request_open']])
    // Before anybody is asked for a confirmation, and with the reasons.
    const refused = await outcomeOf(olga.call(deleteAccount, {}))
    expect(refused).toMatchObject({ status: 409, code: 'account_not_empty', obstacles: [{ code: 'balance' }, {}] })
  })

  test('leaves nobody: no login, no name, no search, no devices, cards or arrangements', async () => {
    const [vera, will] = [await world.enroll('vera', 'United States'), await world.enroll('will', 'United States')]
    const account = await linkAccount(world, vera)
    await world.fund(will, 10_000)
    await send(will, vera, '20.00')
    await send(vera, will, '19.90')
    expect(await obstaclesOf(vera)).toEqual([])
    expect(Date.parse((await vera.call(deletionState, {})).identity_kept_until ?? '')).toBeGreaterThan(
      Date.now() + 5 * 365 * 86_400_000,
    )
    await leave(vera)

    expect(await outcomeOf(vera.call(currentUser, {}))).toMatchObject({ code: 'unauthenticated' })
    const { email, password } = vera
    expect(await outcomeOf(will.call(login, { body: { email, password } }))).toMatchObject({
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
      { name: null, password_hash: null, username: `deleted-${vera.id}`, email: `deleted-${vera.id}@deleted.invalid` },
    ])
    for (const table of ['kyc_submission', 'notification', 'mailed_link', 'step_up_confirmation', 'passkey'])
      expect(await stored(table, vera), table).toEqual([])
    expect(await stored('session', vera)).toMatchObject([
      { user_agent: '', address_prefix: '', revoked_reason: 'deletion_begun' },
    ])
    expect(await stored('bank_account', vera)).toMatchObject([{ id: account, removed_at: expect.any(Date) }])
    expect(await nextMail(world, vera, 'Your Tern account is deleted')).toContain('deleted on')
    await expectSoundBooks(world)
  })

  test('keeps the files of whoever was verified, also where that was taken back, and of nobody else', async () => {
    const [former, never] = [await world.enroll('former', 'United States'), await world.enroll('never', null)]
    for (const { id } of [former, never])
      await world.database.pool.query(
        `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, content, created_at)
         values ($1, $2, 'passport', 'image/jpeg', 1, 'sealed', now())`,
        [randomUUID(), id],
      )
    await world.database.pool.query(`update app_user set kyc_status = 'needs_information' where id = $1`, [former.id])
    for (const { id } of [former, never]) await leaveForGood(world, id)
    expect(await stored('kyc_document', former)).toMatchObject([{ content: expect.any(Buffer), deleted_at: null }])
    expect(await stored('kyc_document', never)).toMatchObject([{ content: null, deleted_at: expect.any(Date) }])
  })

  test('gives the address back at once, and the username only to nobody for a year', async () => {
    const yuri = await world.enroll('yuri', null)
    await leave(yuri)
    const again = (username: string) =>
      outcomeOf(yuri.call(register, { body: { email: yuri.email, username, password: `${randomUUID()}-Aa1` } }))
    expect(await again(yuri.username)).toMatchObject({ code: 'username_taken' })
    expect(await again(`deleted-${yuri.id}`)).toMatchObject({ code: 'username_taken' })
    expect(await again(`${yuri.username}.new`)).toMatchObject({ email: yuri.email })
  })

  test('keeps who a verified person was, sealed, until it is due, and nothing of anybody else', async () => {
    const [zoe, yves] = [await world.enroll('zoe', 'United States'), await world.enroll('yves', null)]
    await leave(zoe)
    await leave(yves)
    expect(await stored('retained_identity', yves)).toEqual([])
    const [kept] = await stored('retained_identity', zoe)
    const sealed = String((kept?.content as Buffer | undefined)?.toString('latin1'))
    for (const text of ['zoe', 'Tester', zoe.idNumber]) expect(sealed).not.toContain(text)
    const { privacy } = world.app.product
    expect(await privacy.readRetained(BigInt(zoe.id), 'Operator 1')).toMatchObject({
      email: zoe.email,
      forms: [{ lastName: 'Tester', status: 'verified', numbers: { idNumber: zoe.idNumber } }],
    })
    expect(await stored('data_access', zoe)).toMatchObject([{ operator: 'Operator 1', purpose: 'retained_identity' }])
    const due = kept?.due_at as Date
    await clearOldRows(world.database.pool, { now: () => new Date(due.getTime() + 1000) })
    expect(await stored('retained_identity', zoe)).toEqual([])
    await expect(privacy.readRetained(BigInt(zoe.id), 'Operator 1')).rejects.toThrow('not_found')
  })

  test('cannot be undone by what was under way: nothing about the user changes any more', async () => {
    const xena = await world.enroll('xena', 'United States')
    const will = await world.enroll('will', 'United States')
    await leave(xena)
    const { pool } = world.database
    await expect(pool.query(`update app_user set name = 'Xena' where id = $1`, [xena.id])).rejects.toThrow('has left')
    for (const [columns, values] of [
      ['user_id, favorite_id, created_at', `${xena.id}, ${will.id}, now()`],
      ['user_id, favorite_id, created_at', `${will.id}, ${xena.id}, now()`],
    ]) {
      await expect(pool.query(`insert into favorite (${columns}) values (${values})`)).rejects.toThrow('has left')
    }
    expect(
      await outcomeOf(
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
    expect((await obstaclesOf(una)).map(([code]) => code)).toEqual(['balance', 'on_hold', 'order_open'])
  })

  test('waits for what a bank may send back; what comes later goes to a person', async () => {
    const tara = await world.enroll('tara', 'United States')
    const will = await world.enroll('will', 'United States')
    const bankAccountId = await linkAccount(world, tara)
    await world.fund(will, 5000)
    await send(will, tara, '40.00')
    const body = { amount: '40.00', currency: 'USD', bankAccountId } as const
    const { payout_id: id } = await tara.call(withdraw, { body, idempotencyKey: randomUUID() })
    expect((await obstaclesOf(tara)).map(([code]) => code)).toContain('payout_open')
    await world.app.product.payments.submitPayout(id)
    expect(await tellOfPayout(world, id, 'paid')).toMatchObject({ status: 204 })
    expect((await obstaclesOf(tara)).map(([code]) => code)).toContain('payout_recent')
    await world.database.pool.query(`update payout set updated_at = updated_at - interval '11 days' where id = $1`, [
      id,
    ])
    expect(await obstaclesOf(tara)).toEqual([])
    await leave(tara)
    expect(await tellOfPayout(world, id, 'returned')).toMatchObject({ status: 204 })
    expect(await tellOfPayout(world, id, 'returned')).toMatchObject({ status: 204 })
    const { rows } = await world.database.pool.query(
      'select detail, params from reconciliation_exception where reference = $1',
      [id],
    )
    expect(rows).toEqual([{ detail: 'return_to_nobody', params: { returned: '40.00 USD' } }])
    await expectSoundBooks(world)
  })
})
