// Warnings before a send: stored, enforced until they are acknowledged, and spent by one payment.

import { blockWriters } from '@tern/testkit/block-writers'
import { randomUUID } from 'node:crypto'
import { reportCall } from '@tern/contract/calls'
import { directPayment } from '@tern/contract/payments'
import { acknowledgeWarning, findPayeeWarning } from '@tern/contract/transfers/payee-warnings'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ageSends } from '../../../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { readCode } from '@tern/testkit/attacks/attack'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { allowUnconfirmed } from '@tern/testkit/risk'
import { tables } from '../../list.ts'

const world = await openTestApp()
await allowUnconfirmed(world.database.pool, { dollars: 1_000_000 })
afterAll(async () => expect(await loadFailedChecks(world)).toEqual([]))

let owner: TestPerson
let payee: TestPerson
beforeEach(async () => {
  owner = await world.enroll('owner', 'United States')
  payee = await world.enroll('payee', 'United States')
  await world.fund(owner, 900_000)
})

const query = async (sql: string, ...values: unknown[]) => (await world.database.pool.query(sql, values)).rows
const check = async (to: TestPerson, amount: string, description = '', from = owner) =>
  (
    await from.call(findPayeeWarning, {
      body: { recipient_id: to.id, amount, source_currency: 'USD', description },
    })
  ).warning
const acknowledge = (id: string, by = owner) => settleCall(by.call(acknowledgeWarning, { params: { id } }))
const send = (to: TestPerson, amount: string, idempotencyKey: string = randomUUID(), from = owner) =>
  settleCall(from.call(sendMoney, { body: { recipient_id: to.id, amount, source_currency: 'USD' }, idempotencyKey }))

/** Returns the warning about a first payment of 300 dollars to a new account. */
async function warn(amount = '300.00') {
  const warning = await check(payee, amount)
  expect(warning).toMatchObject({ patterns: ['unknown_payee'], similar_to: null, version: 1 })
  return warning!
}

describe('a warned send', () => {
  test('waits for the acknowledgement, and then passes once', async () => {
    const { id } = await warn()
    expect(readCode(await send(payee, '300.00'))).toBe('warning_open')
    expect(await acknowledge(id)).toBeUndefined()
    const key = randomUUID()
    const first = await send(payee, '300.00', key)
    expect(readCode(first)).toBe('passed')
    expect(await send(payee, '300.00', key), 'a retry gets the first answer').toMatchObject(first)
    expect(readCode(await send(payee, '300.00'))).toBe('warning_open')
    const rows = await query('select patterns, policy_version, facts, used_by from payee_warning where id = $1', id)
    expect(rows).toMatchObject([
      { patterns: ['unknown_payee'], policy_version: 1, facts: { payeeAgeDays: 0, usdMinor: '30000' } },
    ])
    const [movement] = await query(`select posting_id from transaction where user_id = $1 and kind = 'SEND'`, owner.id)
    expect(rows[0]?.used_by).toBe(movement?.posting_id)
  })

  test('is not covered by the acknowledgement of another amount, payee, person or warning', async () => {
    const { id } = await warn()
    const stranger = await world.enroll('stranger', 'United States')
    expect(await acknowledge(id, stranger)).toMatchObject({ code: 'not_found' })
    await acknowledge(id)
    expect(readCode(await send(payee, '300.01'))).toBe('warning_open')
    expect(await check(stranger, '300.00')).not.toBeNull()
    expect(readCode(await send(stranger, '300.00'))).toBe('warning_open')
    const { id: laterId } = await warn('301.00')
    expect(await acknowledge(id)).toMatchObject({ code: 'not_found' })
    expect(readCode(await send(payee, '300.00'))).toBe('warning_open')
    await acknowledge(laterId)
    expect(readCode(await send(payee, '301.00'))).toBe('passed')
  })

  test('of two at once with one acknowledgement, one passes', async () => {
    const { id } = await warn()
    await acknowledge(id)
    // All have read the acknowledgement before the first one uses it up.
    const writers = await blockWriters(world.database, 'payee_warning')
    const sends = [1, 2, 3, 4].map(() => send(payee, '300.00'))
    await writers.waitForWaiters(sends.length)
    await writers.release()
    const outcomes = await Promise.all(sends)
    expect(outcomes.map(readCode).toSorted()).toEqual(['passed', 'warning_open', 'warning_open', 'warning_open'])
  })

  test('is free again once the warning has expired or a later look finds nothing', async () => {
    await warn()
    expect(await check(payee, '20.00')).toBeNull()
    expect(readCode(await send(payee, '20.00'))).toBe('passed')
    const other = await world.enroll('other', 'United States')
    expect(await check(other, '300.00')).not.toBeNull()
    await query(
      `update payee_warning set shown_at = shown_at - interval '1 hour', expires_at = now() where payee_id = $1`,
      other.id,
    )
    expect(readCode(await send(other, '20.00'))).toBe('passed')
  })

  test('by card waits as well, before the card is charged', async () => {
    const { id } = await warn()
    const body = {
      ...{ amount: 30_000, currency: 'usd', userId: owner.id, recipientId: String(payee.id) },
      ...{ paymentSource: 'card' as const, description: '' },
    }
    const pay = () => settleCall(owner.call(directPayment, { body, idempotencyKey: randomUUID() }))
    expect(await pay()).toMatchObject({ code: 'warning_open' })
    expect(await query('select from payment where user_id = $1 and recipient_id is not null', owner.id)).toEqual([])
    await acknowledge(id)
    expect(await pay()).toMatchObject({ redirectUrl: expect.any(String) })
  })
})

