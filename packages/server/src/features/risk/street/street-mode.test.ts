// Street mode through the API: which payments are held, by place and time, and how holds end.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { notifications } from '@tern/contract/notifications/notifications'
import { cancelTransfer } from '@tern/contract/transfers'
import { cancelByLink, streetMode } from '@tern/contract/transfers/street-mode'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ageDeposits } from '../../../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail, settleCall, readRequirement } from '@tern/testkit/banking'
import { callNode, startNode } from '@tern/testkit/nodes'
import { linkAccount } from '@tern/testkit/payments'
import { enrollOwner, readTransferId, completeStepUp, type StreetModeClient } from '@tern/testkit/street-mode'

let world: TestApp
let owner: TestPerson
let mule: TestPerson
let street: StreetModeClient

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})
beforeEach(async () => {
  ;({ owner, mule, street } = await enrollOwner(world))
})

const currentHour = () => world.app.product.now().getUTCHours()
const loadStreetMode = () => owner.call(streetMode, {})
const send = (amount: string, key?: string) => street.send(mule, amount, key)
const isHeld = async (outcome: object) =>
  (await street.loadStatus(readTransferId(outcome))).hold?.reason === 'street_mode'

describe('an outgoing payment', () => {
  test('is not held before the user turns the mode on', async () => {
    expect(await loadStreetMode()).toMatchObject({ is_on: false, limit: null, currency: 'USD', places: [], next: null })
    expect(await send('500.00')).toMatchObject({ status: 'COMPLETED' })
  })

  test('passes up to the total limit, also concurrently in two processes, and is held above', async () => {
    await street.set()
    const node = await startNode(world)
    try {
      const body = { recipient_id: mule.id, amount: '10.00', source_currency: 'USD' }
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          callNode([world.url, node.url][index % 2]!, owner, { method: 'POST', path: '/payment/transfer', body }),
        ),
      )
      const states = answers.map(({ body: { status } }) => status)
      expect(states.filter((status) => status === 'COMPLETED')).toHaveLength(5)
      expect(states.filter((status) => status === 'PENDING')).toHaveLength(7)
    } finally {
      await node.close()
    }
    await world.database.pool.query(
      `update street_passed set passed_at = passed_at - interval '25 hours' where user_id = $1`,
      [owner.id],
    )
    expect(await send('50.00'), 'a day later').toMatchObject({ status: 'COMPLETED' })
  })

  test('counts once when its request is repeated', async () => {
    await street.set()
    const key = randomUUID()
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await send('30.00', key)).toMatchObject({ status: 'COMPLETED' })
    expect(await send('20.00')).toMatchObject({ status: 'COMPLETED' })
    expect(await isHeld(await send('0.01'))).toBe(true)
  })

  test('passes at home by day, and not at night', async () => {
    await street.addHome()
    await street.set()
    expect(await loadStreetMode()).toMatchObject({ places: [{ name: 'Home', network: expect.any(String) }] })
    expect(await send('200.00')).toMatchObject({ status: 'COMPLETED' })
    await street.set({ night_from: currentHour(), night_until: (currentHour() + 2) % 24 })
    expect(await isHeld(await send('200.00'))).toBe(true)
  })
})

