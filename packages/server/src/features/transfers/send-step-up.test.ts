import { randomUUID } from 'node:crypto'
import { Refused } from '@tern/contract/protocol/client'
import { depositByCard, directPayment } from '@tern/contract/payments'
import { mailStepUpCode, type StepUpReason, type StepUpRequirement, proveByCode } from '@tern/contract/security'
import { sendMoney } from '@tern/contract/transfers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp()
const payer = await world.enroll('checkout', 'United States')
const { redirectUrl } = await payer.call(depositByCard, {
  body: { amount: 100, currency: 'usd' },
  idempotencyKey: randomUUID(),
})
const sandboxUrl = new URL(redirectUrl!).origin
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

interface Order {
  readonly from?: TestPerson
  readonly to?: TestPerson
  readonly amount: string
  readonly currency?: 'USD' | 'EUR'
  readonly key?: string
  readonly confirmation?: string | undefined
  readonly description?: string
}

/** Sends, and returns the transaction's id or the refusal. */
async function send({ from = alice, to = bruno, amount, currency = 'USD', key, confirmation, description }: Order) {
  const body = { recipient_id: to.id, amount, source_currency: currency, ...(description ? { description } : {}) }
  try {
    return (await from.call(sendMoney, { body, idempotencyKey: key ?? randomUUID(), confirmation })).transaction_id
  } catch (error) {
    if (error instanceof Refused) return error.problem
    throw error
  }
}
async function readSendRequirement(order: Order): Promise<StepUpRequirement> {
  const outcome = await send(order)
  expect(outcome).toMatchObject({ status: 403, code: 'step_up_required' })
  return (outcome as unknown as { confirmation: StepUpRequirement }).confirmation
}
const acceptedPattern = expect.stringContaining('-')
const buildStepUpProblem = (reason: StepUpReason) => ({ code: 'step_up_required', confirmation: { reason } })

async function advanceOneDay(): Promise<void> {
  const { now, providers, exchange } = world.app.product
  await providers.sandboxClock?.set(new Date(now().getTime() + 25 * 3_600_000))
  await exchange.refreshRates()
}

async function loadMailText(to: string): Promise<string> {
  const mails = (await (await fetch(`${sandboxUrl}/api/mail?to=${to}`)).json()) as { text: string }[]
  return mails.map(({ text }) => text).find((text) => text.includes('bruno Tester')) ?? ''
}

/** Confirms by a mailed code; returns the text of the mail. */
async function confirm(person: TestPerson, { id }: StepUpRequirement): Promise<string> {
  await person.call(mailStepUpCode, { params: { id } })
  await vi.waitFor(async () => expect(await loadMailText(person.email)).not.toBe(''), { timeout: 120_000 })
  const text = await loadMailText(person.email)
  const code = /\b(\d{3}) ?(\d{3})\b/.exec(text)?.slice(1).join('') ?? ''
  await person.call(proveByCode, { params: { id }, body: { password: person.password, code } })
  return text
}

