// One idempotency key for several requests: permission for one of them never covers another. A full run repeats the
// first two tests 200 times.

import { randomUUID } from 'node:crypto'
import { directPayment } from '@tern/contract/payments'
import { payLink, quoteForLink } from '@tern/contract/requests/payment-links'
import { createRequest } from '@tern/contract/requests/requests'
import { sendMoney } from '@tern/contract/transfers'
import { money } from '@tern/money/money'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { readCode, countCodes, sendTo, startAttack } from '@tern/testkit/attacks/attack'
import { readTransferId, completeStepUp, createStreetModeClient } from '@tern/testkit/street-mode'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { callNode } from '@tern/testkit/nodes'
import { linkAccount, saveCard } from '@tern/testkit/payments'
import { assessRisk, recordProof, revokeDecision, type RiskCandidate } from '../features/risk/risk.ts'

const rounds = isFullRun ? 200 : 8
const timeoutMs = rounds * 10_000
// Few enough for the rate limit on payments, and for the daily number of sends without a fee.
const roundsPerPerson = 4

const attack = await startAttack()
const { world } = attack
const urls = [world.url, attack.urls[1]!] as const
const mule = await attack.newPerson('mule')
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await attack.close()
})

/** Sets the count of unconfirmed payments and resets their amount, as earlier payments or proofs would. */
const setUnconfirmedPayments = ({ id }: TestPerson, payments: number) =>
  world.database.pool.query(
    `insert into risk_profile (user_id, unproven_payments) values ($1, $2)
     on conflict (user_id) do update set unproven_payments = $2, unproven_usd_minor = 0`,
    [id, payments],
  )

const loadUnconfirmed = async ({ id }: TestPerson) => {
  const { rows } = await world.database.pool.query<{ unproven_usd_minor: bigint; unproven_payments: number }>(
    'select unproven_usd_minor, unproven_payments from risk_profile where user_id = $1',
    [id],
  )
  return rows[0]
}

const saveTestCard = async (person: TestPerson): Promise<string> => {
  const savedCardData = { token: `tok_${randomUUID()}`, brand: 'Visa', last4: '4242', expMonth: 12, expYear: 2039 }
  const card = await saveCard(world, person, { ...savedCardData, fingerprint: randomUUID() })
  if (card.status === 'full') throw new Error('the owner has too many cards')
  return card.id
}

const post = async (url: string, person: TestPerson, path: string, body: object, key: string) => {
  const answer = await callNode(url, person, { method: 'POST', path, body, key })
  return answer.status < 300 ? 'passed' : String(answer.body.code)
}

describe('five refused 1.00 sends under one key, then 5,000 from a saved card', () => {
  /**
   * Creates an owner with the maximum of open conversions: each further one passes the risk rules and is refused
   * afterwards.
   */
  async function createOwnerWithOpenConversions(payee: TestPerson) {
    const owner = await attack.newPerson()
    for (let round = 0; round < 5; round += 1) {
      await setUnconfirmedPayments(owner, 0)
      expect(
        readCode(
          await settleCall(owner.call(directPayment, { body: buildCardBody(payee), idempotencyKey: randomUUID() })),
        ),
      ).toBe('passed')
    }
    await setUnconfirmedPayments(owner, 0)
    return { owner, paymentMethodId: await saveTestCard(owner) }
  }
  const buildCardBody = (payee: TestPerson) =>
    ({ amount: 100, currency: 'usd', recipientId: String(payee.id), paymentSource: 'card' }) as const

  test('charge nothing without a proof, over two processes', { timeout: timeoutMs }, async () => {
    const violations: string[] = []
    const payee = await world.enroll('payee', 'Germany')
    for (let round = 0; round < rounds; round += roundsPerPerson) {
      const { owner, paymentMethodId } = await createOwnerWithOpenConversions(payee)
      for (let round = 0; round < roundsPerPerson; round += 1) {
        const key = randomUUID()
        const refusedCodes = await Promise.all(
          Array.from({ length: 5 }, (_, index) =>
            post(urls[index % 2]!, owner, '/payment/direct-payment', buildCardBody(payee), key),
          ),
        )
        const unconfirmedRow = await loadUnconfirmed(owner)
        const body = { amount: '5000.00', currency: 'USD', method: 'card', paymentMethodId }
        const depositCode = await post(urls[round % 2]!, owner, '/payment/deposit', body, key)
        const isExpected = refusedCodes.every((code) => code === 'rate_limited') && depositCode === 'step_up_required'
        if (!isExpected || unconfirmedRow?.unproven_payments !== 0)
          violations.push([...refusedCodes, depositCode, unconfirmedRow?.unproven_payments].join())
      }
    }
    expect(violations).toEqual([])
  })
})

