// Reserved prices under the liquidity limits, with several processes and connections.

import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney, type Quote } from '@tern/contract/exchange'
import { cancelPayment, directPayment } from '@tern/contract/payments'
import { cancelTransfer, sendMoney } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal } from '@tern/money/money'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { failedChecks, settleCall } from '@tern/testkit/banking'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { isWhole } from '@tern/testkit/length'
import { linkAccount, untilPayment } from '@tern/testkit/payments'
import { blockWriters } from '@tern/testkit/races'
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
afterEach(async () => expect(await failedChecks(world)).toEqual([]))

const hourMs = 3_600_000
const races = isWhole ? 200 : 50
const quoteRequest = (target: CurrencyCode, amount = '10.00') =>
  ({ source_currency: 'USD', target_currency: target, amount, side: 'source' }) as const
const quote = (target: CurrencyCode, person = alice, replaces?: string, amount?: string) =>
  settleCall(person.call(createQuote, { body: { ...quoteRequest(target, amount), replaces } }))
const accept = (quoteId: string, person = alice) =>
  settleCall(person.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() }))
const idOf = (quoted: object): string => (quoted as { quote_id: string }).quote_id
const codeOf = (answer: object): string => ('code' in answer ? String(answer.code) : 'done')
const exposure = async (currency: CurrencyCode): Promise<Exposure> =>
  (await world.app.product.exchange.exposures(world.database.pool)).find((one) => one.currency === currency)!

const secretOf = ({ secret, sandboxSecret }: TestApp) =>
  readConfig({ TERN_SECRET: secret, SANDBOX_SECRET: sandboxSecret }).secret

/** The product's exchange over its own pool and clock. */
function exchangeWith(pool: pg.Pool, later = 0) {
  const { exchange, wallets, undoWindows, now } = world.app.product
  const at = () => new Date(now().getTime() + later)
  return createExchange({ pool, rates: exchange.valuation, wallets, undoWindows, secret: secretOf(world), now: at })
}

/** Sets the limits so that this many promises for `10.00` dollars fit exactly. */
async function makeRoom(target: CurrencyCode, times: number, spare = -1n): Promise<bigint> {
  const each = parseDecimal(target, (await createExpiredQuote(target)).target_amount).minor
  const { position, outgoing } = await exposure(target)
  const minor = BigInt(times) * each + each + spare - position + outgoing
  await setLimit(world.database.pool, 'short', money(target, minor < 0n ? 0n : minor), by)
  return each
}
const by = { operator: 'tester', now: new Date() }

/** Creates a quote whose reservation has expired. */
async function createExpiredQuote(target: CurrencyCode) {
  const quoted = await alice.call(createQuote, { body: quoteRequest(target) })
  await world.database.pool.query('delete from liquidity_reservation where id = $1', [quoted.quote_id])
  return quoted
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
    const enrolling = Array.from({ length: 200 }).keys()
    const some = async () => {
      for (const index of enrolling) {
        // One address may sign up only a few users.
        if (index % 10 === 0) await world.database.pool.query('delete from rate_limit')
        people.push(await world.enroll(`crowd${index}`, 'United States'))
      }
    }
    await Promise.all([some(), some(), some(), some()])
    const fits = 61
    const each = await makeRoom('BTC', fits)
    const before = await exposure('BTC')
    const answers = await Promise.all(
      people.map(async (person, index) => {
        const call = { method: 'POST', path: '/quotes', body: quoteRequest('BTC') }
        return { person, answer: await callNode(urls[index % urls.length]!, person, call) }
      }),
    )
    const codes = answers.map(({ answer }) => (answer.status === 201 ? 'given' : answer.body.code))
    expect(codes.filter((code) => code === 'given')).toHaveLength(fits)
    expect(codes.filter((code) => code === 'liquidity_unavailable')).toHaveLength(people.length - fits)
    expect(await exposure('BTC')).toMatchObject({ position: before.position, outgoing: BigInt(fits) * each })

    const given = answers.filter(({ answer }) => answer.status === 201)
    const paying = given.values()
    const pay = async () => {
      for (const { person, answer } of paying) {
        await world.fund(person, 1010)
        expect(await accept(answer.body.quote_id, person)).toMatchObject({ transaction: { status: 'COMPLETED' } })
        const { position, outgoing, limits } = await exposure('BTC')
        expect(position - outgoing, 'posted and promised together').toBe(before.position - BigInt(fits) * each)
        expect(position - outgoing).toBeGreaterThanOrEqual(-limits!.short)
      }
    }
    await Promise.all([pay(), pay(), pay()])
    expect(await exposure('BTC')).toMatchObject({ position: before.position - BigInt(fits) * each, outgoing: 0n })
    expect(codeOf(await quote('BTC'))).toBe('liquidity_unavailable')
  }, 600_000)

  test('connections share the room exactly once, while promises are used', async () => {
    const pools = [1, 2, 3].map(() => connect(world.database.applicationUrl, 5))
    const fits = 20
    const each = await makeRoom('ETH', fits)
    const { position } = await exposure('ETH')
    await world.fund(alice, 30_000)
    const request = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'ETH',
    } as const
    const outcomes = await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const { quote: make } = exchangeWith(pools[index % 3]!)
        const wanted = { ...request, useStablecoin: true }
        const quoteRequest = { userId: BigInt(alice.id), request: wanted, recipientId: undefined }
        const made = await make(quoteRequest).catch((error: { code: string }) => error.code)
        return typeof made === 'string' ? made : codeOf(await accept(made.quote_id))
      }),
    )
    for (const pool of pools) await pool.end()
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(fits)
    expect(outcomes.filter((outcome) => outcome === 'liquidity_unavailable')).toHaveLength(90 - fits)
    expect(await exposure('ETH')).toMatchObject({ position: position - BigInt(fits) * each, outgoing: 0n })
  }, 600_000)
})

