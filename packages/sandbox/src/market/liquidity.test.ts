import { describe, expect, test } from 'vitest'
import { buildForm } from '../cards/test-payments.ts'
import type { Rate } from '../server/currency.ts'
import { type Answer, startTestSandbox, type TestSandbox, listInvalidFields } from '../test-sandbox.ts'

const minuteMs = 60_000
const start = Date.parse('2026-03-02T09:00:05.000Z')
const buildId = (number: number): string => `019aa3c2-7b1e-7c44-9d0e-${String(number).padStart(12, '0')}`

const validOrder = { id: buildId(1), sell: { currency: 'EUR', amount_minor: '10000' }, buy: 'USD' }
const setClock = (sandbox: TestSandbox, atMs: number) =>
  sandbox.call('PUT', '/api/clock', { body: { now: new Date(atMs).toISOString() } })
const place = (sandbox: TestSandbox, changes: object = {}) =>
  sandbox.call('POST', '/api/liquidity/orders', { body: { ...validOrder, ...changes } })
const find = (sandbox: TestSandbox, id = validOrder.id): Promise<Answer> =>
  sandbox.call('GET', `/api/liquidity/orders/${id}`)
const changeLiquidity = (sandbox: TestSandbox, body: object) => sandbox.call('PUT', '/api/control/liquidity', { body })
const setEuro = (sandbox: TestSandbox, numerator: string) =>
  sandbox.call('PUT', '/api/rates', { body: { usd_per_unit: { EUR: { numerator, denominator: '100' } } } })