describe('two sends under one key at one moment', () => {
  test('4,000 does not leave by the decision for 0.01, over two processes', { timeout: timeoutMs }, async () => {
    const violations: string[] = []
    for (let round = 0; round < rounds; round += roundsPerPerson) {
      const owner = await attack.newPerson()
      await world.fund(owner, 500_000)
      for (let round = 0; round < roundsPerPerson; round += 1) {
        await setUnconfirmedPayments(owner, 0)
        const key = randomUUID()
        const [smallCode, largeCode] = await Promise.all([
          post(urls[round % 2]!, owner, '/payment/transfer', sendTo(mule, '0.01'), key),
          post(urls[(round + 1) % 2]!, owner, '/payment/transfer', sendTo(mule, '4000.00'), key),
        ])
        const repeatCode = await post(urls[round % 2]!, owner, '/payment/transfer', sendTo(mule, '4000.00'), key)
        const isExpected = smallCode === 'passed' && largeCode !== 'passed' && repeatCode !== 'passed'
        const unconfirmedUsdMinor = (await loadUnconfirmed(owner))?.unproven_usd_minor
        if (!isExpected || unconfirmedUsdMinor !== 1n)
          violations.push([smallCode, largeCode, repeatCode, unconfirmedUsdMinor].join())
      }
      expect(Number((await owner.wallet()).fiat_balance), 'of 5,000').toBeGreaterThan(4990)
    }
    expect(violations).toEqual([])
  })

  test('4,000 does not leave by the decision for a payment request of 0.01 that hangs', async () => {
    const owner = await attack.newPerson()
    await world.fund(owner, 500_000)
    const { data, id } = await mule.call(createRequest, { body: { amount: '0.01' }, idempotencyKey: randomUUID() })
    const { quote_id } = await owner.call(quoteForLink, { params: { data }, body: { source_currency: 'USD' } })
    const { pool } = world.database
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query('select from payment_request where id = $1 for update', [id])
    const key = randomUUID()
    const smallPayment = settleCall(owner.call(payLink, { params: { data }, body: { quote_id }, idempotencyKey: key }))
    const blockedSql = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%payment_request%'`
    await expect.poll(async () => (await pool.query(blockedSql)).rowCount, { timeout: 120_000 }).toBe(1)
    const largeOutcome = await post(urls[1], owner, '/payment/transfer', sendTo(mule, '4000.00'), key)
    await holder.query('commit')
    holder.release()
    expect(largeOutcome).toBe('step_up_required')
    expect(readCode(await smallPayment)).toBe('passed')
    expect(await loadUnconfirmed(owner)).toEqual({ unproven_usd_minor: 1n, unproven_payments: 1 })
  })
})

