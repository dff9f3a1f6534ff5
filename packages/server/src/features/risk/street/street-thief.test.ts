// Changes that weaken street mode, and attempts by a thief with an unlocked phone: none lets more money leave.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import { payLink, quoteForLink } from '@tern/contract/requests/payment-links'
import { createRequest } from '@tern/contract/requests/requests'
import { sendMoney } from '@tern/contract/transfers'
import { removeStreetPlace, streetMode } from '@tern/contract/transfers/street-mode'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dueTime, dateAfterDays, createConfirmedSchedule, createWorkerAt } from '@tern/testkit/schedules'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail, settleCall } from '@tern/testkit/banking'
import { linkAccount, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
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

const loadStreetMode = () => owner.call(streetMode, {})
const currentHour = () => world.app.product.now().getUTCHours()
const expectHold = async (id: string) =>
  expect(await street.loadStatus(id)).toMatchObject({ hold: { reason: 'street_mode', at_deadline: 'release' } })

describe('a change that weakens the mode', () => {
  test.each([
    ['turning it off', { is_on: false }],
    ['a higher limit', { limit: '500.00' }],
    ['another time zone', { time_zone: 'Asia/Tokyo' }],
  ])('%s needs a proof, applies after a day, and is mailed to the owner', async (_case, changes) => {
    await street.set()
    const refusedChange = await street.set(changes)
    expect(refusedChange).toMatchObject({ code: 'step_up_required' })
    expect(await loadStreetMode(), 'nothing of it').toMatchObject({ is_on: true, limit: '50.00', next: null })
    const proof = await completeStepUp(world, owner, refusedChange)
    expect(await street.set(changes, proof)).toMatchObject({ is_on: true, limit: '50.00', next: changes })
    expect(await nextMail(world, owner, /^Street mode changes tomorrow/)).toContain('/not-me#token=')
    await expectHold(readTransferId(await street.send(mule, '60.00')))
    await street.ageSettings(23)
    expect(await loadStreetMode()).toMatchObject({ is_on: true, limit: '50.00', time_zone: 'UTC' })
    await street.ageSettings(1)
    expect(await loadStreetMode()).toMatchObject({ ...changes, next: null })
  })

  test('a shorter night waits too; a longer one, a lower limit and turning it on do not', async () => {
    const nightHours = { night_from: currentHour(), night_until: (currentHour() + 3) % 24 }
    await street.addHome()
    expect(await street.set(nightHours)).toMatchObject({ ...nightHours, next: null })
    await expectHold(readTransferId(await street.send(mule, '60.00')))
    expect(await street.set({})).toMatchObject({ code: 'step_up_required' })
    const longerNight = { ...nightHours, night_until: (currentHour() + 5) % 24, limit: '20.00' }
    expect(await street.set(longerNight)).toMatchObject({ ...longerNight, next: null })
  })

  test('applies its stricter part at once', async () => {
    await street.set()
    const changedMode = { limit: '500.00', night_from: 0, night_until: 6 }
    const proof = await completeStepUp(world, owner, await street.set(changedMode))
    expect(await street.set(changedMode, proof)).toMatchObject({ limit: '50.00', night_until: 6, next: changedMode })
    expect(await street.set({ night_until: 6 }), 'taken back without a proof').toMatchObject({
      limit: '50.00',
      next: null,
    })
  })

  test('while the mode is on a place is trusted after a day and a proof, and distrusted at once', async () => {
    await street.set()
    const refusedChange = await street.addHome()
    expect(refusedChange).toMatchObject({ code: 'step_up_required' })
    await street.addHome(await completeStepUp(world, owner, refusedChange))
    await expectHold(readTransferId(await street.send(mule, '60.00')))
    await street.ageSettings(24)
    expect(await street.send(mule, '60.00')).toMatchObject({ status: 'COMPLETED' })
    const [place] = (await loadStreetMode()).places
    const params = { id: place!.id }
    expect(await settleCall(mule.call(removeStreetPlace, { params }))).toMatchObject({ code: 'not_found' })
    expect(await owner.call(removeStreetPlace, { params })).toMatchObject({ places: [] })
    await expectHold(readTransferId(await street.send(mule, '60.00')))
  })

  test('is refused for an unknown time zone, and for a sixth place', async () => {
    for (const time_zone of ['Mars/Olympus', 'Etc/Unknown', 'GMT+3', '+05:30', 'localtime', 'Factory', 'BST'])
      expect(await street.set({ time_zone })).toMatchObject({ errors: [{ field: 'time_zone' }] })
    await world.database.pool.query(
      `insert into street_place select gen_random_uuid(), $1, 'x', null, 'net ' || n, now(), now() from generate_series(1, 5) n`,
      [owner.id],
    )
    expect(await street.addHome()).toMatchObject({ code: 'too_many_places' })
  })
})

describe('a thief with an unlocked phone', () => {
  beforeEach(async () => {
    await street.set()
  })

  test('on another device: the request’s network counts', async () => {
    await world.database.pool.query(
      `insert into street_place values (gen_random_uuid(), $1, 'Home', null, '203.0.113.0/24', now() - interval '2 days', now())`,
      [owner.id],
    )
    await expectHold(readTransferId(await street.send(mule, '60.00')))
  })

  test('in many small payments: their sum is held', async () => {
    const amounts = ['20.00', '20.00', '9.00', '2.00']
    const states: string[] = []
    for (const amount of amounts)
      states.push((await street.loadStatus(readTransferId(await street.send(mule, amount)))).state)
    expect(states).toEqual(['settled', 'settled', 'settled', 'held'])
  })

  test('by a payment request of a mule', async () => {
    const { data } = await mule.call(createRequest, { body: { amount: '80.00' }, idempotencyKey: randomUUID() })
    const { quote_id } = await owner.call(quoteForLink, { params: { data }, body: { source_currency: 'USD' } })
    const payment = await owner.call(payLink, { params: { data }, body: { quote_id }, idempotencyKey: randomUUID() })
    await expectHold(payment.transaction_id)
  })

  test('by cryptocurrency: exchanged money stays the owner’s, and is held when it leaves', async () => {
    const body = {
      ...({ amount: '200.00', side: 'source', source_currency: 'USD', target_currency: 'USDT' } as const),
    }
    const quote = await owner.call(createQuote, { body })
    await owner.call(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey: randomUUID() })
    const transfer = await owner.call(sendMoney, {
      body: { recipient_id: mule.id, amount: '100', source_currency: 'USDT' },
      idempotencyKey: randomUUID(),
    })
    await expectHold(transfer.transaction_id)
  })

  test('by a scheduled send: its sender is absent when it is due, so it is held', async () => {
    const tomorrow = dateAfterDays(world, 1)
    const schedule = await createConfirmedSchedule(owner, mule, {
      amount: '60.00',
      next_on: tomorrow,
      target_currency: 'USD',
    })
    expect(schedule).toHaveProperty('id')
    await createWorkerAt(world, dueTime(tomorrow)).runDue()
    const { rows } = await world.database.pool.query<{ id: string }>('select id from transfer where sender_id = $1', [
      owner.id,
    ])
    expect(rows).toHaveLength(1)
    await expectHold(rows[0]!.id)
  })

  test('by a withdrawal', async () => {
    const bankAccountId = await linkAccount(world, owner)
    const { payout_id: id } = await owner.call(withdraw, {
      body: { amount: '60.00', currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    await expectHold(id)
    await street.ageTransfer((await street.loadStatus(id)).id, 60)
    const transfer = (await street.loadStatus(id)).id
    expect(
      await street.settle(transfer, await completeStepUp(world, owner, await street.settle(transfer))),
    ).toMatchObject({
      state: 'processing',
    })
  })

  test('by a card that funds a send: it is held from the arrival of its money', async () => {
    const payment = await owner.call(directPayment, {
      body: { amount: 8_000, currency: 'usd', userId: owner.id, recipientId: String(mule.id), paymentSource: 'card' },
      idempotencyKey: randomUUID(),
    })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(owner, payment.payment_id, 'completed')
    await expectHold(payment.transaction_id)
  })
})