describe('the reservation of a quote', () => {
  test('ends with its validity, even without a sweep', async () => {
    await makeRoom('BTC', 1)
    await quote('BTC')
    expect(codeOf(await quote('BTC'))).toBe('liquidity_unavailable')
    const request = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'BTC',
    } as const
    const wanted = { ...request, useStablecoin: true }
    const at = async (later: number) =>
      exchangeWith(world.database.pool, later).quote({
        userId: BigInt(alice.id),
        request: wanted,
        recipientId: undefined,
      })
    await expect(at(5 * 60_000)).rejects.toMatchObject({ code: 'liquidity_unavailable' })
    expect(await at(6 * 60_000 + 1000)).toMatchObject({ source_amount: '10.00' })
    await exchangeWith(world.database.pool, 24 * hourMs).sweepReservations()
    expect((await exposure('BTC')).outgoing).toBe(0n)
  })

  test('ends when another quote replaces it, which alone can be accepted then', async () => {
    await makeRoom('BTC', 1)
    const first = idOf(await quote('BTC'))
    const second = idOf(await quote('BTC', alice, first))
    const refused = await accept(first)
    expect(refused).toMatchObject({ code: 'liquidity_unavailable' })
    await setLimit(world.database.pool, 'short', money('BTC', 10n ** 12n), by)
    expect(await accept(first)).toMatchObject({ code: 'quote_expired', quote: { source_amount: '10.00' } })
    expect(codeOf(await accept(second))).toBe('done')
    expect(codeOf(await quote('BTC', alice, second)), 'a used quote is replaced by nothing').toBe('done')
    const other = await world.enroll('other', 'United States')
    const hers = idOf(await quote('BTC'))
    await quote('BTC', other, hers)
    expect(codeOf(await accept(hers)), 'nobody replaces what another was promised').toBe('done')
  })

  test(`goes to either its acceptance or its replacement, ${races} times`, async () => {
    await world.fund(alice, 300_000)
    await makeRoom('ETH', 1000)
    const { position } = await exposure('ETH')
    const wins = { accepted: 0, replaced: 0 }
    let each = 0n
    for (let round = 0; round < races; round += 1) {
      // Directly from the exchange, since users may request only so many quotes per minute.
      const exchange = exchangeWith(world.database.pool)
      const wanted = {
        amount: money('USD', 1000n),
        side: 'source',
        sourceCurrency: 'USD',
        targetCurrency: 'ETH',
      } as const
      const request = { ...wanted, useStablecoin: true }
      const first = await exchange.quote({ userId: BigInt(alice.id), request, recipientId: undefined })
      each = parseDecimal('ETH', first.target_amount).minor
      const begin = [
        () => accept(first.quote_id),
        () => exchange.quote({ userId: BigInt(alice.id), request, recipientId: undefined, replaces: first.quote_id }),
      ] as const
      // Both have decided when they reach the token; each comes first every other time.
      const tokens = await blockWriters(world.database, 'ledger.token')
      const early = begin[round % 2 === 0 ? 0 : 1]()
      await tokens.untilWaiting(1)
      const late = begin[round % 2 === 0 ? 1 : 0]()
      await tokens.untilWaiting(2)
      await tokens.letGo()
      const answers = await Promise.all([early, late])
      const [accepted, fresh] = (round % 2 === 0 ? answers : answers.toReversed()) as [object, Quote]
      const { rows } = await world.database.pool.query<{ is_replaced: boolean }>(
        'select replaced_by is not null as is_replaced from quote where id = $1',
        [first.quote_id],
      )
      expect(codeOf(accepted) === 'done').toBe(rows[0]?.is_replaced === false)
      expect(['done', 'quote_expired', 'quote_used']).toContain(codeOf(accepted))
      wins[rows[0]?.is_replaced ? 'replaced' : 'accepted'] += 1
      await endReservation(world.database.pool, fresh.quote_id)
      if ('quote' in accepted) await endReservation(world.database.pool, idOf(accepted.quote as object))
    }
    expect(wins.accepted).toBeGreaterThan(0)
    expect(wins.replaced).toBeGreaterThan(0)
    expect(await exposure('ETH')).toMatchObject({ position: position - BigInt(wins.accepted) * each, outgoing: 0n })
  }, 600_000)

  test('stays while its transfer is held, and ends when that is released', async () => {
    const bruno = await world.enroll('bruno', 'Germany')
    const body = { ...quoteRequest('EUR'), recipient_id: bruno.id }
    const priced = await alice.call(createQuote, { body })
    const each = parseDecimal('EUR', priced.target_amount).minor
    const until = new Date(world.app.product.now().getTime() + 24 * hourMs)
    decision = { outcome: 'hold', reason: 'undo', until }
    const held = await alice.call(sendMoney, {
      body: {
        recipient_id: bruno.id,
        amount: '10.00',
        source_currency: 'USD',
        target_currency: 'EUR',
        quote_id: priced.quote_id,
      },
      idempotencyKey: randomUUID(),
    })
    const later = exchangeWith(world.database.pool, hourMs / 10)
    await later.sweepReservations()
    const outgoing = async () =>
      (await later.exposures(world.database.pool)).find(({ currency }) => currency === 'EUR')?.outgoing
    expect(await outgoing()).toBe(each)
    await alice.call(cancelTransfer, { params: { id: held.transaction_id } })
    expect(await outgoing()).toBe(0n)
  })

  test('stays while a payment begun at it is pending, and ends with it', async () => {
    const bruno = await world.enroll('bruno', 'Germany')
    const bankAccountId = await linkAccount(world, alice)
    const body = { ...quoteRequest('EUR'), recipient_id: bruno.id }
    const priced = await alice.call(createQuote, { body })
    const each = parseDecimal('EUR', priced.target_amount).minor
    const payment = await alice.call(directPayment, {
      body: {
        ...{ userId: alice.id, recipientId: String(bruno.id), amount: 1000, currency: 'usd', paymentSource: 'bank' },
        ...{ bankAccountId, quote_id: priced.quote_id },
      },
      idempotencyKey: randomUUID(),
    })
    const later = exchangeWith(world.database.pool, hourMs / 10)
    const outgoing = async () =>
      (await later.exposures(world.database.pool)).find(({ currency }) => currency === 'EUR')?.outgoing
    await later.sweepReservations()
    expect(await outgoing()).toBe(each)
    await alice.call(cancelPayment, { params: { id: payment.payment_id } })
    await untilPayment(alice, payment.payment_id, 'failed')
    expect(await outgoing()).toBe(0n)
  })
})