describe('a decision', () => {
  const buildCandidate = (userId: bigint): RiskCandidate => ({
    movementId: randomUUID(),
    userId,
    kind: 'transfer',
    payee: { id: 'user 1', userId: 1n },
    usdMinor: 2000n,
    amount: money('USD', 2000n),
    source: 'wallet',
  })
  const assess = (candidate: RiskCandidate) => {
    const { pool, now } = world.app.product
    return assessRisk(world.app.product, pool, { candidate, at: now() })
  }
  const revoke = (decisionId: string) => {
    const { pool, now } = world.app.product
    return revokeDecision(pool, { decisionId, at: now() })
  }
  const recordCandidateProof = (candidate: RiskCandidate) => {
    const { pool, now } = world.app.product
    return recordProof(pool, { candidate, provenAt: new Date(), at: now() })
  }
  const loadUnconfirmedCount = async (owner: TestPerson) => Number((await loadUnconfirmed(owner))?.unproven_payments)

  test.each([
    ['another payee', { payee: { id: 'user 2', userId: 2n } }],
    ['another amount', { amount: money('USD', 2001n) }],
    ['another currency', { amount: money('EUR', 2000n) }],
    ['another kind', { kind: 'payout' }],
    ['another source', { source: 'card 6f3e' }],
  ] as const)('does not cover %s under its key', async (_case, changes) => {
    const owner = await attack.newPerson()
    const candidate = buildCandidate(BigInt(owner.id))
    expect((await assess(candidate)).passes).toBe(true)
    expect((await assess({ ...candidate, usdMinor: 2050n })).passes, 'rates moved: the same request').toBe(true)
    expect(await loadUnconfirmedCount(owner)).toBe(1)
    expect((await assess({ ...candidate, ...changes })).passes).toBe(true)
    expect(await loadUnconfirmedCount(owner), 'counted by itself').toBe(2)
  })

  test('is revoked once its last request has failed, and covers the running ones until then', async () => {
    const owner = await attack.newPerson()
    const candidate = buildCandidate(BigInt(owner.id))
    const first = await assess(candidate)
    const second = await assess(candidate)
    const third = await assess(candidate)
    await revoke(first.decisionId)
    await revoke(third.decisionId)
    expect(await loadUnconfirmedCount(owner), 'one still runs').toBe(1)
    await revoke(second.decisionId)
    expect(await loadUnconfirmedCount(owner)).toBe(0)
    await setUnconfirmedPayments(owner, 5)
    expect((await assess(candidate)).passes, 'nothing is left of it').toBe(false)
  })

  test('proven for one amount does not cover another, and covers nothing once its request was refused', async () => {
    const owner = await attack.newPerson()
    const candidate = { ...buildCandidate(BigInt(owner.id)), usdMinor: 400_000n, amount: money('USD', 400_000n) }
    const provenDecisionId = await recordCandidateProof(candidate)
    const retry = await assess(candidate)
    expect(retry.passes).toBe(true)
    const largerCandidate = { ...candidate, usdMinor: 500_000n, amount: money('USD', 500_000n) }
    expect((await assess(largerCandidate)).passes).toBe(false)
    await revoke(retry.decisionId)
    await revoke(provenDecisionId)
    expect((await assess(candidate)).passes).toBe(false)
  })

  test('that a newer proof has replaced covers no retry', async () => {
    const owner = await attack.newPerson()
    const candidate = { ...buildCandidate(BigInt(owner.id)), usdMinor: 9000n, amount: money('USD', 9000n) }
    expect((await assess(candidate)).passes).toBe(true)
    // Times of decisions and confirmations are exact to the millisecond.
    const decisionTime = Date.now()
    await vi.waitUntil(() => Date.now() > decisionTime, { interval: 1 })
    await recordCandidateProof({ ...candidate, movementId: randomUUID() })
    const otherCandidate = { ...candidate, movementId: randomUUID() }
    expect((await assess(otherCandidate)).passes, 'the new allowance').toBe(true)
    expect((await assess(candidate)).passes, 'would be 180 dollars of 100').toBe(false)
  })
})