describe('a held payment', () => {
  test('can be confirmed from one hour on, by a second proof of exactly this payment', async () => {
    await street.set()
    const id = readTransferId(await send('120.00'))
    const { hold, state } = await street.loadStatus(id)
    expect(state).toBe('held')
    expect(hold).toMatchObject({ reason: 'street_mode', decided_by: 'sender', at_deadline: 'release' })
    expect(Date.parse(hold!.until) - Date.parse(hold!.confirm_from!)).toBe(24 * 3_600_000)
    expect(hold!.lasts_ms).toBe(25 * 3_600_000)
    expect(await street.settle(id)).toMatchObject({ code: 'not_confirmable_yet' })
    await street.ageTransfer(id, 59)
    expect(await street.settle(id)).toMatchObject({ code: 'not_confirmable_yet' })
    await street.ageTransfer(id, 1)
    const otherSendId = readTransferId(await send('120.00'))
    await street.ageTransfer(otherSendId, 60)
    const otherProof = await completeStepUp(world, owner, await street.settle(otherSendId))
    expect(await street.settle(id, otherProof), 'the proof of another payment').toMatchObject({
      code: 'step_up_required',
    })
    const requirement = readRequirement(await street.settle(id))
    expect(requirement).toMatchObject({ action: 'confirm_held', subject: { to: expect.stringContaining('mule') } })
    expect(await street.settle(id, requirement.id), 'not proven').toMatchObject({ code: 'step_up_required' })
    const proof = await completeStepUp(world, owner, await street.settle(id))
    expect(await street.settle(id, proof)).toMatchObject({ state: 'settled' })
    expect(await mule.wallet()).toMatchObject({ fiat_balance: '120.00' })
  })

  test('returns at its deadline, and then cannot be confirmed', async () => {
    await street.set()
    const id = readTransferId(await send('120.00'))
    await street.ageTransfer(id, 25 * 60)
    expect(await street.settle(id)).toMatchObject({ code: 'transfer_not_held' })
    await world.app.product.heldTransfers.endDue()
    expect(await street.loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'expired' })
    expect(await owner.wallet()).toMatchObject({ fiat_balance: '950.00' })
  })

  test('can be cancelled by its sender, or by its mailed link in any browser', async () => {
    await street.set()
    const first = readTransferId(await send('120.00'))
    expect(await owner.call(cancelTransfer, { params: { id: first } })).toMatchObject({ release_reason: 'cancelled' })
    const id = readTransferId(await send('130.00'))
    await world.app.product.transferLinks.notifyStreetHolds()
    const { needs_action: actions } = await owner.call(notifications, {})
    expect(actions).toContainEqual(expect.objectContaining({ code: 'street_hold', subject_id: id }))
    expect(
      actions.filter(({ code }) => code === 'street_hold'),
      'nothing of what was canceled',
    ).toHaveLength(1)
    const mail = await nextMail(world, owner, /needs your confirmation/)
    const code = /\/cancel#code=([\w-]+)/.exec(mail)?.[1] ?? ''
    const cancelByMailedLink = (data: string) => settleCall(mule.call(cancelByLink, { body: { code: data } }))
    expect(await cancelByMailedLink(`B${code.slice(1)}`)).toMatchObject({ code: 'link_invalid' })
    expect(await cancelByMailedLink(code)).toEqual({ success: true })
    expect(await street.loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'cancelled' })
    expect(await cancelByMailedLink(code), 'pressed twice').toEqual({ success: true })
  })

  test('to a bank, cancelled, no longer counts against the allowance without a proof', async () => {
    await ageDeposits(world.database.pool, owner.id, 61 * 24)
    const bankAccountId = await linkAccount(world, owner)
    await street.set()
    const order = { body: { amount: '120.00', currency: 'USD', bankAccountId } as const, idempotencyKey: randomUUID() }
    const id = readTransferId(await owner.call(withdraw, order))
    const loadUnconfirmed = async () =>
      (
        await world.database.pool.query<{ minor: bigint; count: number }>(
          'select unproven_usd_minor as minor, unproven_payments as count from risk_profile where user_id = $1',
          [owner.id],
        )
      ).rows
    expect(await loadUnconfirmed()).toEqual([{ minor: 12_000n, count: 1 }])
    await owner.call(cancelTransfer, { params: { id } })
    expect(await loadUnconfirmed()).toEqual([{ minor: 0n, count: 0 }])
  })

  test('in two currencies is not made at an old price that has become better', async () => {
    await street.set()
    const id = readTransferId(await street.send(await world.enroll('bruno', 'Germany'), '120.00'))
    await street.ageTransfer(id, 60)
    const priceSql = `jsonb_set(locked_price, '{target}', to_jsonb(round((locked_price->>'target')::numeric * 1.02, 2)::text))`
    const { rows } = await world.database.pool.query<{ locked_price: object }>(
      'select locked_price from transfer where id = $1',
      [id],
    )
    expect(rows[0]?.locked_price).toHaveProperty('target')
    await world.database.pool.query(`update transfer set locked_price = ${priceSql} where id = $1`, [id])
    expect(await street.settle(id)).toMatchObject({ code: 'price_moved' })
    await world.database.pool.query('update transfer set locked_price = $2 where id = $1', [id, rows[0]?.locked_price])
    const proof = await completeStepUp(world, owner, await street.settle(id))
    expect(await street.settle(id, proof)).toMatchObject({ state: 'settled' })
  })
})
