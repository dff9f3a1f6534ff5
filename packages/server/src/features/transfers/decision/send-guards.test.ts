import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ageSends, waitForDayStart } from '../../../../../../tools/aging.ts'
import { readCode } from '@tern/testkit/attacks/attack'
import { completeStepUp, createStreetModeClient } from '@tern/testkit/street-mode'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { newDeviceSql } from '../../risk/risk.ts'
import { changeMonitoringThresholds } from '@tern/testkit/risk'

let owner: TestPerson
let friend: TestPerson

const world = await openTestApp()
afterAll(async () => expect(await loadFailedChecks(world)).toEqual([]))

function send(
  from: TestPerson,
  to: TestPerson,
  amount: string,
  idempotencyKey: string = randomUUID(),
  confirmation?: string,
) {
  const body = { recipient_id: to.id, amount, source_currency: 'USD' } as const
  return settleCall(from.call(sendMoney, { body, idempotencyKey, confirmation }))
}

/** Sends one dollar to the friend; returns whether the room or a decision by facts let it pass. */
async function sendAndReadDecider(): Promise<'by room' | 'by decision'> {
  const outcome = await send(owner, friend, '1.00')
  expect(readCode(outcome)).toBe('passed')
  const { transaction_id: id } = outcome as { transaction_id: string }
  const { rows } = await world.database.pool.query<{ passed_by_room: boolean | null; decisions: bigint }>(
    `select passed_by_room, (select count(*) from risk_decision d where d.movement = t.posting_id) as decisions
       from transaction t where id = $1 and kind = 'SEND'`,
    [id],
  )
  const [row] = rows
  expect(row?.decisions).toBe(row?.passed_by_room ? 0n : 1n)
  return row?.passed_by_room ? 'by room' : 'by decision'
}

const loadFreeUntil = async (person: TestPerson) =>
  (await world.database.pool.query('select free_until from send_guard where user_id = $1', [person.id])).rows[0]
    ?.free_until ?? undefined

/** Count of ledger statements that wait for a lock. */
async function countWaitingMoves(): Promise<number> {
  const { rowCount } = await world.database.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%move_money%'`,
  )
  return rowCount ?? 0
}

beforeEach(async () => {
  await waitForDayStart(world.app.product.now)
  owner = await world.enroll('owner', 'United States')
  friend = await world.enroll('friend', 'United States')
  await world.fund(owner, 900_000)
  await send(owner, friend, '1.00')
  await ageSends(world.database.pool, { hours: 24 * 40, senderId: BigInt(owner.id) })
  expect(await sendAndReadDecider(), 'the first has left room').toBe('by room')
})

