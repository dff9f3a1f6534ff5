// Reservation of quoted prices under the liquidity limits, by several processes and connections.

import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney, type Quote } from '@tern/contract/exchange'
import { cancelPayment, directPayment } from '@tern/contract/payments'
import { cancelTransfer, sendMoney } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal } from '@tern/money/money'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { isFullRun } from '@tern/testkit/length'
import { linkAccount, waitForPayment } from '@tern/testkit/payments'
import { blockWriters } from '@tern/testkit/block-writers'
import { connect, transact } from '../../../platform/database/db.ts'
import { withDeadline } from '../../../platform/http/deadline.ts'
import { readConfig } from '../../../platform/runtime/config.ts'
import { createExchange, endReservation, setLimit, type Exposure } from '../exchange.ts'

let world: TestApp
let alice: TestPerson
let decision: ReturnType<NonNullable<NonNullable<Parameters<typeof startTestApp>[0]>['transferRules']>[number]>

beforeAll(async () => {
  world = await startTestApp({ transferRules: [() => decision] })
})
afterAll(() => world.close())
beforeEach(async () => {
  decision = undefined
  await world.database.pool.query('delete from liquidity_reservation')
  await world.database.pool.query('delete from liquidity_limit')
  await world.database.pool.query('delete from rate_limit')
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 10_000)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const hourMs = 3_600_000
const races = isFullRun ? 200 : 50
const quoteRequest = (target: CurrencyCode, amount = '10.00') =>
  ({ source_currency: 'USD', target_currency: target, amount, side: 'source' }) as const
const quote = (target: CurrencyCode, person = alice, replaces?: string, amount?: string) =>
  settleCall(person.call(createQuote, { body: { ...quoteRequest(target, amount), replaces } }))
const exchangeQuote = (quoteId: string, person = alice) =>
  settleCall(person.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() }))
const readQuoteId = (quoteAnswer: object): string => (quoteAnswer as { quote_id: string }).quote_id
const readCode = (answer: object): string => ('code' in answer ? String(answer.code) : 'done')
const loadExposure = async (currency: CurrencyCode): Promise<Exposure> =>
  (await world.app.product.exchange.exposures(world.database.pool)).find((position) => position.currency === currency)!

const readSecret = ({ secret, sandboxSecret }: TestApp) =>
  readConfig({ TERN_SECRET: secret, SANDBOX_SECRET: sandboxSecret }).secret

/** Creates the product's exchange on another pool, with a clock that is `offsetMs` ahead. */
function createExchangeWith(pool: pg.Pool, offsetMs = 0) {
  const { exchange, wallets, undoWindows, now } = world.app.product
  const at = () => new Date(now().getTime() + offsetMs)
  return createExchange({ pool, rates: exchange.valuation, wallets, undoWindows, secret: readSecret(world), now: at })
}

/**
 * Sets the `short` limit of a currency so that exactly `quoteCount` quotes of 10.00 US dollars fit. Returns the target
 * amount of one quote in minor units.
 */
async function setQuoteCapacity(target: CurrencyCode, quoteCount: number, spareMinor = -1n): Promise<bigint> {
  const quoteMinor = parseDecimal(target, (await createExpiredQuote(target)).target_amount).minor
  const { position, outgoing } = await loadExposure(target)
  const minor = BigInt(quoteCount) * quoteMinor + quoteMinor + spareMinor - position + outgoing
  await setLimit(world.database.pool, 'short', money(target, minor < 0n ? 0n : minor), actor)
  return quoteMinor
}
const actor = { operator: 'tester', now: new Date() }

/** Creates a quote whose reservation is deleted, as after its expiry. */
async function createExpiredQuote(target: CurrencyCode) {
  const quoteAnswer = await alice.call(createQuote, { body: quoteRequest(target) })
  await world.database.pool.query('delete from liquidity_reservation where id = $1', [quoteAnswer.quote_id])
  return quoteAnswer
}

