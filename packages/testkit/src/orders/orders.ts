// For tests: a market whose rates and time the test sets, and workers with separate connections.

import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import type { NewOrder, Order } from '@tern/contract/orders/orders'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { parseRatio, type Ratio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import { createExchange, createRates } from '@tern/server/features/exchange/exchange'
import { createOrderPurpose, createOrders } from '@tern/server/features/orders/orders'
import { createHeldTransfers, createTransfers, type TransferRule } from '@tern/server/features/transfers/transfers'
import { createMover } from '@tern/server/features/wallets/move'
import { connect } from '@tern/server/platform/database/db'
import { createRegistry } from '@tern/server/platform/providers/provider-registry'
import type { TestApp, TestPerson } from '../app.ts'

/** Values of one whole unit in US dollars. */
export type Market = Partial<Record<CurrencyCode, string | Ratio>>

export const calmMarket: Market = {
  ...{ EUR: '1.05', GBP: '1.25', CAD: '0.72', AUD: '0.65', JPY: '0.0066', SGD: '0.75', INR: '0.0118', BRL: '0.17' },
  ...{ USDT: '1', USDC: '1', BTC: '90000', ETH: '3000' },
}

interface WorkerParts {
  readonly product: TestApp['app']['product']
  readonly databaseUrl: string
  readonly publicUrl: string
  readonly secret: string
  readonly source: RatesProvider
  readonly now: () => Date
  readonly rules?: readonly TransferRule[] | undefined
  readonly connections?: number | undefined
}

/** Creates a worker with separate connections, as in another process. */
export function createTestWorker(parts: WorkerParts) {
  const { product, databaseUrl, publicUrl, secret, source, now, rules, connections = 8 } = parts
  const pool = connect(databaseUrl, connections)
  const mover = createMover({ databaseUrl, pool })
  const errors: object[] = []
  const log = {
    warn: (details: object) => void errors.push(details),
    error: (details: object) => void errors.push(details),
  }
  const rates = createRates({ sources: createRegistry([source]), now, log })
  const base = { ...product, pool, mover, now, log, publicUrl }
  const exchange = createExchange({ ...base, rates, secret: Buffer.from(secret, 'base64url') })
  const transfers = createTransfers({ ...base, exchange, rules })
  const heldTransfers = createHeldTransfers({ ...base, exchange, purposes: [createOrderPurpose(base)] })
  const orders = createOrders({ ...base, exchange, transfers, heldTransfers })
  return {
    ...{ orders, exchange, heldTransfers, errors, pool },
    /** Reads the stored rates and processes due orders. */
    async run(): Promise<void> {
      await exchange.readRates()
      await orders.runDue()
    },
    async close(): Promise<void> {
      await mover.close()
      await pool.end()
    },
  }
}

export type TestWorker = ReturnType<typeof createTestWorker>

/** Creates a rate source with the rates of `latest`. */
export const marketSource = (latest: () => { values: Market; asOf: Date }): RatesProvider => ({
  name: 'market',
  pollEveryMs: 0,
  async latest() {
    const { values, asOf } = latest()
    const fixes = currencyCodes.flatMap((base) => {
      const value = values[base]
      const rate = typeof value === 'string' ? parseRatio(value) : value
      return base === 'USD' || !rate ? [] : [{ base, quote: 'USD' as const, rate, asOf }]
    })
    return { status: 'known', fixes }
  },
  history: async () => ({ status: 'known', fixes: [] }),
})

interface WorkerOptions extends Pick<WorkerParts, 'rules' | 'connections'> {
  readonly aheadMs?: number
}

/** Opens a market on the product's database, with its own clock. */
export async function openMarket(world: TestApp, start = world.app.product.now()) {
  await world.database.pool.query('update rate_policy set max_jump_parts_per_million = 2000000000')
  let time = start
  let values: Market = calmMarket
  let asOf = start
  const source = marketSource(() => ({ values, asOf }))
  const workers: TestWorker[] = []

  /** Creates a worker whose clock is `aheadMs` ahead of the market's, since the clocks of processes differ. */
  function worker({ rules, aheadMs = 0, connections }: WorkerOptions = {}): TestWorker {
    const createdWorker = createTestWorker({
      ...{ product: world.app.product, databaseUrl: world.database.applicationUrl, publicUrl: world.url },
      ...{ secret: world.secret, source, rules, connections, now: () => new Date(time.getTime() + aheadMs) },
    })
    workers.push(createdWorker)
    return createdWorker
  }
  const first = worker()
  await first.exchange.refreshRates()

  return {
    first,
    worker,
    now: () => time,
    advance(ms: number) {
      time = new Date(time.getTime() + ms)
    },
    /** Publishes rates to all workers except `excluded`. */
    async set(rates: Market, excluded?: TestWorker): Promise<void> {
      values = { ...values, ...rates }
      asOf = time
      await first.exchange.refreshRates()
      await Promise.all(
        workers.filter((otherWorker) => otherWorker !== excluded).map(({ exchange }) => exchange.readRates()),
      )
    },
    async close(): Promise<void> {
      for (const otherWorker of workers) await otherWorker.close()
    },
  }
}

export type TestMarket = Awaited<ReturnType<typeof openMarket>>

export const toCaller = ({ id }: TestPerson) => ({ userId: BigInt(id), verified: true }) as never

let count = 0
/** Returns an idempotency key that is new in this process. */
export const nextKey = (): string => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`

/** Places an order to exchange 600 USDT into euros at 0.955 or better; `overrides` change it. */
export const placeTestOrder = (
  { orders }: TestWorker,
  person: TestPerson,
  overrides: Partial<NewOrder> = {},
  key = nextKey(),
): Promise<Order> =>
  orders.place({
    caller: toCaller(person),
    body: {
      kind: 'limit',
      source_currency: 'USDT',
      target_currency: 'EUR',
      amount: '600',
      rate: '0.9550',
      ...overrides,
    },
    idempotencyKey: key,
  })

/** Exchanges money into a fixed target amount at the product's current price. */
export async function exchangeInto(
  person: TestPerson,
  source_currency: CurrencyCode,
  target_currency: CurrencyCode,
  amount: string,
): Promise<void> {
  const body = { source_currency, target_currency, amount, side: 'target' } as const
  const { quote_id } = await person.call(createQuote, { body })
  await person.call(exchangeMoney, { body: { quote_id }, idempotencyKey: nextKey() })
}

/** Returns the available and the held balance in a currency. */
export async function loadBalance(person: TestPerson, currency: CurrencyCode): Promise<[string, string]> {
  const { assets } = await person.wallet()
  const asset = assets.find((candidate) => candidate.currency === currency)
  return [asset?.available ?? '', asset?.held ?? '']
}