describe('a send that needs a step-up confirmation', () => {
  test('goes to a payee never paid before and exceeds 100 dollars', async () => {
    await world.fund(alice, 200_000)
    expect(await send({ amount: '100.01' })).toMatchObject(buildStepUpProblem('amount'))
    expect(await send({ amount: '100.00' })).toEqual(acceptedPattern)
    expect(await send({ amount: '100.01' }), 'paid only a moment ago').toMatchObject({ code: 'step_up_required' })
    expect(await send({ amount: '1.00' }), 'the hundred is used up').toMatchObject({ code: 'step_up_required' })
    await advanceOneDay()
    expect(await send({ amount: '100.01' })).toEqual(acceptedPattern)
    const carol = await world.enroll('carol', 'Germany')
    expect(await send({ to: carol, amount: '100.01' })).toMatchObject({ code: 'step_up_required' })
    await world.fund(bruno, 50_000)
    expect(await send({ from: bruno, to: alice, currency: 'EUR', amount: '93.01' })).toMatchObject({
      code: 'step_up_required',
    })
    expect(await send({ from: bruno, to: alice, currency: 'EUR', amount: '92.99' })).toEqual(acceptedPattern)
  })

  test('exceeds 1,000 dollars to any payee', async () => {
    await world.fund(alice, 500_000)
    expect(await send({ amount: '1.00' })).toEqual(acceptedPattern)
    await advanceOneDay()
    expect(await send({ amount: '1000.00' })).toEqual(acceptedPattern)
    const order = { amount: '1000.01', key: randomUUID() }
    const requirement = await readSendRequirement(order)
    expect(requirement.reason).toBe('day_amount')
    await confirm(alice, requirement)
    const id = await send({ ...order, confirmation: requirement.id })
    expect(id).toEqual(acceptedPattern)
    expect(await send(order), 'what has moved is only told again').toBe(id)
  })

  test('counts all sends since the last confirmation, also concurrent and pending ones', async () => {
    await world.fund(alice, 200_000)
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => send({ amount: '24.00' })))
    expect(outcomes.filter((outcome) => typeof outcome === 'string')).toHaveLength(4)
    expect(outcomes.filter((outcome) => typeof outcome !== 'string')).toMatchObject(
      Array.from({ length: 8 }, () => ({ code: 'step_up_required' })),
    )
    expect(await send({ amount: '4.00' })).toEqual(acceptedPattern)
    const order = { amount: '1.00', key: randomUUID() }
    const requirement = await readSendRequirement(order)
    await confirm(alice, requirement)
    expect(await send({ ...order, confirmation: requirement.id })).toEqual(acceptedPattern)
    const [carol, dora] = [await world.enroll('carol', 'Germany'), await world.enroll('dora', 'Germany')]
    expect(await send({ to: carol, amount: '30.00' }), 'from then on anew').toEqual(acceptedPattern)
    const sendByCard = (recipient: TestPerson, amount: number) =>
      alice.call(directPayment, {
        body: { amount, currency: 'usd', recipientId: String(recipient.id), paymentSource: 'card' },
        idempotencyKey: randomUUID(),
      })
    await expect(sendByCard(carol, 7001), 'whoever gets it').rejects.toMatchObject({
      code: 'step_up_required',
      problem: buildStepUpProblem('amount'),
    })
    const paymentOutcomes = await Promise.allSettled([
      sendByCard(dora, 3000),
      sendByCard(dora, 3000),
      sendByCard(dora, 3000),
    ])
    expect(paymentOutcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(await send({ to: carol, amount: '10.01' }), 'a card is asked for 60').toMatchObject({
      code: 'step_up_required',
    })
    expect(await send({ to: carol, amount: '10.00' })).toEqual(acceptedPattern)
    await advanceOneDay()
    expect(await send({ amount: '100.00' }), 'paid a day ago').toEqual(acceptedPattern)
    expect(await send({ amount: '100.00' })).toEqual(acceptedPattern)
  })

  test('is the sixth since the last confirmation, or goes to the fourth new payee of a day, and states the reason', async () => {
    await world.fund(alice, 200_000)
    const { pool } = world.database
    const allowWithoutProof = (payments: string, newPayees: string) =>
      pool.query(`insert into risk_policy
        select version + 1, allowance_usd_minor, ${payments}, ${newPayees}, trusted_after_hours, trusted_payee_usd_minor,
            new_device_hours, new_factor_hours
          from risk_policy order by version desc limit 1`)
    await allowWithoutProof('5', '3')
    onTestFinished(async () => {
      await allowWithoutProof('1000000', '1000000')
    })
    for (let sendIndex = 0; sendIndex < 5; sendIndex += 1)
      expect(await send({ amount: '1.00' })).toEqual(acceptedPattern)
    expect(await send({ amount: '1.00' })).toMatchObject(buildStepUpProblem('payments'))
    await world.fund(bruno, 200_000)
    for (let payeeIndex = 0; payeeIndex < 3; payeeIndex += 1) {
      const to = await world.enroll(`payee${payeeIndex}`, 'Germany')
      expect(await send({ from: bruno, to, currency: 'EUR', amount: '1.00' })).toEqual(acceptedPattern)
    }
    const fourthOrder = { from: bruno, to: alice, currency: 'EUR', amount: '1.00' } as const
    expect(await send(fourthOrder)).toMatchObject(buildStepUpProblem('new_payees'))
  })

  test('states when a new device or a new login factor ends the trust in a payee', async () => {
    await world.fund(alice, 500_000)
    expect(await send({ amount: '1.00' })).toEqual(acceptedPattern)
    await advanceOneDay()
    const { pool } = world.database
    await pool.query(`update app_user set factor_change = 'passkey', factor_changed_at = now() where id = $1`, [
      alice.id,
    ])
    expect(await send({ amount: '500.00' })).toMatchObject(buildStepUpProblem('new_factor'))
    await pool.query('update app_user set factor_change = null, factor_changed_at = null where id = $1', [alice.id])
    expect(await send({ amount: '500.00' })).toEqual(acceptedPattern)
  })

  test('names recipient and amounts, moves the money once confirmed, and can be repeated without another confirmation', async () => {
    await world.fund(alice, 50_000)
    const key = randomUUID()
    const requirement = await readSendRequirement({ amount: '250.00', key })
    expect(requirement).toMatchObject({
      action: 'send_money',
      subject: {
        to: `bruno Tester (@${bruno.username})`,
        amount: '250.00 USD',
        fee: '2.50 USD',
        total: '252.50 USD',
        receives: '232.50 EUR',
        rate: '1 USD = 0.9300 EUR',
      },
    })
    expect(await send({ amount: '250.00', key, confirmation: requirement.id }), 'not confirmed yet').toMatchObject({
      code: 'step_up_required',
    })
    expect(await confirm(alice, requirement)).toContain('$250.00')
    const attempts = await Promise.all(
      [1, 2, 3].map(() => send({ amount: '250.00', key, confirmation: requirement.id })),
    )
    const id = attempts.find((outcome) => typeof outcome === 'string')
    expect(id).toEqual(acceptedPattern)
    expect(await send({ amount: '250.00', key, confirmation: requirement.id })).toBe(id)
    expect(await send({ amount: '250.00', key })).toBe(id)
    expect(await send({ amount: '251.00', key })).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '247.50' })
  })

  test('does not pass with the confirmation of another amount, payee, note, request or person', async () => {
    await world.fund(alice, 50_000)
    const carol = await world.enroll('carol', 'Germany')
    await world.fund(carol, 50_000)
    const key = randomUUID()
    const order = { amount: '250.00', key }
    const requirement = await readSendRequirement(order)
    await confirm(alice, requirement)
    const confirmation = requirement.id
    const attempts: Order[] = [
      { ...order, amount: '250.01' },
      { ...order, to: carol },
      { ...order, description: 'Rent' },
      { ...order, key: randomUUID() },
      { ...order, from: carol, currency: 'EUR' },
    ]
    for (const attempt of attempts) {
      expect(await send({ ...attempt, confirmation }), JSON.stringify(attempt.amount)).toMatchObject({
        code: 'step_up_required',
      })
    }
    const otherLogin = await world.raw('POST', '/user/login', {
      body: { email: alice.email, password: alice.password },
    })
    const stolenSend = await world.raw('POST', '/payment/transfer', {
      token: otherLogin.body.access_token as string,
      body: { recipient_id: bruno.id, amount: '250.00', source_currency: 'USD' },
      headers: { 'idempotency-key': key, confirmation },
    })
    expect([stolenSend.status, stolenSend.body.code]).toEqual([403, 'step_up_required'])
    const invalidSend = await send({ ...order, confirmation: 'not a confirmation' })
    expect(invalidSend).toMatchObject({ code: 'step_up_required' })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '500.00' })
    expect(await send({ ...order, confirmation })).toEqual(acceptedPattern)
  })

  test('that failed for lack of money stays refused under its key; a new one needs a new confirmation', async () => {
    const order = { amount: '250.00', key: randomUUID() }
    const requirement = await readSendRequirement(order)
    await confirm(alice, requirement)
    expect(await send({ ...order, confirmation: requirement.id })).toMatchObject({ code: 'insufficient_funds' })
    await world.fund(alice, 50_000)
    expect(await send({ ...order, confirmation: requirement.id })).toMatchObject({ code: 'insufficient_funds' })
    const next = { ...order, key: randomUUID() }
    expect(await send({ ...next, confirmation: requirement.id })).toMatchObject({ code: 'step_up_required' })
  })
})