describe('many at once', () => {
  let nodes: readonly TestNode[]
  let urls: readonly string[]
  beforeAll(async () => {
    nodes = await Promise.all([startNode(world), startNode(world)])
    urls = [world.url, ...nodes.map(({ url }) => url)]
  })
  afterAll(() => Promise.all(nodes.map((node) => node.close())))

  test('200 users in three processes get exactly the available liquidity, and each promised price is honoured', async () => {
    const people: TestPerson[] = []
    const newcomerIndexes = Array.from({ length: 200 }).keys()
    const enrollSome = async () => {
      for (const index of newcomerIndexes) {
        // Resets the limit on sign-ups from one address.
        if (index % 10 === 0) await world.database.pool.query('delete from rate_limit')
        people.push(await world.enroll(`crowd${index}`, 'United States'))
      }
    }
    await Promise.all([enrollSome(), enrollSome(), enrollSome(), enrollSome()])
    const quoteCapacity = 61
    const quoteMinor = await setQuoteCapacity('BTC', quoteCapacity)
    const exposureBefore = await loadExposure('BTC')
    const answers = await Promise.all(
      people.map(async (person, index) => {
        const call = { method: 'POST', path: '/quotes', body: quoteRequest('BTC') }
        return { person, answer: await callNode(urls[index % urls.length]!, person, call) }
      }),
    )
    const codes = answers.map(({ answer }) => (answer.status === 201 ? 'given' : answer.body.code))
    expect(codes.filter((code) => code === 'given')).toHaveLength(quoteCapacity)
    expect(codes.filter((code) => code === 'liquidity_unavailable')).toHaveLength(people.length - quoteCapacity)
    expect(await loadExposure('BTC')).toMatchObject({
      position: exposureBefore.position,
      outgoing: BigInt(quoteCapacity) * quoteMinor,
    })

    const givenQuotes = answers.filter(({ answer }) => answer.status === 201)
    const quotesToPay = givenQuotes.values()
    const pay = async () => {
      for (const { person, answer } of quotesToPay) {
        await world.fund(person, 1010)
        expect(await exchangeQuote(answer.body.quote_id, person)).toMatchObject({
          transaction: { status: 'COMPLETED' },
        })
        const { position, outgoing, limits } = await loadExposure('BTC')
        expect(position - outgoing, 'posted and promised together').toBe(
          exposureBefore.position - BigInt(quoteCapacity) * quoteMinor,
        )
        expect(position - outgoing).toBeGreaterThanOrEqual(-limits!.short)
      }
    }
    await Promise.all([pay(), pay(), pay()])
    expect(await loadExposure('BTC')).toMatchObject({
      position: exposureBefore.position - BigInt(quoteCapacity) * quoteMinor,
      outgoing: 0n,
    })
    expect(readCode(await quote('BTC'))).toBe('liquidity_unavailable')
  }, 600_000)

  test('connections share the room exactly once, while promises are used', async () => {
    const pools = [1, 2, 3].map(() => connect(world.database.applicationUrl, 5))
    const quoteCapacity = 20
    const quoteMinor = await setQuoteCapacity('ETH', quoteCapacity)
    const { position } = await loadExposure('ETH')
    await world.fund(alice, 30_000)
    const request = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'ETH',
    } as const
    const outcomes = await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const { quote: createQuoteDirectly } = createExchangeWith(pools[index % 3]!)
        const quoteInput = { ...request, useStablecoin: true }
        const quoteRequest = { userId: BigInt(alice.id), request: quoteInput, recipientId: undefined }
        const quoteOrCode = await createQuoteDirectly(quoteRequest).catch((error: { code: string }) => error.code)
        return typeof quoteOrCode === 'string' ? quoteOrCode : readCode(await exchangeQuote(quoteOrCode.quote_id))
      }),
    )
    for (const pool of pools) await pool.end()
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(quoteCapacity)
    expect(outcomes.filter((outcome) => outcome === 'liquidity_unavailable')).toHaveLength(90 - quoteCapacity)
    expect(await loadExposure('ETH')).toMatchObject({
      position: position - BigInt(quoteCapacity) * quoteMinor,
      outgoing: 0n,
    })
  }, 600_000)
})