describe('a stalled process or transaction', () => {
  test('a process frozen while promising a price does not block other processes', async () => {
    const [frozen, other] = await Promise.all([startNode(world), startNode(world)])
    onTestFinished(async () => {
      frozen.child.kill('SIGCONT')
      await Promise.all([frozen.close(), other.close()])
    })
    const call = { method: 'POST', path: '/quotes', body: quoteRequest('BTC') }
    const before = (await exposure('BTC')).outgoing
    const writers = await blockWriters(world.database, 'quote')
    const late = callNode(frozen.url, alice, call)
    await writers.untilWaiting(1)
    frozen.child.kill('SIGSTOP')
    await writers.letGo()
    expect((await callNode(other.url, alice, call)).status).toBe(201)
    const each = parseDecimal('BTC', (await createExpiredQuote('BTC')).target_amount).minor
    expect((await exposure('BTC')).outgoing, 'what the frozen one promised counts').toBe(before + 2n * each)
    frozen.child.kill('SIGCONT')
    expect((await late).status).toBe(201)
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
      expect(codeOf(await quote('BTC'))).toBe('done')
    })
    const each = parseDecimal('BTC', (await createExpiredQuote('BTC')).target_amount).minor
    expect((await exposure('BTC')).outgoing).toBe(3n * each)
  })

  test('a quote that waits behind another one is refused at the deadline of its request', async () => {
    const exchange = exchangeWith(world.app.product.pool)
    const wanted = {
      amount: money('USD', 1000n),
      side: 'source',
      sourceCurrency: 'USD',
      targetCurrency: 'BTC',
      useStablecoin: true,
    } as const
    const ask = () => exchange.quote({ userId: BigInt(alice.id), request: wanted, recipientId: undefined })
    const writers = await blockWriters(world.database, 'quote')
    const first = ask()
    await writers.untilWaiting(1)
    await expect(withDeadline(20, ask)).rejects.toMatchObject({ problem: 'unavailable' })
    await writers.letGo()
    expect(await first).toMatchObject({ source_amount: '10.00' })
    expect((await world.database.pool.query('select from liquidity_reservation')).rowCount).toBe(2)
  })
})

