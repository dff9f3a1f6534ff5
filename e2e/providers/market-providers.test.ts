import { currencyCodes } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { ratio } from '@tern/money/ratio'
import { createSandboxLiquidityProvider } from '@tern/providers/liquidity/sandbox'
import { createSandboxRatesProvider } from '@tern/providers/rates/sandbox'
import { describe, expect, test } from 'vitest'
import { serveReply, providerSecret as secret, startServer, startProvider } from '@tern/testkit/providers/provider'

type ControlBodies = Record<'clock' | 'rates' | 'control/market' | 'control/liquidity' | 'control/faults', object>

async function start() {
  const { connection } = await startProvider({ timeoutMs: 30_000 })
  async function putControl<ControlPath extends keyof ControlBodies>(
    controlPath: ControlPath,
    body: ControlBodies[ControlPath],
  ): Promise<void> {
    const response = await fetch(`${connection.url}/api/${controlPath}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
  }
  return { connection, putControl, liquidity: createSandboxLiquidityProvider(connection) }
}

const hourMs = 3_600_000
const order = { id: '019aa3c2-7b1e-7c44-9d0e-2f1c5a7e9b10', sell: money('EUR', 10_000n), buy: 'USD' } as const

describe('the history of rates', () => {
  test('has every currency at each moment, ends with the newest rates, and changes over time', async () => {
    const { connection, putControl } = await start()
    await putControl('control/market', { mode: 'walk' })
    await putControl('clock', { now: new Date(Date.now() + 30 * 24 * hourMs).toISOString() })
    const rates = createSandboxRatesProvider(connection)
    const from = new Date(Date.now() + 29 * 24 * hourMs)
    const [history, latest] = [await rates.history(from), await rates.latest()]
    if (history.status !== 'known' || latest.status !== 'known') throw new Error('no rates')
    const fixesByTime = Map.groupBy(history.fixes, ({ asOf }) => asOf.getTime())
    expect(fixesByTime.size).toBeGreaterThan(90)
    for (const [at, fixes] of fixesByTime) {
      expect(at).toBeGreaterThanOrEqual(from.getTime())
      expect(fixes.map(({ base }) => base).toSorted()).toEqual(
        currencyCodes.filter((code) => code !== 'USD').toSorted(),
      )
    }
    const newest = Math.max(...fixesByTime.keys())
    const asOf = latest.fixes[0]?.asOf.getTime() ?? 0
    if (newest === asOf) expect(fixesByTime.get(newest)).toEqual(latest.fixes)
    // The price may have changed between the two responses.
    expect(asOf - newest).toBeLessThanOrEqual(15_000)
    const euro = history.fixes
      .filter(({ base }) => base === 'EUR')
      .map(({ rate }) => `${rate.numerator}/${rate.denominator}`)
    expect(new Set(euro).size).toBeGreaterThan(60)
  })

  test('is unknown when it cannot be read', async () => {
    for (const body of ['{}', '{"base":"USD","points":[{"as_of":"2026-03-01T00:00:00Z","usd_per_unit":{}}]}']) {
      const url = await serveReply(200, body)
      expect((await createSandboxRatesProvider({ url, secret }).history(new Date())).status).toBe('unknown')
    }
  })
})

describe('liquidity', () => {
  test('is traded once per id, at the rate less the slippage, and found again', async () => {
    const { putControl, liquidity } = await start()
    expect(await liquidity.find(order.id)).toEqual({ status: 'not_found' })
    const placedOrder = await liquidity.place(order)
    expect(placedOrder).toEqual({ status: 'working', reference: expect.stringMatching(/^lq_/) })
    await putControl('clock', { now: new Date(Date.now() + hourMs).toISOString() })
    const filledOrder = await liquidity.find(order.id)
    expect(filledOrder).toEqual({
      ...placedOrder,
      status: 'filled',
      sold: order.sell,
      bought: money('USD', 10_750n),
      filledAt: expect.any(Date),
    })
    expect(await liquidity.place(order)).toEqual(filledOrder)
  })

  test.each(currencyCodes.filter((code) => code !== 'USD'))('is traded in %s, in its own minor units', async (code) => {
    const { connection, putControl, liquidity } = await start()
    await putControl('control/liquidity', { delay_ms: 0, slippage_parts_per_million: 0 })
    const rates = await createSandboxRatesProvider(connection).latest()
    const rate = rates.status === 'known' ? rates.fixes.find(({ base }) => base === code)?.rate : undefined
    const scales: Record<string, bigint> = {
      JPY: 1n,
      USDT: 10n ** 6n,
      USDC: 10n ** 6n,
      BTC: 10n ** 8n,
      ETH: 10n ** 18n,
    }
    const unit = scales[code] ?? 100n
    const { numerator, denominator } = rate ?? ratio(1n, 1n)
    const result = await liquidity.place({ id: order.id, sell: money('USD', 1_000_000n), buy: code })
    expect(result).toMatchObject({
      status: 'filled',
      sold: money('USD', 1_000_000n),
      bought: money(code, (10_000n * unit * denominator) / numerator),
    })
  })

  test('is rejected by the venue, and for unsupported currencies', async () => {
    const { putControl, liquidity } = await start()
    await putControl('control/liquidity', { delay_ms: 0, reject_percent: 100 })
    const rejectedState = { status: 'rejected', reason: 'no_counterparty' }
    expect(await liquidity.place(order)).toEqual(rejectedState)
    expect(await liquidity.find(order.id)).toEqual(rejectedState)
    expect(await liquidity.place({ ...order, id: 'not-a-uuid' })).toMatchObject({ status: 'rejected' })
    expect(await liquidity.place({ ...order, buy: 'EUR' })).toMatchObject({ status: 'rejected' })
  })

  test('is unknown when the answer is lost, and found again afterwards', async () => {
    const { putControl, liquidity } = await start()
    await putControl('control/liquidity', { delay_ms: hourMs })
    await putControl('control/faults', { lost_answer_percent: 100 })
    expect((await liquidity.place(order)).status).toBe('unknown')
    await putControl('control/faults', {})
    const foundOrder = await liquidity.find(order.id)
    expect(foundOrder.status).toBe('working')
    expect(await liquidity.place(order)).toEqual(foundOrder)
    // An order exists under this id, so it must not be reported as rejected.
    expect((await liquidity.place({ ...order, buy: 'GBP' })).status).toBe('unknown')
  })

  test('is never guessed from an unreadable answer', async () => {
    const filledBody = {
      id: order.id,
      order_id: 'lq_1',
      status: 'filled',
      sell: { currency: 'EUR', amount_minor: '10000' },
      buy: 'USD',
      sold_minor: '10000',
      bought_minor: '10750',
      filled_at: '2026-03-01T00:00:00Z',
    }
    const serveOrder = (changes: object) => serveReply(200, JSON.stringify({ ...filledBody, ...changes }))
    const liquidityWithAnswer = createSandboxLiquidityProvider({ url: await serveOrder({}), secret })
    expect((await liquidityWithAnswer.place(order)).status).toBe('filled')
    expect((await liquidityWithAnswer.place({ ...order, buy: 'GBP' })).status).toBe('unknown')
    const urls = [
      'http://localhost:9',
      await startServer(() => {}),
      await serveReply(500, JSON.stringify({ error: { code: 'internal_error' } })),
      await serveReply(404, '<html>'),
      await serveOrder({ id: 'another' }),
      await serveOrder({ status: 'paid' }),
      await serveOrder({ order_id: '' }),
      await serveOrder({ buy: 'XXX' }),
      await serveOrder({ bought_minor: '-5' }),
      await serveOrder({ sold_minor: 10_000 }),
      await serveOrder({ filled_at: 'soon' }),
    ]
    for (const url of urls) {
      const liquidity = createSandboxLiquidityProvider({ url, secret, timeoutMs: 200 })
      expect((await liquidity.find(order.id)).status, url).toBe('unknown')
      expect((await liquidity.place(order)).status, url).toMatch(/^(unknown|rejected)$/)
    }
  })
})