describe('the reservation of a quote', () => {
  test('ends with its validity, even without a sweep', async () => {
    await setQuoteCapacity('BTC', 1)
    await quote('BTC')
    expect(readCode(await quote('BTC'))).toBe('liquidity_unavailable')
    const request = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'BTC',
    } as const
    const quoteInput = { ...request, useStablecoin: true }
    const quoteAt = async (offsetMs: number) =>
      createExchangeWith(world.database.pool, offsetMs).quote({
        userId: BigInt(alice.id),
        request: quoteInput,
        recipientId: undefined,
      })
    await expect(quoteAt(5 * 60_000)).rejects.toMatchObject({ code: 'liquidity_unavailable' })
    expect(await quoteAt(6 * 60_000 + 1000)).toMatchObject({ source_amount: '10.00' })
    await createExchangeWith(world.database.pool, 24 * hourMs).sweepReservations()
    expect((await loadExposure('BTC')).outgoing).toBe(0n)
  })

  test('ends when another quote replaces it, which alone can be accepted then', async () => {
    await setQuoteCapacity('BTC', 1)
    const first = readQuoteId(await quote('BTC'))
    const second = readQuoteId(await quote('BTC', alice, first))
    const refusedExchange = await exchangeQuote(first)
    expect(refusedExchange).toMatchObject({ code: 'liquidity_unavailable' })
    await setLimit(world.database.pool, 'short', money('BTC', 10n ** 12n), actor)
    expect(await exchangeQuote(first)).toMatchObject({ code: 'quote_expired', quote: { source_amount: '10.00' } })
    expect(readCode(await exchangeQuote(second))).toBe('done')
    expect(readCode(await quote('BTC', alice, second)), 'a used quote is replaced by nothing').toBe('done')
    const otherPerson = await world.enroll('other', 'United States')
    const otherQuoteId = readQuoteId(await quote('BTC'))
    await quote('BTC', otherPerson, otherQuoteId)
    expect(readCode(await exchangeQuote(otherQuoteId)), 'nobody replaces what another was promised').toBe('done')
  })

  test(`goes to either its acceptance or its replacement, ${races} times`, async () => {
    await world.fund(alice, 300_000)
    await setQuoteCapacity('ETH', 1000)
    const { position } = await loadExposure('ETH')
    const outcomeCounts = { accepted: 0, replaced: 0 }
    let quoteMinor = 0n
    for (let round = 0; round < races; round += 1) {
      // Not through the API, which limits quotes per user and minute.
      const exchange = createExchangeWith(world.database.pool)
      const quoteInput = {
        amount: money('USD', 1000n),
        side: 'source',
        sourceCurrency: 'USD',
        targetCurrency: 'ETH',
      } as const
      const request = { ...quoteInput, useStablecoin: true }
      const first = await exchange.quote({ userId: BigInt(alice.id), request, recipientId: undefined })
      quoteMinor = parseDecimal('ETH', first.target_amount).minor
      const actions = [
        () => exchangeQuote(first.quote_id),
        () => exchange.quote({ userId: BigInt(alice.id), request, recipientId: undefined, replaces: first.quote_id }),
      ] as const
      // Both are blocked at the token, after their checks; the order alternates.
      const tokens = await blockWriters(world.database, 'ledger.token')
      const firstAction = actions[round % 2 === 0 ? 0 : 1]()
      await tokens.waitForWaiters(1)
      const secondAction = actions[round % 2 === 0 ? 1 : 0]()
      await tokens.waitForWaiters(2)
      await tokens.release()
      const answers = await Promise.all([firstAction, secondAction])
      const [acceptance, newQuote] = (round % 2 === 0 ? answers : answers.toReversed()) as [object, Quote]
      const { rows } = await world.database.pool.query<{ is_replaced: boolean }>(
        'select replaced_by is not null as is_replaced from quote where id = $1',
        [first.quote_id],
      )
      expect(readCode(acceptance) === 'done').toBe(rows[0]?.is_replaced === false)
      expect(['done', 'quote_expired', 'quote_used']).toContain(readCode(acceptance))
      outcomeCounts[rows[0]?.is_replaced ? 'replaced' : 'accepted'] += 1
      await endReservation(world.database.pool, newQuote.quote_id)
      if ('quote' in acceptance) await endReservation(world.database.pool, readQuoteId(acceptance.quote as object))
    }
    expect(outcomeCounts.accepted).toBeGreaterThan(0)
    expect(outcomeCounts.replaced).toBeGreaterThan(0)
    expect(await loadExposure('ETH')).toMatchObject({
      position: position - BigInt(outcomeCounts.accepted) * quoteMinor,
      outgoing: 0n,
    })
  }, 600_000)

  test('stays while its transfer is held, and ends when that is released', async () => {
    const bruno = await world.enroll('bruno', 'Germany')
    const body = { ...quoteRequest('EUR'), recipient_id: bruno.id }
    const quote = await alice.call(createQuote, { body })
    const quoteMinor = parseDecimal('EUR', quote.target_amount).minor
    const until = new Date(world.app.product.now().getTime() + 24 * hourMs)
    decision = { outcome: 'hold', reason: 'undo', until }
    const undoableSend = await alice.call(sendMoney, {
      body: {
        recipient_id: bruno.id,
        amount: '10.00',
        source_currency: 'USD',
        target_currency: 'EUR',
        quote_id: quote.quote_id,
      },
      idempotencyKey: randomUUID(),
    })
    const laterExchange = createExchangeWith(world.database.pool, hourMs / 10)
    await laterExchange.sweepReservations()
    const loadOutgoing = async () =>
      (await laterExchange.exposures(world.database.pool)).find(({ currency }) => currency === 'EUR')?.outgoing
    expect(await loadOutgoing()).toBe(quoteMinor)
    await alice.call(cancelTransfer, { params: { id: undoableSend.transaction_id } })
    expect(await loadOutgoing()).toBe(0n)
  })

  test('stays while a payment begun at it is pending, and ends with it', async () => {
    const bruno = await world.enroll('bruno', 'Germany')
    const bankAccountId = await linkAccount(world, alice)
    const body = { ...quoteRequest('EUR'), recipient_id: bruno.id }
    const quote = await alice.call(createQuote, { body })
    const quoteMinor = parseDecimal('EUR', quote.target_amount).minor
    const payment = await alice.call(directPayment, {
      body: {
        ...{ userId: alice.id, recipientId: String(bruno.id), amount: 1000, currency: 'usd', paymentSource: 'bank' },
        ...{ bankAccountId, quote_id: quote.quote_id },
      },
      idempotencyKey: randomUUID(),
    })
    const laterExchange = createExchangeWith(world.database.pool, hourMs / 10)
    const loadOutgoing = async () =>
      (await laterExchange.exposures(world.database.pool)).find(({ currency }) => currency === 'EUR')?.outgoing
    await laterExchange.sweepReservations()
    expect(await loadOutgoing()).toBe(quoteMinor)
    await alice.call(cancelPayment, { params: { id: payment.payment_id } })
    await waitForPayment(alice, payment.payment_id, 'failed')
    expect(await loadOutgoing()).toBe(0n)
  })
})