describe('a liquidity order', () => {
  test('works for two seconds of the sandbox, and is filled at the rate less the slippage', async () => {
    const sandbox = await startTestSandbox()
    await setClock(sandbox, start)
    const placedOrder = await place(sandbox)
    expect(placedOrder.status).toBe(201)
    const order = {
      id: validOrder.id,
      order_id: expect.stringMatching(/^lq_/) as string,
      sell: validOrder.sell,
      buy: 'USD',
    }
    expect(placedOrder.json).toEqual({ ...order, status: 'working', created_at: placedOrder.json['created_at'] })
    expect((await find(sandbox)).json).toEqual(placedOrder.json)
    await setClock(sandbox, start + minuteMs)
    expect((await find(sandbox)).json).toEqual({
      ...placedOrder.json,
      status: 'filled',
      sold_minor: '10000',
      // 100.00 × 100/93 = 107.526…, minus 0.02 %: 107.505…
      bought_minor: '10750',
      filled_at: new Date(Date.parse(String(placedOrder.json['created_at'])) + 2000).toISOString(),
    })
  })

  test('is filled at the price of its own moment, however late it is read', async () => {
    const sandbox = await startTestSandbox()
    await setClock(sandbox, start)
    await changeLiquidity(sandbox, { delay_ms: 10 * minuteMs, slippage_parts_per_million: 0 })
    await place(sandbox)
    await setClock(sandbox, start + 5 * minuteMs)
    await setEuro(sandbox, '120')
    await setClock(sandbox, start + 20 * minuteMs)
    await setEuro(sandbox, '150')
    expect((await find(sandbox)).json).toMatchObject({ status: 'filled', bought_minor: '12000' })
  })

  test('is filled at the rate of that moment, as its history shows', async () => {
    const sandbox = await startTestSandbox({ market: 'walk' })
    await setClock(sandbox, start)
    await changeLiquidity(sandbox, { delay_ms: 15 * minuteMs, slippage_parts_per_million: 0 })
    await place(sandbox, { sell: { currency: 'BTC', amount_minor: '100000000' } })
    await setClock(sandbox, start + 300 * minuteMs)
    const { json } = await sandbox.call('GET', '/api/rates/history?from=2026-03-02T09:15:00Z')
    const [point] = json['points'] as { as_of: string; usd_per_unit: Record<string, Rate> }[]
    expect(point?.as_of).toBe('2026-03-02T09:15:00.000Z')
    const { numerator, denominator } = point!.usd_per_unit['BTC']!
    const boughtAmount = (100n * BigInt(numerator)) / BigInt(denominator)
    expect((await find(sandbox)).json).toMatchObject({ status: 'filled', bought_minor: boughtAmount.toString() })
  })

  test('is filled at the market, not at what a silent feed repeats', async () => {
    const sandbox = await startTestSandbox({ market: 'walk' })
    await setClock(sandbox, start)
    await sandbox.call('PUT', '/api/control/market', { body: { silent: true, jump: { EUR: 50 } } })
    await changeLiquidity(sandbox, { delay_ms: 0 })
    const { json } = await place(sandbox)
    expect(Number(json['bought_minor'])).toBeGreaterThan(14_000)
  })

  test.each([
    // At the initial levels without slippage, rounded down.
    ['JPY', '1000', 'USD', '670'],
    ['USD', '100', 'JPY', '149'],
    ['USDC', '1234567', 'USDT', '1234567'],
    ['USDT', '1', 'ETH', '312500000'],
    ['BTC', '1', 'USD', '0'],
    ['BTC', '100000000', 'BRL', '34775000'],
    ['ETH', '1000000000000000000', 'BTC', '4923076'],
    ['ETH', '1000000000000000001', 'USDC', '3200000000'],
    ['INR', '834500', 'GBP', '7900'],
    ['GBP', '100', 'CAD', '173'],
    ['AUD', '152', 'SGD', '134'],
    ['SGD', '999999999999999999999999999999', 'EUR', '694029850746268656716417910447'],
  ])('sells %s %s for %s %s', async (currency, amount_minor, buy, boughtAmount) => {
    const sandbox = await startTestSandbox()
    await changeLiquidity(sandbox, { delay_ms: 0, slippage_parts_per_million: 0 })
    const { json } = await place(sandbox, { sell: { currency, amount_minor }, buy })
    if (boughtAmount === '0') expect(json).toMatchObject({ status: 'rejected', reason: 'amount_too_small' })
    else expect(json).toMatchObject({ status: 'filled', sold_minor: amount_minor, bought_minor: boughtAmount })
  })

  test('that would buy an unrepresentable amount is rejected', async () => {
    const sandbox = await startTestSandbox()
    await changeLiquidity(sandbox, { delay_ms: 0 })
    const { json } = await place(sandbox, { sell: { currency: 'BTC', amount_minor: '9'.repeat(30) }, buy: 'ETH' })
    expect(json).toMatchObject({ status: 'rejected', reason: 'amount_too_large' })
    expect(json).not.toHaveProperty('bought_minor')
  })

  test('is one order under its id, and no other', async () => {
    const sandbox = await startTestSandbox()
    const [first, again] = [await place(sandbox), await place(sandbox)]
    expect(again.json).toEqual(first.json)
    for (const changes of [{ buy: 'GBP' }, { sell: { ...validOrder.sell, amount_minor: '10001' } }]) {
      const other = await place(sandbox, changes)
      expect([other.status, other.json['error']]).toMatchObject([409, { code: 'order_id_reused' }])
    }
    expect((await find(sandbox, buildId(2))).status).toBe(404)
  })

  test('survives a restart', async () => {
    const first = await startTestSandbox()
    await setClock(first, start)
    await place(first)
    await first.stop()
    const second = await startTestSandbox({ dataDir: first.dataDir })
    await setClock(second, start + minuteMs)
    expect((await find(second)).json).toMatchObject({ status: 'filled', bought_minor: '10750' })
  })

  test('whose answer is lost was placed', async () => {
    const sandbox = await startTestSandbox()
    await sandbox.call('PUT', '/api/control/faults', { body: { lost_answer_percent: 100 } })
    expect(await place(sandbox).catch(() => ({ status: 500 }))).toMatchObject({ status: 500 })
    await sandbox.call('PUT', '/api/control/faults', { body: { error_percent: 100 } })
    expect((await place(sandbox, { id: buildId(2) })).status).toBe(500)
    await sandbox.call('PUT', '/api/control/faults', { body: {} })
    expect((await find(sandbox)).json).toMatchObject({ status: 'working' })
    expect((await find(sandbox, buildId(2))).status).toBe(404)
  })

  test.each([
    [{ id: 'one' }, 'id'],
    [{ id: validOrder.id.toUpperCase() }, 'id'],
    [{ sell: '10000' }, 'sell'],
    [{ sell: { currency: 'XXX', amount_minor: '1' } }, 'sell.currency'],
    [{ sell: { currency: 'EUR' } }, 'sell.amount_minor'],
    [{ sell: { currency: 'EUR', amount_minor: 5 } }, 'sell.amount_minor'],
    [{ sell: { currency: 'EUR', amount_minor: '0' } }, 'sell.amount_minor'],
    [{ sell: { currency: 'EUR', amount_minor: '1.5' } }, 'sell.amount_minor'],
    [{ sell: { currency: 'EUR', amount_minor: '1'.repeat(31) } }, 'sell.amount_minor'],
    [{ buy: 'EUR' }, 'buy'],
    [{ buy: 'XXX' }, 'buy'],
    [{ buy: undefined }, 'buy'],
  ])('with %j is refused by name', async (changes, field) => {
    const sandbox = await startTestSandbox()
    const answer = await place(sandbox, changes)
    expect([answer.status, listInvalidFields(answer)]).toEqual([422, [field]])
    expect((await find(sandbox)).status).toBe(404)
  })
})