describe('street mode', () => {
  test('2.00 under a key that is refused for a proof, then 4,000 under it with one proof: is held', async () => {
    const owner = await attack.newPerson()
    await world.fund(owner, 500_000)
    const street = createStreetModeClient(world, owner)
    await street.set()
    await setUnconfirmedPayments(owner, 5)
    const key = randomUUID()
    expect(await street.send(mule, '2.00', key)).toMatchObject({ code: 'step_up_required' })
    const refusedSend = await street.send(mule, '4000.00', key)
    const confirmation = await completeStepUp(world, owner, refusedSend)
    const sendOutcome = await settleCall(
      owner.call(sendMoney, { body: sendTo(mule, '4000.00'), idempotencyKey: key, confirmation }),
    )
    expect(await street.loadStatus(readTransferId(sendOutcome))).toMatchObject({
      state: 'held',
      hold: { reason: 'street_mode' },
    })
  })

  test('a pass whose day is over does not cover a retry', async () => {
    const owner = await attack.newPerson()
    await world.fund(owner, 50_000)
    const street = createStreetModeClient(world, owner)
    await street.set()
    await setUnconfirmedPayments(owner, 5)
    const key = randomUUID()
    await street.send(mule, '45.00', key)
    await world.database.pool.query(
      `update street_passed set passed_at = passed_at - interval '25 hours' where user_id = $1`,
      [owner.id],
    )
    await setUnconfirmedPayments(owner, 0)
    expect(await street.send(mule, '45.00')).toMatchObject({ status: 'COMPLETED' })
    expect(await street.loadStatus(readTransferId(await street.send(mule, '45.00', key)))).toMatchObject({
      state: 'held',
    })
  })
})

describe('a confirmation', () => {
  test('of a send from one saved card does not cover another card or a bank account', async () => {
    const owner = await attack.newPerson()
    const [first, second] = [await saveTestCard(owner), await saveTestCard(owner)]
    const bankAccountId = await linkAccount(world, owner)
    const key = randomUUID()
    const body = { amount: 50_000, currency: 'usd', recipientId: String(mule.id) } as const
    const buildCardBody = (paymentMethodId: string) => ({ ...body, paymentSource: 'card', paymentMethodId }) as const
    const confirmation = await completeStepUp(
      world,
      owner,
      await settleCall(owner.call(directPayment, { body: buildCardBody(first), idempotencyKey: key })),
    )
    const attempts = [buildCardBody(second), { ...body, paymentSource: 'bank', bankAccountId } as const]
    for (const changedBody of attempts) {
      expect(
        await settleCall(owner.call(directPayment, { body: changedBody, idempotencyKey: key, confirmation })),
      ).toMatchObject({
        code: 'step_up_required',
      })
    }
    const chargeOutcome = await settleCall(
      owner.call(directPayment, { body: buildCardBody(first), idempotencyKey: key, confirmation }),
    )
    expect(readCode(chargeOutcome), 'by the sandbox, which never saved this card').toBe('payment_refused')
  })
})

test('a withdrawal under a reused key counts only the money that leaves', async () => {
  const owner = await attack.newPerson()
  await world.database.pool.query(`update maturity_policy set hours = 0`)
  await world.fund(owner, 50_000)
  const bankAccountId = await linkAccount(world, owner)
  const key = randomUUID()
  const withdraw = (url: string, amount: string) =>
    post(url, owner, '/payment/withdraw', { amount, currency: 'USD', bankAccountId }, key)
  const codes = await Promise.all([withdraw(urls[0], '20.00'), withdraw(urls[1], '30.00')])
  expect(countCodes(codes).passed).toBe(1)
  const { rows } = await world.database.pool.query<{ amount_minor: bigint }>(
    'select amount_minor from payout where user_id = $1',
    [owner.id],
  )
  expect(rows).toHaveLength(1)
  expect(await loadUnconfirmed(owner)).toEqual({ unproven_usd_minor: rows[0]?.amount_minor, unproven_payments: 1 })
})
