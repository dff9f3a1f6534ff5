// Trial with thousands of orders in a moving market, filled by processes that are killed repeatedly. The expected
// outcome of each order is computed from the rates alone, with arithmetic independent of the product's.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { NewOrder } from '@tern/contract/orders/orders'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { formatMinor, computeExpectedPrice, parseMinor, type Rates } from '../../../../simulation/oracle/pricing.ts'
import { createRandom, type Random } from '../../../../simulation/random.ts'
import type { TestApp, TestPerson } from '../app.ts'
import { toCaller, type Market, openMarket, type TestMarket } from './orders.ts'
import { createTrialClock } from './trial-clock.ts'

export interface TrialOptions {
  readonly seed: string
  readonly orders: number
  readonly kills: number
  readonly ordersPerStep: number
}

export interface TrialReport {
  readonly orders: number
  readonly kills: number
  readonly steps: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

const stepMs = 60_000
/** Longer than the maximum age of a stablecoin's rate. */
const staleMs = 15 * 60_000
const maxSteps = 8
const maxFaults = 20
const program = fileURLToPath(new URL('fill-until-killed.ts', import.meta.url))

/** Value of one whole unit, in millionths of a US dollar. */
type UsdValues = Map<CurrencyCode, bigint>

const startValues: readonly (readonly [CurrencyCode, bigint])[] = [
  ...([
    ['EUR', 1_050_000n],
    ['GBP', 1_250_000n],
    ['CAD', 720_000n],
    ['AUD', 650_000n],
  ] as const),
  ...([
    ['JPY', 6_600n],
    ['SGD', 750_000n],
    ['INR', 11_800n],
    ['BRL', 170_000n],
  ] as const),
  ...([
    ['USDT', 1_000_000n],
    ['USDC', 1_000_000n],
    ['BTC', 90_000_000_000n],
    ['ETH', 3_000_000_000n],
  ] as const),
]

/** Moves each value by up to 1.5 % in either direction. */
function moveMarket(values: UsdValues, random: Random): void {
  for (const [code, value] of values) {
    const partsPerMillion = BigInt(random.pickInteger(-15_000, 15_000))
    values.set(code, value + (value * partsPerMillion) / 1_000_000n)
  }
}

const million = 1_000_000n
const toMarketRates = (values: UsdValues): Market =>
  Object.fromEntries([...values].map(([code, value]) => [code, { numerator: value, denominator: million }]))
const toRates = (values: UsdValues): Rates => ({
  USD: [1n, 1n],
  ...Object.fromEntries([...values].map(([code, value]) => [code, [value, million] as const])),
})

/** Order with its expected state so far, computed from the rates alone. */
interface ExpectedOrder {
  readonly id: string
  readonly person: TestPerson
  readonly kind: 'limit' | 'stop'
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  amount: bigint
  /** Whole target units per whole source unit, times 10^12. */
  rate: bigint
  worstRate: bigint
  readonly expiresAt: number
  state: 'open' | 'filled' | 'expired' | 'cancelled'
  filledMinor: bigint | undefined
}

const rateScale = 10n ** 12n

const rateText = (rate: bigint): string => {
  const digits = rate.toString().padStart(13, '0')
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`
}

/** Returns the rate between two currencies, times 10^12, rounded down. */
function computeRate(source: CurrencyCode, target: CurrencyCode, rates: Rates): bigint {
  const [up, down] = [rates[source] ?? [0n, 1n], rates[target] ?? [0n, 1n]]
  return (up[0] * down[1] * rateScale) / (up[1] * down[0])
}

/** Reports whether `minor` of the target is at least the order's amount at `rate`, compared without rounding. */
function isAtLeast(minor: bigint, { amount, source, target }: ExpectedOrder, rate: bigint): boolean {
  const [sourceUnit, targetUnit] = [parseMinor(source, '1'), parseMinor(target, '1')]
  return minor * sourceUnit * rateScale >= amount * targetUnit * rate
}

/** Reports whether the exact rate of the pair is at most `rate`. */
function isAtMost({ source, target }: ExpectedOrder, rate: bigint, rates: Rates): boolean {
  const [up, down] = [rates[source] ?? [0n, 1n], rates[target] ?? [0n, 1n]]
  return up[0] * down[1] * rateScale <= rate * up[1] * down[0]
}

/** Returns the target amount in minor units if these rates fill the order, otherwise undefined. */
function computeFill(order: ExpectedOrder, rates: Rates): bigint | undefined {
  const { source: sourceCurrency, target: targetCurrency, amount: source } = order
  const { target } = computeExpectedPrice({ sourceCurrency, targetCurrency, source, viaStablecoin: true }, rates)
  if (order.kind === 'stop' && !isAtMost(order, order.rate, rates)) return undefined
  return isAtLeast(target, order, order.kind === 'limit' ? order.rate : order.worstRate) ? target : undefined
}

/** Updates the expected state of all open orders at this moment. */
function updateExpectedStates(
  orders: Iterable<ExpectedOrder>,
  { rates, at, isFresh }: { rates: Rates; at: number; isFresh: boolean },
): void {
  for (const order of orders) {
    if (order.state !== 'open') continue
    if (order.expiresAt <= at) order.state = 'expired'
    else if (isFresh) {
      order.filledMinor = computeFill(order, rates)
      if (order.filledMinor !== undefined) order.state = 'filled'
    }
  }
}

/** Starts two processes that fill orders, and restarts each after it is killed. */
function startFillers(world: TestApp, environment: NodeJS.ProcessEnv) {
  const children: ChildProcess[] = []
  const messages: string[] = []
  let hasEnded = false
  const start = (place: number) => {
    const child = spawn(process.execPath, [program, world.database.applicationUrl, world.url], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => void messages.push(text))
    child.once('exit', (code, signal) => {
      if (hasEnded) return
      if (signal !== 'SIGKILL') messages.push(`a process ended by itself: ${String(code)} ${String(signal)}`)
      start(place)
    })
    children[place] = child
  }
  start(0)
  start(1)
  return {
    messages,
    kill: (place: number) => children[place]?.kill('SIGKILL'),
    async end(): Promise<void> {
      hasEnded = true
      await Promise.all(
        children.map(async (child) => {
          const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
          child.kill('SIGKILL')
          await exit
        }),
      )
    },
  }
}

/** Creates the control of the trial's clock, which can wait until a process has handled everything due. */
function createClockControl(world: TestApp, start: Date) {
  const { pool } = world.database
  let at = start.getTime()
  let passNumber = 0
  return {
    at: () => at,
    async set(ms: number): Promise<void> {
      at += ms
      await pool.query('update trial.clock set at = $1', [new Date(at)])
    },
    /** Waits until a process has handled everything due at the time of this call. */
    async confirm(): Promise<void> {
      passNumber += 1
      await pool.query('update trial.clock set mark = $1', [passNumber])
      for (;;) {
        const { rowCount } = await pool.query('select from trial.pass where mark >= $1 limit 1', [passNumber])
        if (rowCount === 1) return
        await delay(5)
      }
    },
  }
}

interface MarketTrial {
  readonly market: TestMarket
  readonly people: readonly TestPerson[]
  readonly bases: ReadonlyMap<TestPerson, CurrencyCode>
  readonly orders: Map<string, ExpectedOrder>
  readonly faults: string[]
}

const protections = ['USDT', 'USDC', 'BTC', 'ETH'] as const

/** Returns an order of 20 to 60 dollars with a rate near the current one. */
function planOrder(random: Random, { people, bases }: MarketTrial, values: UsdValues, at: number) {
  const person = random.pick(people)
  const currencies = [bases.get(person) ?? 'USD', ...protections]
  const source = random.pick(currencies)
  const target = random.pick(currencies.filter((code) => code !== source))
  const rates = toRates(values)
  const dollars = BigInt(random.pickInteger(20_000_000, 60_000_000))
  const [up, down] = rates[source] ?? [1n, 1n]
  const amount = (dollars * parseMinor(source, '1') * down) / (up * million)
  const kind = random.rollPercent(65) ? ('limit' as const) : ('stop' as const)
  const currentRate = computeRate(source, target, rates)
  const distance = BigInt(random.pickInteger(-2_000, 25_000))
  const rate =
    kind === 'limit'
      ? currentRate + (currentRate * distance) / million
      : currentRate - (currentRate * distance) / million
  const worstRate = rate - (rate * BigInt(random.pickInteger(1_000, 12_000))) / million
  return {
    ...{ person, kind, source, target, amount, rate, worstRate: kind === 'limit' ? rate : worstRate },
    expiresAt: at + random.pickInteger(1, maxSteps) * stepMs + stepMs / 2,
  }
}

async function placeOrder({ market, orders, faults }: MarketTrial, plan: ReturnType<typeof planOrder>, key: string) {
  const { person, kind, source, target, amount, rate, worstRate, expiresAt } = plan
  const newOrder: NewOrder = {
    ...{ kind, source_currency: source, target_currency: target, amount: formatMinor(source, amount) },
    ...{ rate: rateText(rate), expires_at: new Date(expiresAt).toISOString() },
    ...(kind === 'stop' ? { worst_rate: rateText(worstRate) } : {}),
  }
  try {
    const { id } = await market.first.orders.place({ caller: toCaller(person), body: newOrder, idempotencyKey: key })
    orders.set(id, { ...plan, id, state: 'open', filledMinor: undefined })
  } catch (error) {
    // A person with 50 open orders cannot place another one.
    if ((error as { code?: string }).code !== 'too_many_orders') faults.push(`not placed: ${String(error)}`)
  }
}

/** Changes or cancels some of the open orders, while none is due. */
async function changeSomeOrders(random: Random, { market, orders, faults }: MarketTrial, key: string): Promise<void> {
  const openOrders = [...orders.values()].filter(({ state }) => state === 'open')
  for (const order of openOrders) {
    if (!random.rollPercent(3)) continue
    try {
      if (random.rollPercent(50)) {
        await market.first.orders.cancel({ userId: BigInt(order.person.id), id: order.id })
        order.state = 'cancelled'
        continue
      }
      const rate = order.rate + (order.rate * BigInt(random.pickInteger(-8_000, 8_000))) / million
      const worstRate = order.kind === 'limit' ? rate : rate - (rate * 5_000n) / million
      const amount = order.amount - (order.amount * BigInt(random.pickInteger(0, 200_000))) / million
      const terms = { amount: formatMinor(order.source, amount), rate: rateText(rate) }
      const body = order.kind === 'limit' ? terms : { ...terms, worst_rate: rateText(worstRate) }
      await market.first.orders.edit({
        caller: toCaller(order.person),
        id: order.id,
        body,
        idempotencyKey: `${key}${order.id.slice(12)}`,
      })
      Object.assign(order, { amount, rate, worstRate })
    } catch (error) {
      faults.push(`${order.id} could not be changed: ${String(error)}`)
    }
  }
}

async function compareWithProduct(world: TestApp, { orders, faults }: MarketTrial): Promise<Record<string, number>> {
  const { rows } = await world.database.pool.query<{
    id: string
    state: string
    got: bigint | null
    fills: bigint
  }>(
    `select o.id, o.state, case when o.state = 'filled' then t.target_amount end as got,
        (select count(*) from ledger.posting p
          where p.reference = o.transaction_id and p.refusal is null
            and exists (select from ledger.token k where k.posting_id = p.id)) as fills
       from exchange_order o join transaction t on t.id = o.transaction_id and t.user_id = o.user_id`,
  )
  const stored = new Map(rows.map((row) => [row.id, row]))
  const outcomes: Record<string, number> = {}
  for (const order of orders.values()) {
    outcomes[order.state] = (outcomes[order.state] ?? 0) + 1
    const row = stored.get(order.id)
    const filledMinor = row?.got ?? undefined
    if (row?.fills !== (order.state === 'filled' ? 1n : 0n)) faults.push(`${order.id} was filled ${row?.fills} times`)
    if (row?.state !== order.state) faults.push(`${order.id} is ${row?.state} and should be ${order.state}`)
    else if (filledMinor !== order.filledMinor)
      faults.push(`${order.id} became ${filledMinor} and should be ${order.filledMinor} of ${order.target}`)
    if (
      filledMinor !== undefined &&
      !isAtLeast(filledMinor, order, order.kind === 'limit' ? order.rate : order.worstRate)
    ) {
      faults.push(`${order.id} was filled at a worse rate than it asked for`)
    }
  }
  if (stored.size !== orders.size) faults.push(`${stored.size} orders are stored of ${orders.size}`)
  return outcomes
}

/** Runs the trial until all orders are placed and have ended. */
export async function runMarketTrial(
  world: TestApp,
  people: readonly TestPerson[],
  { seed, orders: orderCount, kills, ordersPerStep }: TrialOptions,
): Promise<TrialReport> {
  const random = createRandom('orders', seed)
  const start = world.app.product.now()
  const market = await openMarket(world, start)
  await createTrialClock(world.database.pool, start)
  const clock = createClockControl(world, start)
  const bases = new Map<TestPerson, CurrencyCode>()
  for (const person of people) bases.set(person, (await person.wallet()).base_currency)
  const marketTrial: MarketTrial = { market, people, bases, orders: new Map(), faults: [] }
  const fillers = startFillers(world, {
    ...process.env,
    PORT: new URL(world.url).port,
    ...{ SANDBOX_URL: world.sandboxUrl, SANDBOX_SECRET: world.sandboxSecret, TERN_SECRET: world.secret },
  })
  const values: UsdValues = new Map(startValues.filter(([code]) => currencyCodes.includes(code)))
  const steps = Math.ceil(orderCount / ordersPerStep) + maxSteps + 2
  let placedCount = 0
  let killCount = 0
  try {
    for (let step = 0; step < steps; step += 1) {
      const isFresh = !random.rollPercent(7)
      if (isFresh) moveMarket(values, random)
      const ms = isFresh ? stepMs : staleMs
      market.advance(ms)
      await clock.set(ms)
      if (isFresh) await market.set(toMarketRates(values))
      const rates = toRates(values)
      const readMoment = () => ({ rates, at: clock.at(), isFresh })
      updateExpectedStates(marketTrial.orders.values(), readMoment())
      // Kills a process at a random moment while it handles this step.
      const shouldKill = killCount < Math.min(kills, Math.floor(((step + 1) * kills) / (steps - maxSteps)))
      const killTask = shouldKill
        ? delay(random.pickInteger(0, 120)).then(() => fillers.kill(random.pickInteger(0, 1)))
        : Promise.resolve(false)
      await Promise.all([clock.confirm(), killTask])
      if (shouldKill) killCount += 1
      await changeSomeOrders(random, marketTrial, `${String(step).padStart(8, '0')}-000`)
      const plans = Array.from({ length: Math.min(ordersPerStep, orderCount - placedCount) }, () =>
        planOrder(random, marketTrial, values, clock.at()),
      )
      placedCount += plans.length
      const keys = plans.map(
        (_, index) => `${String(step).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`,
      )
      await Promise.all(plans.map((plan, index) => placeOrder(marketTrial, plan, keys[index] ?? '')))
      updateExpectedStates(marketTrial.orders.values(), readMoment())
      await clock.confirm()
    }
    const outcomes = await compareWithProduct(world, marketTrial)
    const { faults } = marketTrial
    if (fillers.messages.length > 0) faults.push(`a process said: ${fillers.messages.join('').slice(0, 2000)}`)
    return { orders: marketTrial.orders.size, kills: killCount, steps, outcomes, faults: faults.slice(0, maxFaults) }
  } finally {
    await fillers.end()
    await market.close()
  }
}