describe('room for ordinary sends', () => {
  const makeFriend = async () => {
    await send(payee, '1.00')
    await ageSends(world.database.pool, { hours: 24 * 40, senderId: BigInt(owner.id) })
    expect(readCode(await send(payee, '1.00'))).toBe('passed')
  }
  const isByRoom = async () => {
    const outcome = await send(payee, '1.00')
    const id = 'transaction_id' in outcome ? outcome.transaction_id : undefined
    const rows = await query(`select passed_by_room from transaction where id = $1 and kind = 'SEND'`, id)
    return rows[0]?.passed_by_room === true
  }

  test('ends with a warning, covers no warned send, and returns after it', async () => {
    await makeFriend()
    expect(await isByRoom()).toBe(true)
    expect(await check(payee, '1.00', 'my safe account')).toMatchObject({ patterns: ['safe_account'] })
    expect(readCode(await send(payee, '1.00'))).toBe('warning_open')
    const other = await world.enroll('other', 'United States')
    expect(readCode(await send(other, '1.00'))).toBe('passed')
    expect(readCode(await send(payee, '1.00')), 'sends to others leave no room meanwhile').toBe('warning_open')
    expect(await check(payee, '1.00')).toBeNull()
    await isByRoom()
    expect(await isByRoom()).toBe(true)
  })
})

describe('facts', () => {
  test('a reported call warns of payments to anyone but known payees', async () => {
    expect(await check(payee, '5.00')).toBeNull()
    await owner.call(reportCall, {})
    expect(await check(payee, '5.00')).toMatchObject({ patterns: ['refused_call'] })
    await send(payee, '5.00')
    await query('update payee_warning set superseded_at = now() where user_id = $1', owner.id)
  })

  test('a disputed payment warns the next sender, in the words of any unknown payee', async () => {
    const victim = await world.enroll('victim', 'United States')
    await world.fund(victim, 10_000)
    const sent = await send(payee, '5.00', randomUUID(), victim)
    const id = 'transaction_id' in sent ? sent.transaction_id : ''
    expect(await check(payee, '5.00')).toBeNull()
    await query(
      `insert into dispute (id, user_id, transaction_id, kind, statement, claimed_minor, currency, facts, hash,
          policy_country, policy_version, opened_at, decide_by)
        values (gen_random_uuid(), $1, $2, 'unauthorized', 'Not me.', 500, 'USD', '{}', sha256(''), 'US', 1, now(),
          now() + interval '10 days')`,
      victim.id,
      id,
    )
    expect(await check(payee, '5.00')).toMatchObject({ patterns: ['unknown_payee'] })
    await query('delete from dispute where user_id = $1', victim.id)
  })

  test('strangers who pay an old account within days warn, and its usual payers do not', async () => {
    await query(`update app_user set created_at = created_at - interval '1 year' where id = $1`, payee.id)
    expect(await check(payee, '300.00')).toBeNull()
    const strangers = await Promise.all(
      ['una', 'dua', 'tria', 'qua', 'quin'].map((name) => world.enroll(name, 'United States')),
    )
    for (const stranger of strangers) {
      await world.fund(stranger, 5000)
      expect(readCode(await send(payee, '10.00', randomUUID(), stranger))).toBe('passed')
    }
    expect(await check(payee, '300.00')).toMatchObject({ patterns: ['unknown_payee'] })
  })

  test('a namesake of a payee is named with the username of that payee', async () => {
    const twin = await world.enroll('payee', 'United States')
    await send(payee, '1.00')
    expect(await check(twin, '5.00')).toMatchObject({ patterns: ['similar_name'], similar_to: payee.username })
  })

  test('most of the balance to someone new warns', async () => {
    await query(`update app_user set created_at = created_at - interval '1 year' where id = $1`, payee.id)
    expect(await check(payee, '6000.00')).toMatchObject({ patterns: ['large_share'] })
  })
})

test('a payee is looked at under the same refusals as a send, and bad input is named', async () => {
  const look = async (body: object) => (await world.raw('POST', '/payment/warnings', { token: owner.token, body })).body
  const body = { recipient_id: payee.id, amount: '1.00', source_currency: 'USD' }
  expect(await look({ ...body, recipient_id: owner.id })).toMatchObject({ code: 'recipient_is_sender' })
  expect(await look({ ...body, recipient_id: 1_000_000_001 })).toMatchObject({ code: 'recipient_not_found' })
  expect(await look({ ...body, amount: '1', source_currency: 'JPY' })).toMatchObject({ code: 'currency_not_held' })
  expect(await look({ ...body, amount: '1.001' })).toMatchObject({ errors: [{ field: 'amount' }] })
  expect(await look({ ...body, amount: '-1' })).toMatchObject({ errors: [{ field: 'amount' }] })
  const newcomer = await world.enroll('newcomer', null)
  const answer = await world.raw('POST', '/payment/warnings', { token: newcomer.token, body })
  expect(answer.body).toMatchObject({ code: 'verification_required' })
})

test('an export contains the warnings without the facts about the payee', async () => {
  await warn()
  const { personal } = tables.payee_warning!
  const columns = typeof personal === 'object' && 'columns' in personal ? personal.columns : ''
  const rows = await query(`select ${columns} from payee_warning where user_id = $1`, owner.id)
  expect(rows).toMatchObject([{ payee_id: BigInt(payee.id), amount: '300.00', patterns: ['unknown_payee'] }])
  expect(Object.keys(rows[0])).not.toContain('facts')
})