describe('room', () => {
  test('lets ordinary sends to a trusted payee pass without a decision of their own, counted like the others', async () => {
    expect(await sendAndReadDecider()).toBe('by room')
    expect(await sendAndReadDecider()).toBe('by room')
    const { rows } = await world.database.pool.query(
      'select usd_minor from risk_payee_day where user_id = $1 and is_trusted and day = current_date',
      [owner.id],
    )
    expect(rows).toEqual([{ usd_minor: 300n }])
  })

  test('ends for a payee who got 1,000 dollars in a day: the next send needs a proof, and is not counted', async () => {
    expect(readCode(await send(owner, friend, '990.00'))).toBe('passed')
    expect(readCode(await send(owner, friend, '990.00'))).toBe('step_up_required')
    expect(await sendAndReadDecider()).toBe('by room')
  })

  test('for one payee carries no more than it holds, however many sends run concurrently', async () => {
    const sends = Array.from({ length: 20 }, () => send(owner, friend, '90.00'))
    const codes = (await Promise.all(sends)).map(readCode)
    // The room of 999 dollars takes 11 of 20 sends of 90 dollars; the allowance of 100 takes one more without proof.
    expect(codes.filter((code) => code === 'passed')).toHaveLength(12)
    expect(codes.filter((code) => code === 'step_up_required')).toHaveLength(8)
  })

  test('covers no other payee: sends to one never paid are decided by facts', async () => {
    const stranger = await world.enroll('stranger', 'United States')
    expect(readCode(await send(owner, stranger, '200.00'))).toBe('step_up_required')
    expect(readCode(await send(owner, stranger, '20.00'))).toBe('passed')
  })

  test('moves nothing twice: a retry under its key gets the first answer', async () => {
    const key = randomUUID()
    const first = await send(owner, friend, '5.00', key)
    expect(await send(owner, friend, '5.00', key)).toMatchObject({
      transaction_id: (first as { transaction_id: string }).transaction_id,
    })
  })

  test('covers no session of a new device', async () => {
    const { body: login } = await world.raw('POST', '/user/login', {
      body: { email: owner.email, password: owner.password },
    })
    const { status, body } = await world.raw('POST', '/payment/transfer', {
      token: String(login.access_token),
      body: { recipient_id: friend.id, amount: '500.00', source_currency: 'USD' },
      headers: { 'idempotency-key': randomUUID() },
    })
    expect([status, body.code]).toEqual([403, 'step_up_required'])
    expect(await sendAndReadDecider()).toBe('by room')
  })

  test('a device whose only earlier sign-in was reported is new again', async () => {
    const { pool } = world.database
    await world.raw('POST', '/user/login', { body: { email: owner.email, password: owner.password } })
    await pool.query(
      `update session set device = '\\x01' where id = (select id from session where user_id = $1 order by created_at desc limit 1)`,
      [owner.id],
    )
    const { rows } = await pool.query<{ id: string }>(
      `insert into session select (jsonb_populate_record(newest, jsonb_build_object('id', gen_random_uuid(),
           'created_at', now() - interval '9 days', 'revoked_at', now(), 'revoked_reason', 'logged_out'))).*
         from session newest where user_id = $1 order by newest.created_at desc limit 1 returning id`,
      [owner.id],
    )
    const isNew = async () => {
      const answer = await pool.query<{ is_new: boolean }>(
        `select ${newDeviceSql('session.id', '24')} as is_new from session where user_id = $1
          order by created_at desc limit 1`,
        [owner.id],
      )
      return answer.rows[0]?.is_new
    }
    expect(await isNew()).toBe(false)
    await pool.query(`update session set revoked_reason = 'unrecognized' where id = $1`, [rows[0]?.id])
    expect(await isNew()).toBe(true)
  })

  test.each<readonly [string, () => Promise<unknown>]>([
    ['street mode', () => createStreetModeClient(world, owner).set({ limit: '50.00' })],
    [
      'a change of how its owner proves that it is them',
      () =>
        world.database.pool.query(
          `update app_user set factor_change = 'passkey_added', factor_changed_at = now() where id = $1`,
          [owner.id],
        ),
    ],
    [
      'money of a stranger',
      async () => {
        const stranger = await world.enroll('stranger', 'United States')
        await world.fund(stranger, 5000)
        await send(stranger, owner, '20.00')
      },
    ],
    ['money from outside', () => world.fund(owner, 5000)],
    ['other numbers of monitoring', () => changeMonitoringThresholds(world.database.pool)],
    [
      'other numbers of the risk rules',
      () =>
        world.database.pool.query(
          `insert into risk_policy select version + 1, allowance_usd_minor, allowance_payments, new_payees_per_day, trusted_after_hours,
             trusted_payee_usd_minor, new_device_hours, new_factor_hours from risk_policy order by version desc limit 1`,
        ),
    ],
  ])('%s ends it', async (_case, change) => {
    expect(await sendAndReadDecider()).toBe('by room')
    await change()
    expect(await sendAndReadDecider()).toBe('by decision')
  })

  test('is not left by a large send, and ends with it', async () => {
    expect(await sendAndReadDecider()).toBe('by room')
    const confirmation = await completeStepUp(world, owner, await send(owner, friend, '1300.00'))
    expect(readCode(await send(owner, friend, '1300.00', randomUUID(), confirmation))).toBe('step_up_required')
    const key = randomUUID()
    const provenSend = await completeStepUp(world, owner, await send(owner, friend, '1300.00', key))
    expect(readCode(await send(owner, friend, '1300.00', key, provenSend))).toBe('passed')
    expect(await loadFreeUntil(owner)).toBeUndefined()
  })

  test('does not end by money from an old acquaintance', async () => {
    await world.fund(friend, 5000)
    await send(friend, owner, '1.00')
    await ageSends(world.database.pool, { hours: 24 * 40, senderId: BigInt(friend.id) })
    await sendAndReadDecider()
    expect(await sendAndReadDecider()).toBe('by room')
    await send(friend, owner, '2.00')
    await send(friend, owner, '3.00')
    expect(await sendAndReadDecider()).toBe('by room')
  })

  test('of a frozen account lets nothing pass', async () => {
    expect(await sendAndReadDecider()).toBe('by room')
    await world.database.pool.query('update app_user set frozen_at = now() where id = $1', [owner.id])
    expect(readCode(await send(owner, friend, '1.00'))).toBe('account_frozen')
  })

  test('is not left by a send whose facts changed before it moved', async () => {
    await changeMonitoringThresholds(world.database.pool)
    const { pool } = world.database
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query(
      `select from ledger.account a join wallet w on a.name like '%:' || w.id || ':USD' where w.user_id = $1 for no key update of a`,
      [owner.id],
    )
    const pendingSend = send(owner, friend, '1.00')
    await expect.poll(countWaitingMoves, { timeout: 120_000 }).toBeGreaterThanOrEqual(1)
    await createStreetModeClient(world, owner).set({ limit: '50.00' })
    await holder.query('commit')
    holder.release()
    expect(readCode(await pendingSend)).toBe('passed')
    expect(await loadFreeUntil(owner)).toBeUndefined()
  })

  test('is not left by a send whose facts change concurrently, and the send does not block', async () => {
    const stranger = await world.enroll('stranger', 'United States')
    await send(owner, stranger, '1.00')
    expect(await loadFreeUntil(owner), 'left where nobody changes anything').toBeDefined()
    const { pool } = world.database
    const otherConnection = await pool.connect()
    // Simulates a send by the stranger to the owner in another currency, which shares no account with the owner's send.
    const disturbGuards = (person: TestPerson) => otherConnection.query('select disturb_send_guards($1)', [[person.id]])
    try {
      await otherConnection.query(`begin; set local deadlock_timeout = '10ms'`)
      await disturbGuards(owner)
      let isSent = false
      const pendingSend = send(owner, stranger, '1.00').finally(() => (isSent = true))
      await expect.poll(async () => isSent || (await countWaitingMoves()) > 0, { timeout: 120_000 }).toBe(true)
      await disturbGuards(stranger)
      await otherConnection.query('commit')
      expect(readCode(await pendingSend)).toBe('passed')
    } finally {
      otherConnection.release(true)
    }
    expect(await loadFreeUntil(owner)).toBeUndefined()
  })
})
