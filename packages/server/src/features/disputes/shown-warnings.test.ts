// Warnings about the payee of a disputed payment, as evidence that operators read.

import { randomUUID } from 'node:crypto'
import { directPayment } from '@tern/contract/payments'
import { acknowledgeWarning, findPayeeWarning } from '@tern/contract/transfers/payee-warnings'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { startTestDesk } from '@tern/testkit/desk'
import { dispute, findReview, sendTo } from '@tern/testkit/disputes'
import { waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { createConfirmedSchedule, createWorkerAt, dateAfterDays, dueTime, runDueSends } from '@tern/testkit/schedules'

const desk = await startTestDesk({ unconfirmedPayments: 'any' })
const { world } = desk
const ana = await desk.createOperator('payments')
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})

let alice: TestPerson
let payee: TestPerson
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  payee = await world.enroll('payee', 'Germany')
  await world.fund(alice, 900_000)
})

const query = async (sql: string, ...values: unknown[]) => (await world.database.pool.query(sql, values)).rows
const look = async (amount: string, to = payee) => {
  const body = { recipient_id: to.id, amount, source_currency: 'USD', description: '' } as const
  return (await alice.call(findPayeeWarning, { body })).warning!
}
const acknowledge = ({ id }: { id: string }) => alice.call(acknowledgeWarning, { params: { id } })

/** Opens a dispute of a payment; returns what the desk shows about warnings. */
async function readWarnings(transactionId: string) {
  const { id } = await dispute(alice, transactionId)
  const { body } = await ana.call('GET', `/queues/disputes/${await findReview(desk, id)}`)
  return { section: body.sections.find(({ code }: { code: string }) => code === 'warnings') }
}

test('operators read the warnings before a payment, when they were shown, and what the customer answered', async () => {
  await look('400.00')
  await acknowledge(await look('301.00'))
  await acknowledge(await look('300.00'))
  const { section } = await readWarnings(await sendTo(alice, payee, '300.00'))
  expect(section).toMatchObject({ chapter: 'rules', facts: [] })
  const amount = (value: string) => ({ label: 'amount', kind: 'money', amount: value, currency: 'USD' })
  const answered = { label: 'answered_at', kind: 'moment' }
  const warning = { rule: 'warning_unknown_payee', version: 1, at: expect.stringMatching(/^\d{4}-.*Z$/) }
  expect(section.rules).toMatchObject([
    { ...warning, inputs: [amount('300.00'), answered], did: 'warning_answer_this_payment' },
    { ...warning, inputs: [amount('301.00'), answered], did: 'warning_answer_not_used' },
    { ...warning, inputs: [amount('400.00')], did: 'warning_answer_none' },
  ])
  expect(section.rules[2].inputs).toHaveLength(1)
})

test('a warning that was answered for its schedule counts for each date, however long ago', async () => {
  const tomorrow = dateAfterDays(world, 1)
  await acknowledge(await look('300.00'))
  await createConfirmedSchedule(alice, payee, { next_on: tomorrow, amount: '300.00' })
  await runDueSends(createWorkerAt(world, dueTime(tomorrow)))
  const [sent] = await query(`select id from transaction where user_id = $1 and kind = 'SEND'`, alice.id)
  await query(`update payee_warning set shown_at = shown_at - interval '90 days' where user_id = $1`, alice.id)
  const { section } = await readWarnings(sent.id)
  expect(section.rules).toMatchObject([{ did: 'warning_answer_this_schedule' }])
})

test('a payment by card is found by the movement that used its warning', async () => {
  await acknowledge(await look('300.00'))
  const { payment_id: paymentId, redirectUrl } = await alice.call(directPayment, {
    body: {
      ...{ amount: 30_000, currency: 'usd', userId: alice.id, recipientId: String(payee.id) },
      ...{ paymentSource: 'card' as const, description: '' },
    },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl ?? '')
  await waitForPayment(alice, paymentId, 'completed')
  const [sent] = await query('select id from transaction where user_id = $1 and payment_id = $2', alice.id, paymentId)
  expect((await readWarnings(sent.id)).section.rules).toMatchObject([{ did: 'warning_answer_this_payment' }])
})

test('a warning that was used for another payment to the payee says so', async () => {
  await acknowledge(await look('300.00'))
  await sendTo(alice, payee, '300.00')
  await query('update payee_warning set superseded_at = now() where user_id = $1', alice.id)
  const id = await sendTo(alice, payee, '5.00')
  expect((await readWarnings(id)).section.rules).toMatchObject([{ did: 'warning_answer_other_payment' }])
})

test('without a warning the desk says so, and warnings of other payees or later ones do not count', async () => {
  const other = await world.enroll('other', 'Germany')
  await look('300.00', other)
  const id = await sendTo(alice, payee, '300.00')
  await look('300.00')
  expect((await readWarnings(id)).section).toEqual({
    code: 'warnings',
    chapter: 'rules',
    facts: [{ label: 'warned', kind: 'code', code: 'no_warning_shown' }],
  })
})

test('warnings of more than 30 days before the payment are left out', async () => {
  await look('300.00')
  await query(
    `update payee_warning set shown_at = shown_at - interval '31 days', expires_at = expires_at - interval '31 days'
      where user_id = $1`,
    alice.id,
  )
  expect((await readWarnings(await sendTo(alice, payee, '300.00'))).section.rules).toBeUndefined()
})