describe('the venue is steered', () => {
  test('to reject a share of future orders, the same ones for the same seed', async () => {
    const sandbox = await startTestSandbox()
    async function statuses(seed: number, from: number): Promise<string> {
      await changeLiquidity(sandbox, { delay_ms: 0, reject_percent: 50, seed })
      const all: unknown[] = []
      for (let index = 0; index < 16; index += 1) {
        const { json } = await place(sandbox, { id: buildId(from + index) })
        expect(json['reason']).toBe(json['status'] === 'rejected' ? 'no_counterparty' : undefined)
        all.push(json['status'])
      }
      return all.join(' ')
    }
    const first = await statuses(3, 100)
    expect(new Set(first.split(' '))).toEqual(new Set(['filled', 'rejected']))
    expect(await statuses(3, 200)).toBe(first)
    expect(await statuses(4, 300)).not.toBe(first)
  })

  test('with defaults for missing settings, refusals by name, and only with the secret', async () => {
    const sandbox = await startTestSandbox()
    const defaultCourse = { delay_ms: 2000, slippage_parts_per_million: 200, reject_percent: 0, seed: 1 }
    await changeLiquidity(sandbox, { delay_ms: 5, reject_percent: 7 })
    expect((await sandbox.call('GET', '/api/control/liquidity')).json).toMatchObject({ delay_ms: 5, reject_percent: 7 })
    expect((await changeLiquidity(sandbox, {})).json).toEqual(defaultCourse)
    const invalid = { delay_ms: -1, slippage_parts_per_million: 500_001, reject_percent: 101, seed: 1.5 }
    expect(listInvalidFields(await changeLiquidity(sandbox, invalid))).toEqual(Object.keys(invalid))
    for (const [method, path] of [
      ['PUT', '/api/control/liquidity'],
      ['GET', '/api/control/liquidity'],
      ['POST', '/api/liquidity/orders'],
      ['GET', `/api/liquidity/orders/${validOrder.id}`],
    ] as const) {
      const body = method === 'GET' ? {} : { body: validOrder }
      expect([path, (await sandbox.call(method, path, { ...body, secret: null })).status]).toEqual([path, 401])
    }
    expect((await sandbox.call('GET', '/api/control/liquidity')).json).toEqual(defaultCourse)
  })

  test('on the control page, which lists the orders', async () => {
    const sandbox = await startTestSandbox()
    const post = (fields: object) => sandbox.call('POST', '/control/liquidity', buildForm(fields))
    expect((await post({ delay_ms: '0', slippage_parts_per_million: '1000' })).status).toBe(303)
    await place(sandbox, { sell: { currency: 'ETH', amount_minor: '1500000000000000000' }, buy: 'BTC' })
    await place(sandbox, { id: buildId(2), sell: { currency: 'BTC', amount_minor: '1' } })
    const { text } = await sandbox.call('GET', '/control', { secret: null })
    expect(text).toContain('1.5 ETH')
    // 1.5 × 3200/65000, minus 0.1 %
    expect(text).toContain('for 0.0737723 BTC')
    expect(text).toContain('it buys nothing')
    const refusedReply = await post({ reject_percent: '101' })
    expect(refusedReply.status).toBe(422)
    expect(refusedReply.text).toContain('id="liquidity-reject_percent-error"')
    await post({ reset: 'yes' })
    expect((await sandbox.call('GET', '/api/control/liquidity')).json).toMatchObject({ delay_ms: 2000 })
  })
})