describe('a stalled process or transaction', () => {
  test('a process frozen while promising a price does not block other processes', async () => {
    const [suspendedNode, otherNode] = await Promise.all([startNode(world), startNode(world)])
    onTestFinished(async () => {
      suspendedNode.child.kill('SIGCONT')
      await Promise.all([suspendedNode.close(), otherNode.close()])
    })
    const call = { method: 'POST', path: '/quotes', body: quoteRequest('BTC') }
    const exposureBefore = (await loadExposure('BTC')).outgoing
    const writers = await blockWriters(world.database, 'quote')
    const delayedCall = callNode(suspendedNode.url, alice, call)
    await writers.waitForWaiters(1)
    suspendedNode.child.kill('SIGSTOP')
    await writers.release()
    expect((await callNode(otherNode.url, alice, call)).status).toBe(201)
    const quoteMinor = parseDecimal('BTC', (await createExpiredQuote('BTC')).target_amount).minor
    expect((await loadExposure('BTC')).outgoing, 'what the frozen one promised counts').toBe(
      exposureBefore + 2n * quoteMinor,
    )
    suspendedNode.child.kill('SIGCONT')
    expect((await delayedCall).status).toBe(201)
  })

  test('a transaction that prices an arrival or fills an order does not block promises', async () => {
    const request = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'BTC',
      useStablecoin: true,
    } as const
    const { exchange, pool } = world.app.product
    const price = { userId: BigInt(alice.id), recipientId: undefined, request }
    await transact(pool, async (tx) => {
      await exchange.storeArrival(tx, { quoted: exchange.pricedFor(price), replaces: undefined })
      await exchange.promise(exchange.pricedFor(price))
      expect(readCode(await quote('BTC'))).toBe('done')
    })
    const quoteMinor = parseDecimal('BTC', (await createExpiredQuote('BTC')).target_amount).minor
    expect((await loadExposure('BTC')).outgoing).toBe(3n * quoteMinor)
  })

  test('a quote that waits behind another one is refused at the deadline of its request', async () => {
    const exchange = createExchangeWith(world.app.product.pool)
    const quoteInput = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'BTC',
      useStablecoin: true,
    } as const
    const requestQuote = () => exchange.quote({ userId: BigInt(alice.id), request: quoteInput, recipientId: undefined })
    const writers = await blockWriters(world.database, 'quote')
    const first = requestQuote()
    await writers.waitForWaiters(1)
    await expect(withDeadline(20, requestQuote)).rejects.toMatchObject({ problem: 'unavailable' })
    await writers.release()
    expect(await first).toMatchObject({ source_amount: '10.00' })
    expect((await world.database.pool.query('select from liquidity_reservation')).rowCount).toBe(2)
  })
})

