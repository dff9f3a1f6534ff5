// Limits: read and set by the API, and enforced by several processes over one database.

import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { setOwnLimit, userLimits } from '@tern/contract/limits'
import { cancelPayment, depositByCard, directPayment } from '@tern/contract/payments'
import { cancelTransfer, sendMoney } from '@tern/contract/transfers'
import { convertDollars } from '@tern/contract/protocol/holder-rate'
import { money, toDecimal } from '@tern/money/money'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ageSends, waitForDayStart } from '../../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { confirm, loadFailedChecks, settleCall, readRequirement } from '@tern/testkit/banking'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'

let world: TestApp
let nodes: readonly TestNode[] = []
let urls: readonly string[]

beforeAll(async () => {
  world = await startTestApp()
  nodes = await Promise.all([startNode(world), startNode(world)])
  urls = [world.url, ...nodes.map(({ url }) => url)]
  await waitForRates()
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await world.close()
})
beforeEach(() => waitForDayStart(world.app.product.now))

/**
 * Waits until each process has current rates. A process reads clock and rates in the background, after its start and
 * when its rates are stale.
 */
async function waitForRates(since = new Date(0)): Promise<void> {
  for (const url of urls) {
    const isKnown = async () => {
      const answer = await fetch(`${url}/api/currency/rate/USD/EUR`)
      return answer.ok && new Date(((await answer.json()) as { time: string }).time) >= since
    }
    // The interval stays below the rate limit of this route.
    await vi.waitUntil(isKnown, { timeout: 120_000, interval: 500 })
  }
}

const enrollPerson = (name = 'alice') => world.enroll(name, 'United States')

const loadLimits = (person: TestPerson) => person.call(userLimits, {})

type Period = 'day' | '30_days'
const setLimit = (
  person: TestPerson,
  direction: 'out' | 'in',
  period: Period,
  max: string | null,
  confirmation?: string,
) => settleCall(person.call(setOwnLimit, { body: { direction, period, max }, confirmation }))