describe('liquidity limits', () => {
  test('never stop movements that reduce a position', async () => {
    await createExpiredQuote('BTC')
    expect(codeOf(await accept(idOf(await quote('BTC'))))).toBe('done')
    await setLimit(world.database.pool, 'short', money('BTC', 0n), by)
    expect(codeOf(await quote('BTC'))).toBe('liquidity_unavailable')
    const back = { source_currency: 'BTC', target_currency: 'USD', amount: '0.0001', side: 'source' } as const
    expect(codeOf(await settleCall(alice.call(createQuote, { body: back })))).toBe('done')
  })

  test('count open promises in full: a promise in the other direction makes no room', async () => {
    const each = await makeRoom('BTC', 1)
    const back = { source_currency: 'BTC', target_currency: 'USD', side: 'source' } as const
    const amount = `0.${String(each).padStart(8, '0')}`
    expect(codeOf(await settleCall(alice.call(createQuote, { body: { ...back, amount } })))).toBe('done')
    expect(codeOf(await quote('BTC'))).toBe('done')
    expect(codeOf(await quote('BTC'))).toBe('liquidity_unavailable')
  })

  test('for a user end at their locked value, those for all at the total', async () => {
    await quote('BTC', alice, undefined, '30000.00')
    expect(await quote('BTC', alice, undefined, '30000.00')).toMatchObject({
      code: 'rate_limited',
      reason: 'too_much_locked',
    })
    const other = await world.enroll('other', 'United States')
    expect(codeOf(await quote('BTC', other, undefined, '30000.00'))).toBe('done')
    await world.database.pool.query(`update liquidity_default set usd_minor = 6500000 where name = 'locked_in_all'`)
    try {
      expect(codeOf(await quote('BTC', other, undefined, '10000.00'))).toBe('liquidity_unavailable')
      expect(codeOf(await quote('BTC', other, undefined, '5000.00'))).toBe('done')
    } finally {
      await world.database.pool.query(`update liquidity_default set usd_minor = 500000000 where name = 'locked_in_all'`)
    }
  })

  test.each(['50001.00', '999999999999.00'])(
    'of one price refuse %s for its size, which waiting does not change',
    async (amount) => {
      const refused = {
        code: 'limit_exceeded',
        status: 422,
        reason: 'limit_of_one_price',
        detail: 'We can hold a price for payments of up to $50,000.00.',
        errors: [{ field: 'amount' }],
      }
      expect(await quote('BTC', alice, undefined, amount)).toMatchObject(refused)
      const bruno = await world.enroll('bruno', 'Germany')
      const body = { recipient_id: bruno.id, amount, source_currency: 'USD' } as const
      const sent = await settleCall(alice.call(sendMoney, { body, idempotencyKey: randomUUID() }))
      expect(sent).toMatchObject({ status: 422 })
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
    const before = await exposure('EUR')
    expect(codeOf(await send('100.00'))).toBe('insufficient_funds')
    expect(codeOf(await send('5000.00'))).toBe('step_up_required')
    expect(await exposure('EUR')).toMatchObject({ outgoing: 0n, position: before.position })
    const key = randomUUID()
    const sent = await send('10.00', key)
    expect(codeOf(sent)).toBe('done')
    expect(await send('10.00', key)).toEqual(sent)
    const after = await exposure('EUR')
    expect(after.outgoing).toBe(0n)
    await setLimit(world.database.pool, 'short', money('EUR', -after.position), by)
    expect(await send('10.00')).toMatchObject({ code: 'liquidity_unavailable', status: 503 })
    expect(await send('10.00', key), 'what is done stays done').toEqual(sent)
    expect((await alice.wallet()).fiat_balance).toBe('89.90')
  })
})