describe('liquidity limits', () => {
  test('never stop movements that reduce a position', async () => {
    await createExpiredQuote('BTC')
    expect(readCode(await exchangeQuote(readQuoteId(await quote('BTC'))))).toBe('done')
    await setLimit(world.database.pool, 'short', money('BTC', 0n), actor)
    expect(readCode(await quote('BTC'))).toBe('liquidity_unavailable')
    const returnRequest = { source_currency: 'BTC', target_currency: 'USD', amount: '0.0001', side: 'source' } as const
    expect(readCode(await settleCall(alice.call(createQuote, { body: returnRequest })))).toBe('done')
  })

  test('count open promises in full: a promise in the other direction makes no room', async () => {
    const quoteMinor = await setQuoteCapacity('BTC', 1)
    const returnRequest = { source_currency: 'BTC', target_currency: 'USD', side: 'source' } as const
    const amount = `0.${String(quoteMinor).padStart(8, '0')}`
    expect(readCode(await settleCall(alice.call(createQuote, { body: { ...returnRequest, amount } })))).toBe('done')
    expect(readCode(await quote('BTC'))).toBe('done')
    expect(readCode(await quote('BTC'))).toBe('liquidity_unavailable')
  })

  test('for a user end at their locked value, those for all at the total', async () => {
    await quote('BTC', alice, undefined, '30000.00')
    expect(await quote('BTC', alice, undefined, '30000.00')).toMatchObject({
      code: 'rate_limited',
      reason: 'too_much_locked',
    })
    const otherPerson = await world.enroll('other', 'United States')
    expect(readCode(await quote('BTC', otherPerson, undefined, '30000.00'))).toBe('done')
    await world.database.pool.query(`update liquidity_default set usd_minor = 6500000 where name = 'locked_in_all'`)
    try {
      expect(readCode(await quote('BTC', otherPerson, undefined, '10000.00'))).toBe('liquidity_unavailable')
      expect(readCode(await quote('BTC', otherPerson, undefined, '5000.00'))).toBe('done')
    } finally {
      await world.database.pool.query(`update liquidity_default set usd_minor = 500000000 where name = 'locked_in_all'`)
    }
  })

  test.each(['50001.00', '999999999999.00'])(
    'of one price refuse %s for its size, which waiting does not change',
    async (amount) => {
      const limitError = {
        code: 'limit_exceeded',
        status: 422,
        reason: 'limit_of_one_price',
        detail: 'We can hold a price for payments of up to $50,000.00.',
        errors: [{ field: 'amount' }],
      }
      expect(await quote('BTC', alice, undefined, amount)).toMatchObject(limitError)
      const bruno = await world.enroll('bruno', 'Germany')
      const body = { recipient_id: bruno.id, amount, source_currency: 'USD' } as const
      const sendOutcome = await settleCall(alice.call(sendMoney, { body, idempotencyKey: randomUUID() }))
      expect(sendOutcome).toMatchObject({ status: 422 })
    },
  )

  test('do not apply to an amount too large to count, which is refused separately', async () => {
    const amount = '99999999999999999999999999.00'
    expect(await quote('BTC', alice, undefined, amount)).toMatchObject({ status: 422, reason: 'amount_too_large' })
  })

  test('apply to transfers without a quote, which reserve nothing when refused', async () => {
    const bruno = await world.enroll('bruno', 'Germany')
    const send = (amount: string, key: string = randomUUID()) =>
      settleCall(
        alice.call(sendMoney, {
          body: { recipient_id: bruno.id, amount, source_currency: 'USD' },
          idempotencyKey: key,
        }),
      )
    const exposureBefore = await loadExposure('EUR')
    expect(readCode(await send('100.00'))).toBe('insufficient_funds')
    expect(readCode(await send('5000.00'))).toBe('step_up_required')
    expect(await loadExposure('EUR')).toMatchObject({ outgoing: 0n, position: exposureBefore.position })
    const key = randomUUID()
    const sendOutcome = await send('10.00', key)
    expect(readCode(sendOutcome)).toBe('done')
    expect(await send('10.00', key)).toEqual(sendOutcome)
    const exposureAfter = await loadExposure('EUR')
    expect(exposureAfter.outgoing).toBe(0n)
    await setLimit(world.database.pool, 'short', money('EUR', -exposureAfter.position), actor)
    expect(await send('10.00')).toMatchObject({ code: 'liquidity_unavailable', status: 503 })
    expect(await send('10.00', key), 'what is done stays done').toEqual(sendOutcome)
    expect((await alice.wallet()).fiat_balance).toBe('89.90')
  })
})