const send = (from: TestPerson, to: TestPerson, amount: string) =>
  settleCall(
    from.call(sendMoney, {
      body: { recipient_id: to.id, amount, source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    }),
  )

async function loadLimit(person: TestPerson, direction: 'out' | 'in', period: 'payment' | Period, isOwn = false) {
  const { limits } = await person.call(userLimits, {})
  return limits.find((limit) => limit.direction === direction && limit.period === period && limit.own === isOwn)
}

describe('a user’s limits', () => {
  test('list usage and rest', async () => {
    const [alice, bruno] = [await enrollPerson(), await enrollPerson('bruno')]
    await world.fund(alice, 10_000)
    await send(alice, bruno, '20.00')
    expect(await loadLimit(alice, 'out', 'payment')).toMatchObject({ max: '10000.00', used: '0.00', left: '10000.00' })
    expect(await loadLimit(alice, 'out', 'day')).toMatchObject({ max: '15000.00', used: '20.00', left: '14980.00' })
    expect(await loadLimit(alice, 'in', '30_days')).toMatchObject({ max: '50000.00', used: '100.00', left: '49900.00' })
    expect(await alice.call(userLimits, {})).toMatchObject({ verification_state: 'verified', country: 'United States' })
    const stranger = await world.enroll('stranger', null)
    const unverifiedLimits = await stranger.call(userLimits, {})
    expect(unverifiedLimits).toMatchObject({ verification_state: 'not_started', country: null })
    expect(unverifiedLimits.limits).toMatchObject([
      { direction: 'out', period: 'payment', max: '0.00', left: '0.00' },
      { direction: 'in', period: 'payment', max: '0.00', left: '0.00' },
    ])
  })

  test('state when usage expires: today’s at midnight, each day’s 30 days later', async () => {
    const [alice, bruno] = [await enrollPerson(), await enrollPerson('bruno')]
    await world.fund(alice, 10_000)
    await send(alice, bruno, '20.00')
    await ageSends(world.database.pool, { hours: 72, senderId: BigInt(alice.id) })
    await send(alice, bruno, '5.00')
    const midnight = new Date(world.app.product.now())
    midnight.setUTCHours(0, 0, 0, 0)
    const toDateAfter = (days: number) => new Date(midnight.getTime() + days * 86_400_000).toISOString()
    expect((await loadLimit(alice, 'out', 'day'))?.comes_back).toEqual([
      { at: toDateAfter(1), amount: '5.00', movements: 1 },
    ])
    expect((await loadLimit(alice, 'out', '30_days'))?.comes_back).toEqual([
      { at: toDateAfter(27), amount: '20.00', movements: 1 },
      { at: toDateAfter(30), amount: '5.00', movements: 1 },
    ])
    expect((await loadLimit(alice, 'in', 'day'))?.comes_back).toEqual([
      { at: toDateAfter(1), amount: '100.00', movements: 1 },
    ])
    expect((await loadLimit(alice, 'out', 'payment'))?.comes_back).toEqual([])
  })

  test('are also stated in the user’s currency, approximately, at the day’s rate', async () => {
    const greta = await world.enroll('greta', 'Germany')
    const bruno = await enrollPerson('bruno')
    await world.fund(greta, 10_000)
    const { own_rate: rate } = await greta.call(userLimits, {})
    expect(rate).toMatchObject({ currency: 'EUR' })
    const { max, about } = (await loadLimit(greta, 'out', 'day')) ?? {}
    expect([max, about?.max]).toEqual(['15000.00', rate && convertDollars(rate, '15000.00')])
    expect(await setLimit(greta, 'out', 'day', '20.00')).toMatchObject({ own: [{ max: '20.00' }] })
    const body = { recipient_id: bruno.id, amount: '40.00', source_currency: 'EUR' } as const
    const refusedSend = await settleCall(greta.call(sendMoney, { body, idempotencyKey: randomUUID() }))
    const formattedWorth = rate && convertDollars(rate, '20.00')
    expect(refusedSend).toMatchObject({
      code: 'limit_exceeded',
      detail: `This would exceed your own daily limit of about €${formattedWorth} for outgoing money. About €${formattedWorth} is left today.`,
      limit: { max: '20.00', left: '20.00', about: { currency: 'EUR', max: formattedWorth, left: formattedWorth } },
    })
    // For users whose base currency is the dollar, amounts are exact.
    expect(await bruno.call(userLimits, {})).toMatchObject({ own_rate: null })
    expect((await loadLimit(bruno, 'out', 'day'))?.about).toBeNull()
  })

  test('a waiting limit is withdrawn by setting the current one', async () => {
    const alice = await enrollPerson()
    await setLimit(alice, 'out', 'day', '30.00')
    const requirement = readRequirement(await setLimit(alice, 'out', 'day', '60.00'))
    await confirm(world, alice, requirement)
    const earliestDate = new Date(world.app.product.now().getTime() + 24 * 3_600_000)
    const raisedLimit = await setLimit(alice, 'out', 'day', '60.00', requirement.id)
    expect(raisedLimit).toMatchObject({ own: [{ next: { max: '60.00' } }] })
    const { own } = raisedLimit as Awaited<ReturnType<typeof loadLimits>>
    expect(new Date(own[0]!.next!.at).getTime()).toBeGreaterThanOrEqual(earliestDate.getTime())
    expect(await setLimit(alice, 'out', 'day', '30.00')).toMatchObject({ own: [{ max: '30.00', next: null }] })
  })

  test('a lower limit holds at once; raising it needs a confirmation and a day', async () => {
    const [alice, bruno] = [await enrollPerson(), await enrollPerson('bruno')]
    await world.fund(alice, 10_000)
    expect(await setLimit(alice, 'out', 'day', '30.00')).toMatchObject({ own: [{ max: '30.00', next: null }] })
    expect(await send(alice, bruno, '20.00')).toMatchObject({ status: 'COMPLETED' })
    const refusedSend = await send(alice, bruno, '10.01')
    expect(refusedSend).toMatchObject({
      code: 'limit_exceeded',
      detail: 'This would exceed your own daily limit of $30.00 for outgoing money. $10.00 is left today.',
      errors: [{ field: 'amount' }],
      limit: { direction: 'out', method: null, period: 'day', own: true, max: '30.00', left: '10.00', asked: '10.01' },
    })
    const requirement = readRequirement(await setLimit(alice, 'out', 'day', '60.00'))
    expect(requirement).toMatchObject({ action: 'raise_limit', subject: { amount: '60.00 USD' } })
    expect(await setLimit(alice, 'out', 'day', null), 'none is more than any').toMatchObject({
      code: 'step_up_required',
    })
    await confirm(world, alice, requirement)
    const confirmation = requirement.id
    expect(await setLimit(alice, 'out', 'day', '61.00', confirmation)).toMatchObject({ code: 'step_up_required' })
    expect(await setLimit(alice, 'out', 'day', '60.00', confirmation)).toMatchObject({
      own: [{ max: '30.00', next: { max: '60.00' } }],
    })
    expect(await send(alice, bruno, '10.01')).toMatchObject({ code: 'limit_exceeded' })
    await advanceOneDay()
    expect(await loadLimit(alice, 'out', 'day', true)).toMatchObject({ max: '60.00', left: '60.00' })
    expect(await send(alice, bruno, '40.00')).toMatchObject({ status: 'COMPLETED' })
    expect(await setLimit(alice, 'out', 'day', '45.00'), 'less than what holds now').toMatchObject({
      own: [{ max: '45.00', next: null }],
    })
    expect(await setLimit(alice, 'out', 'day', '5.00'), 'what is lower needs nothing').toMatchObject({
      own: [{ max: '5.00' }],
    })
    expect(await send(alice, bruno, '1.00')).toMatchObject({ code: 'limit_exceeded' })
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

async function advanceOneDay(): Promise<void> {
  const { now, providers, exchange } = world.app.product
  const next = new Date(now().getTime() + 25 * 3_600_000)
  await providers.sandboxClock?.set(next)
  await exchange.refreshRates()
  await waitForRates(next)
  await waitForDayStart(now)
}

describe('usage', () => {
  const startPayment = (person: TestPerson, amount: number) =>
    settleCall(person.call(depositByCard, { body: { amount, currency: 'usd' }, idempotencyKey: randomUUID() }))
  const loadUsedAmount = async (person: TestPerson, direction: 'out' | 'in') =>
    (await loadLimit(person, direction, 'day'))?.used

  test('by a pull counts from its start, not after a failure, and again if its money comes late', async () => {
    const alice = await enrollPerson()
    await setLimit(alice, 'in', '30_days', '100.00')
    const payment = (await startPayment(alice, 6000)) as { payment_id: string }
    expect(await loadUsedAmount(alice, 'in')).toBe('60.00')
    expect(await startPayment(alice, 4001)).toMatchObject({
      code: 'limit_exceeded',
      detail: 'This would exceed your own 30-day limit of $100.00 for money from cards and banks. $40.00 is left.',
    })
    await alice.call(cancelPayment, { params: { id: payment.payment_id } })
    expect(await loadUsedAmount(alice, 'in')).toBe('0.00')
    expect(await loadFailedChecks(world)).toEqual([])
    const latePayment = (await startPayment(alice, 10_000)) as { payment_id: string }
    await steer(world, latePayment.payment_id, 'fail')
    await waitForPayment(alice, latePayment.payment_id, 'failed')
    expect(await loadUsedAmount(alice, 'in')).toBe('0.00')
    await steer(world, latePayment.payment_id, 'settle')
    await waitForPayment(alice, latePayment.payment_id, 'completed')
    expect(await loadUsedAmount(alice, 'in')).toBe('100.00')
    expect(await startPayment(alice, 100)).toMatchObject({ code: 'limit_exceeded' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('by a card-funded send counts as both when it begins, and not after a failure', async () => {
    const [alice, bruno] = [await enrollPerson(), await enrollPerson('bruno')]
    const pay = (amount: number) =>
      settleCall(
        alice.call(directPayment, {
          body: { amount, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' },
          idempotencyKey: randomUUID(),
        }),
      )
    await setLimit(alice, 'out', 'day', '50.00')
    const payment = (await pay(3000)) as { payment_id: string }
    expect([await loadUsedAmount(alice, 'out'), await loadUsedAmount(alice, 'in')]).toEqual(['30.00', '30.15'])
    expect(await pay(2001)).toMatchObject({ code: 'limit_exceeded', limit: { direction: 'out', left: '20.00' } })
    await steer(world, payment.payment_id, 'fail')
    await waitForPayment(alice, payment.payment_id, 'failed')
    expect([await loadUsedAmount(alice, 'out'), await loadUsedAmount(alice, 'in')]).toEqual(['0.00', '0.00'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('by a send undone a day later no longer counts on its day, unlike later sends', async () => {
    const [alice, bruno] = [await enrollPerson(), await enrollPerson('bruno')]
    const { pool } = world.database
    await world.fund(alice, 10_000)
    const body = { recipient_id: bruno.id, amount: '20.00', source_currency: 'USD', undo_seconds: 300 } as const
    const { transaction_id: id } = await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
    await ageSends(pool, { hours: 24, senderId: BigInt(alice.id) })
    await pool.query(`update transfer set created_at = created_at - interval '24 hours' where id = $1`, [id])
    expect(await send(alice, bruno, '30.00')).toMatchObject({ status: 'COMPLETED' })
    await alice.call(cancelTransfer, { params: { id } })
    expect(await loadUsedAmount(alice, 'out')).toBe('30.00')
    expect((await loadLimit(alice, 'out', '30_days'))?.used).toBe('30.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('counts for exchanges into cryptocurrency, and not back', async () => {
    const alice = await enrollPerson()
    await world.fund(alice, 10_000)
    await setLimit(alice, 'out', 'day', '50.00')
    const exchange = async (from: 'USD' | 'USDT', target: 'USD' | 'USDT', amount: string) => {
      const body = { source_currency: from, target_currency: target, amount, side: 'source' } as const
      const { quote_id } = await alice.call(createQuote, { body })
      return settleCall(alice.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() }))
    }
    expect(await exchange('USD', 'USDT', '40.00')).toHaveProperty('transaction_id')
    expect(await exchange('USD', 'USDT', '11.00')).toMatchObject({ code: 'limit_exceeded' })
    expect(await exchange('USDT', 'USD', '30.00')).toHaveProperty('transaction_id')
    expect(await loadUsedAmount(alice, 'out')).toBe('40.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

const readCode = (body: unknown) => String((body as { code?: string }).code)
const formatDollars = (minor: bigint) => toDecimal(money('USD', minor))

test('by 100 parallel movements over three processes never exceeds a limit by one minor unit', async () => {
  const [person, payee] = [await enrollPerson('person'), await enrollPerson('payee')]
  await world.fund(person, 30_000)
  await send(person, payee, '1.00')
  await ageSends(world.database.pool, { senderId: BigInt(person.id) })
  await setLimit(person, 'out', 'day', '40.00')
  // At least 40 cents, since sends below 34 cents are refused once the fee-free ones of the day are used up.
  const amountsCents = Array.from({ length: 100 }, (_, index) => 40n + BigInt((index * 37) % 89))
  const answers = await Promise.all(
    amountsCents.map((minor, index) =>
      callNode(urls[index % urls.length]!, person, {
        method: 'POST',
        path: '/payment/transfer',
        body: { recipient_id: payee.id, amount: formatDollars(minor), source_currency: 'USD' },
      }),
    ),
  )
  const codes = answers.map(({ status, body }) => (status < 300 ? 'passed' : readCode(body)))
  expect(new Set(codes), codes.join(' ')).toEqual(new Set(['passed', 'limit_exceeded']))
  const { limits } = await person.call(userLimits, {})
  const ownLimit = limits.find((limit) => limit.own && limit.direction === 'out')!
  const refusedCents = amountsCents.filter((_, index) => answers[index]!.status >= 300)
  const acceptedSum = amountsCents
    .filter((_, index) => answers[index]!.status < 300)
    .reduce((sum, minor) => sum + minor, 0n)
  expect(formatDollars(4000n - acceptedSum), 'what is left of forty dollars').toBe(ownLimit.left)
  expect(acceptedSum).toBeLessThanOrEqual(4000n)
  expect(
    refusedCents.filter((minor) => minor <= 4000n - acceptedSum),
    'refused though it fits',
  ).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('is limited over three processes, whichever way the money goes', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [person, payee] = [await enrollPerson('person'), await enrollPerson('payee')]
    await world.fund(person, 30_000)
    await send(person, payee, '1.00')
    await ageSends(world.database.pool, { senderId: BigInt(person.id) })
    const bankAccountId = await linkAccount(world, person)
    await setLimit(person, 'out', round === 1 ? '30_days' : 'day', '41.00')
    await setLimit(person, 'in', round === 1 ? 'day' : '30_days', '350.00')
    const post = (index: number, path: string, body: object) =>
      callNode(urls[index % urls.length]!, person, { method: 'POST', path, body })
    const sendBody = { recipient_id: payee.id, amount: '7.00', source_currency: 'USD' }
    const cardBody = { recipientId: String(payee.id), amount: 700, currency: 'usd', paymentSource: 'card' }
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, index) => [
        post(index, '/payment/transfer', sendBody),
        post(index + 1, '/payment/direct-payment', cardBody),
        ...(index < 3
          ? [post(index + 2, '/payment/withdraw', { amount: '7.00', currency: 'USD', bankAccountId })]
          : []),
        ...(index < 4 ? [post(index, '/payment/deposit/card', { amount: 1500, currency: 'usd' })] : []),
      ]).flat(),
    )
    const codes = answers.map(({ status, body }) => (status < 300 ? 'passed' : readCode(body)))
    expect(new Set(codes), `round ${round}`).toEqual(new Set(['passed', 'limit_exceeded']))
    const { limits } = await person.call(userLimits, {})
    for (const { left, own, direction } of limits) if (own) expect(Number(left), direction).toBeGreaterThanOrEqual(0) // not money: a comparison
    const ownLimit = limits.find((limit) => limit.own && limit.direction === 'out')!
    // Five payments of seven dollars fit; the earlier send of one dollar counts against the 30-day limit only.
    expect(ownLimit.left, `round ${round}`).toBe(round === 1 ? '5.00' : '6.00')
    expect(await loadFailedChecks(world)).toEqual([])
  }
})
