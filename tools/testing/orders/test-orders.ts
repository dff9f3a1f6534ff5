// For tests: a market of which a test sets every rate and the time, and workers on it, each with connections of its own.

import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import type { NewOrder, Order } from '@tern/contract/orders/orders'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { parseRatio, type Ratio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import { createExchange, createRates } from '../../../packages/server/src/features/exchange/exchange.ts'
import { createOrders } from '../../../packages/server/src/features/orders/orders.ts'
import {
  createHeldTransfers,
  createTransfers,
  type TransferRule,
} from '../../../packages/server/src/features/transfers/transfers.ts'
import { createMover } from '../../../packages/server/src/features/wallets/move.ts'
import { connect } from '../../../packages/server/src/platform/database/db.ts'
import { createRegistry } from '../../../packages/server/src/platform/providers/provider-registry.ts'
import type { TestApp, TestPerson } from '../test-app.ts'

/** What one whole unit is worth in US dollars. */
export type Market = Partial<Record<CurrencyCode, string | Ratio>>

export const calmMarket: Market = {
  ...{ EUR: '1.05', GBP: '1.25', CAD: '0.72', AUD: '0.65', JPY: '0.0066', SGD: '0.75', INR: '0.0118', BRL: '0.17' },
  ...{ USDT: '1', USDC: '1', BTC: '90000', ETH: '3000' },
}

/** A market over the product's database, with a clock of its own. */
export async function openMarket(world: TestApp, start = world.app.product.now()) {
  await world.database.pool.query('update rate_policy set max_jump_parts_per_million = 2000000000')
  let time = start
  let values: Market = calmMarket
  let asOf = start
  const source: RatesProvider = {
    name: 'market',
    pollEveryMs: 0,
    latest: async () => ({
      status: 'known',
      fixes: currencyCodes.flatMap((base) => {
        const value = values[base]
        const rate = typeof value === 'string' ? parseRatio(value) : value
        return base === 'USD' || !rate ? [] : [{ base, quote: 'USD' as const, rate, asOf }]
      }),
    }),
    history: async () => ({ status: 'known', fixes: [] }),
  }
  const workers: ReturnType<typeof worker>[] = []
  const first = worker()
  await first.exchange.refreshRates()

  /** A worker as another process would have it. */
  function worker({ rules }: { rules?: readonly TransferRule[] } = {}) {
    const { product } = world.app
    const pool = connect(world.database.applicationUrl, 8)
    const mover = createMover({ databaseUrl: world.database.applicationUrl, pool })
    const errors: object[] = []
    const log = {
      warn: (details: object) => void errors.push(details),
      error: (details: object) => void errors.push(details),
    }
    const now = () => time
    const rates = createRates({ pool, sources: createRegistry([source]), now, log })
    const base = { ...product, pool, mover, now, log, publicUrl: world.url }
    const exchange = createExchange({ ...base, rates, secret: Buffer.from(world.secret, 'base64url') })
    const transfers = createTransfers({ ...base, exchange, requireStepUp: product.identity.stepUp.require, rules })
    const held = createHeldTransfers({
      ...{ ...base, exchange, transfers },
      purposeStep: (id) => orders.heldOrderStep(id),
    })
    const orders = createOrders({ ...base, exchange, transfers, cancelHeld: held.cancel })
    const made = {
      ...{ orders, exchange, held, errors, pool },
      /** Reads what is stored, and does what is due. */
      async run(): Promise<void> {
        await exchange.readRates()
        await orders.runDue()
      },
      async close() {
        await mover.close()
        await pool.end()
      },
    }
    workers.push(made)
    return made
  }

  return {
    first,
    worker,
    now: () => time,
    /** Moves the clock on. */
    wait(ms: number) {
      time = new Date(time.getTime() + ms)
    },
    /** The market says so from now on, for all workers. */
    async set(changed: Market): Promise<void> {
      values = { ...values, ...changed }
      asOf = time
      await first.exchange.refreshRates()
      await Promise.all(workers.map(({ exchange }) => exchange.readRates()))
    },
    async close(): Promise<void> {
      for (const each of workers) await each.close()
    },
  }
}

export type TestMarket = Awaited<ReturnType<typeof openMarket>>
export type TestWorker = TestMarket['first']

export const callerOf = ({ id }: TestPerson) => ({ userId: BigInt(id), verified: true }) as never

let count = 0
/** A key that is used once. */
export const nextKey = (): string => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`

/** Places an order of 600 USDT for euros at 0.955 or better, unless told otherwise. */
export const place = (
  { orders }: TestWorker,
  person: TestPerson,
  wanted: Partial<NewOrder> = {},
  key = nextKey(),
): Promise<Order> =>
  orders.place(
    callerOf(person),
    {
      ...{ kind: 'limit', source_currency: 'USDT', target_currency: 'EUR', amount: '600', rate: '0.9550' },
      ...wanted,
    } as NewOrder,
    key,
  )

/** Exchanges what somebody has, at the price of the product. */
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

/** What somebody has of a currency: available, and on hold. */
export async function balanceOf(person: TestPerson, currency: CurrencyCode): Promise<[string, string]> {
  const { assets } = await person.wallet()
  const asset = assets.find((each) => each.currency === currency)
  return [asset?.available ?? '', asset?.held ?? '']
}
