// Thousands of orders on a market with walking prices, filled by processes that are killed repeatedly. The expected
// outcome of each order follows from the walk alone, by arithmetic independent of the product's.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { NewOrder } from '@tern/contract/orders/orders'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { formatMinor, computeExpectedPrice, parseMinor, type Rates } from '../../../../simulation/oracle/pricing.ts'
import { createRandom, type Random } from '../../../../simulation/random.ts'
import type { TestApp, TestPerson } from '../app.ts'
import { callerOf, type Market, openMarket, type TestMarket } from './orders.ts'
import { createTrialClock } from './trial-clock.ts'

export interface WalkOptions {
  readonly seed: string
  readonly walks: number
  readonly kills: number
  readonly perStep: number
}

export interface WalkReport {
  readonly walks: number
  readonly kills: number
  readonly steps: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

const stepMs = 60_000
/** Longer than a stablecoin's rate stays valid. */
const staleMs = 15 * 60_000
const longestSteps = 8
const mostFaults = 20
const program = fileURLToPath(new URL('fill-until-killed.ts', import.meta.url))

/** Value of one whole unit, in millionths of a US dollar. */
type Values = Map<CurrencyCode, bigint>

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

/** Moves the market one step: each value changes by up to 1.5 % either way. */
function walkOn(values: Values, random: Random): void {
  for (const [code, value] of values) {
    const partsPerMillion = BigInt(random.pickInteger(-15_000, 15_000))
    values.set(code, value + (value * partsPerMillion) / 1_000_000n)
  }
}

const million = 1_000_000n
const toMarket = (values: Values): Market =>
  Object.fromEntries([...values].map(([code, value]) => [code, { numerator: value, denominator: million }]))
const toRates = (values: Values): Rates => ({
  USD: [1n, 1n],
  ...Object.fromEntries([...values].map(([code, value]) => [code, [value, million] as const])),
})

/** Order with its expected outcome so far, from the walk alone. */
interface Walk {
  readonly id: string
  readonly person: TestPerson
  readonly kind: 'limit' | 'stop'
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  amount: bigint
  /** Whole target units per whole source unit, in units of 10^-12. */
  rate: bigint
  worst: bigint
  readonly expiresAt: number
  state: 'open' | 'filled' | 'expired' | 'cancelled'
  got: bigint | undefined
}

const fine = 10n ** 12n

const rateText = (rate: bigint): string => {
  const digits = rate.toString().padStart(13, '0')
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`
}

/** Returns the rate between two currencies, rounded down to 10^-12. */
function computeRate(source: CurrencyCode, target: CurrencyCode, rates: Rates): bigint {
  const [up, down] = [rates[source] ?? [0n, 1n], rates[target] ?? [0n, 1n]]
  return (up[0] * down[1] * fine) / (up[1] * down[0])
}

/** Returns whether `minor` of the target is at least the amount converted at `rate`, compared without rounding. */
function isAtLeast(minor: bigint, { amount, source, target }: Walk, rate: bigint): boolean {
  const [sourceUnit, targetUnit] = [parseMinor(source, '1'), parseMinor(target, '1')]
  return minor * sourceUnit * fine >= amount * targetUnit * rate
}

/** Returns whether the pair's exact rate is at most `rate`. */
function isAtMost({ source, target }: Walk, rate: bigint, rates: Rates): boolean {
  const [up, down] = [rates[source] ?? [0n, 1n], rates[target] ?? [0n, 1n]]
  return up[0] * down[1] * fine <= rate * up[1] * down[0]
}

/** Returns the target amount, in minor units, if these rates fill the order. */
function fillAt(walk: Walk, rates: Rates): bigint | undefined {
  const { source: sourceCurrency, target: targetCurrency, amount: source } = walk
  const { target } = computeExpectedPrice({ sourceCurrency, targetCurrency, source, viaStablecoin: true }, rates)
  if (walk.kind === 'stop' && !isAtMost(walk, walk.rate, rates)) return undefined
  return isAtLeast(target, walk, walk.kind === 'limit' ? walk.rate : walk.worst) ? target : undefined
}

/** Updates the expected state of every open order at this moment. */
function judge(walks: Iterable<Walk>, { rates, at, isFresh }: { rates: Rates; at: number; isFresh: boolean }): void {
  for (const walk of walks) {
    if (walk.state !== 'open') continue
    if (walk.expiresAt <= at) walk.state = 'expired'
    else if (isFresh) {
      walk.got = fillAt(walk, rates)
      if (walk.got !== undefined) walk.state = 'filled'
    }
  }
}

/** Starts two processes that fill orders; each is restarted after being killed. */
function startFillers(world: TestApp, environment: NodeJS.ProcessEnv) {
  const children: ChildProcess[] = []
  const said: string[] = []
  let isOver = false
  const start = (place: number) => {
    const child = spawn(process.execPath, [program, world.database.applicationUrl, world.url], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text))
    child.once('exit', (code, signal) => {
      if (isOver) return
      if (signal !== 'SIGKILL') said.push(`a process ended by itself: ${String(code)} ${String(signal)}`)
      start(place)
    })
    children[place] = child
  }
  start(0)
  start(1)
  return {
    said,
    kill: (place: number) => children[place]?.kill('SIGKILL'),
    async end(): Promise<void> {
      isOver = true
      await Promise.all(
        children.map(async (child) => {
          const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
          child.kill('SIGKILL')
          await exited
        }),
      )
    },
  }
}

/** Controls the trial's clock, and waits until processes have handled everything due. */
function followClock(world: TestApp, start: Date) {
  const { pool } = world.database
  let at = start.getTime()
  let mark = 0
  return {
    at: () => at,
    async set(ms: number): Promise<void> {
      at += ms
      await pool.query('update trial.clock set at = $1', [new Date(at)])
    },
    /** Waits until a process has handled everything due at this call. */
    async confirm(): Promise<void> {
      mark += 1
      await pool.query('update trial.clock set mark = $1', [mark])
      for (;;) {
        const { rowCount } = await pool.query('select from trial.pass where mark >= $1 limit 1', [mark])
        if (rowCount === 1) return
        await delay(5)
      }
    },
  }
}

interface Trial {
  readonly market: TestMarket
  readonly people: readonly TestPerson[]
  readonly bases: ReadonlyMap<TestPerson, CurrencyCode>
  readonly walks: Map<string, Walk>
  readonly faults: string[]
}

const protections = ['USDT', 'USDC', 'BTC', 'ETH'] as const

/** Plans an order of about thirty dollars, near current rates. */
function planWalk(random: Random, { people, bases }: Trial, values: Values, at: number) {
  const person = random.pick(people)
  const currencies = [bases.get(person) ?? 'USD', ...protections]
  const source = random.pick(currencies)
  const target = random.pick(currencies.filter((code) => code !== source))
  const rates = toRates(values)
  const dollars = BigInt(random.pickInteger(20_000_000, 60_000_000))
  const [up, down] = rates[source] ?? [1n, 1n]
  const amount = (dollars * parseMinor(source, '1') * down) / (up * million)
  const kind = random.rollPercent(65) ? ('limit' as const) : ('stop' as const)
  const now = computeRate(source, target, rates)
  const away = BigInt(random.pickInteger(-2_000, 25_000))
  const rate = kind === 'limit' ? now + (now * away) / million : now - (now * away) / million
  const worst = rate - (rate * BigInt(random.pickInteger(1_000, 12_000))) / million
  return {
    ...{ person, kind, source, target, amount, rate, worst: kind === 'limit' ? rate : worst },
    expiresAt: at + random.pickInteger(1, longestSteps) * stepMs + stepMs / 2,
  }
}

async function placeWalk({ market, walks, faults }: Trial, plan: ReturnType<typeof planWalk>, key: string) {
  const { person, kind, source, target, amount, rate, worst, expiresAt } = plan
  const wanted: NewOrder = {
    ...{ kind, source_currency: source, target_currency: target, amount: formatMinor(source, amount) },
    ...{ rate: rateText(rate), expires_at: new Date(expiresAt).toISOString() },
    ...(kind === 'stop' ? { worst_rate: rateText(worst) } : {}),
  }
  try {
    const { id } = await market.first.orders.place({ caller: callerOf(person), wanted, idempotencyKey: key })
    walks.set(id, { ...plan, id, state: 'open', got: undefined })
  } catch (error) {
    // A person with 50 open orders places another one later.
    if ((error as { code?: string }).code !== 'too_many_orders') faults.push(`not placed: ${String(error)}`)
  }
}

/** Changes or cancels some orders while nothing is due. */
async function changeSome(random: Random, { market, walks, faults }: Trial, key: string): Promise<void> {
  const open = [...walks.values()].filter(({ state }) => state === 'open')
  for (const walk of open) {
    if (!random.rollPercent(3)) continue
    try {
      if (random.rollPercent(50)) {
        await market.first.orders.cancel({ userId: BigInt(walk.person.id), id: walk.id })
        walk.state = 'cancelled'
        continue
      }
      const rate = walk.rate + (walk.rate * BigInt(random.pickInteger(-8_000, 8_000))) / million
      const worst = walk.kind === 'limit' ? rate : rate - (rate * 5_000n) / million
      const amount = walk.amount - (walk.amount * BigInt(random.pickInteger(0, 200_000))) / million
      const terms = { amount: formatMinor(walk.source, amount), rate: rateText(rate) }
      const body = walk.kind === 'limit' ? terms : { ...terms, worst_rate: rateText(worst) }
      await market.first.orders.edit({
        caller: callerOf(walk.person),
        id: walk.id,
        wanted: body,
        idempotencyKey: `${key}${walk.id.slice(12)}`,
      })
      Object.assign(walk, { amount, rate, worst })
    } catch (error) {
      faults.push(`${walk.id} could not be changed: ${String(error)}`)
    }
  }
}

async function compare(world: TestApp, { walks, faults }: Trial): Promise<Record<string, number>> {
  const { rows } = await world.database.pool.query<{ id: string; state: string; got: bigint | null; fills: bigint }>(
    `select o.id, o.state, case when o.state = 'filled' then t.target_amount end as got,
        (select count(*) from ledger.posting p
          where p.reference = o.transaction_id and p.refusal is null
            and exists (select from ledger.token k where k.posting_id = p.id)) as fills
       from exchange_order o join transaction t on t.id = o.transaction_id and t.user_id = o.user_id`,
  )
  const stored = new Map(rows.map((row) => [row.id, row]))
  const outcomes: Record<string, number> = {}
  for (const walk of walks.values()) {
    outcomes[walk.state] = (outcomes[walk.state] ?? 0) + 1
    const row = stored.get(walk.id)
    const got = row?.got ?? undefined
    if (row?.fills !== (walk.state === 'filled' ? 1n : 0n)) faults.push(`${walk.id} was filled ${row?.fills} times`)
    if (row?.state !== walk.state) faults.push(`${walk.id} is ${row?.state} and should be ${walk.state}`)
    else if (got !== walk.got) faults.push(`${walk.id} became ${got} and should be ${walk.got} of ${walk.target}`)
    if (got !== undefined && !isAtLeast(got, walk, walk.kind === 'limit' ? walk.rate : walk.worst)) {
      faults.push(`${walk.id} was filled at a worse rate than it asked for`)
    }
  }
  if (stored.size !== walks.size) faults.push(`${stored.size} orders are stored of ${walks.size}`)
  return outcomes
}

/** Runs the market until every order has been placed and has ended. */
export async function walkMarket(
  world: TestApp,
  people: readonly TestPerson[],
  { seed, walks: most, kills, perStep }: WalkOptions,
): Promise<WalkReport> {
  const random = createRandom('orders', seed)
  const start = world.app.product.now()
  const market = await openMarket(world, start)
  await createTrialClock(world.database.pool, start)
  const clock = followClock(world, start)
  const bases = new Map<TestPerson, CurrencyCode>()
  for (const person of people) bases.set(person, (await person.wallet()).base_currency)
  const trial: Trial = { market, people, bases, walks: new Map(), faults: [] }
  const fillers = startFillers(world, {
    ...process.env,
    PORT: new URL(world.url).port,
    ...{ SANDBOX_URL: world.sandboxUrl, SANDBOX_SECRET: world.sandboxSecret, TERN_SECRET: world.secret },
  })
  const values: Values = new Map(startValues.filter(([code]) => currencyCodes.includes(code)))
  const steps = Math.ceil(most / perStep) + longestSteps + 2
  let placed = 0
  let killed = 0
  try {
    for (let step = 0; step < steps; step += 1) {
      const isFresh = !random.rollPercent(7)
      if (isFresh) walkOn(values, random)
      const ms = isFresh ? stepMs : staleMs
      market.wait(ms)
      await clock.set(ms)
      if (isFresh) await market.set(toMarket(values))
      const rates = toRates(values)
      const moment = () => ({ rates, at: clock.at(), isFresh })
      judge(trial.walks.values(), moment())
      // Kills at a random point while this step is processed.
      const isKilling = killed < Math.min(kills, Math.floor(((step + 1) * kills) / (steps - longestSteps)))
      const killing = isKilling
        ? delay(random.pickInteger(0, 120)).then(() => fillers.kill(random.pickInteger(0, 1)))
        : Promise.resolve(false)
      await Promise.all([clock.confirm(), killing])
      if (isKilling) killed += 1
      await changeSome(random, trial, `${String(step).padStart(8, '0')}-000`)
      const plans = Array.from({ length: Math.min(perStep, most - placed) }, () =>
        planWalk(random, trial, values, clock.at()),
      )
      placed += plans.length
      const keys = plans.map(
        (_, index) => `${String(step).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`,
      )
      await Promise.all(plans.map((plan, index) => placeWalk(trial, plan, keys[index] ?? '')))
      judge(trial.walks.values(), moment())
      await clock.confirm()
    }
    const outcomes = await compare(world, trial)
    const { faults } = trial
    if (fillers.said.length > 0) faults.push(`a process said: ${fillers.said.join('').slice(0, 2000)}`)
    return { walks: trial.walks.size, kills: killed, steps, outcomes, faults: faults.slice(0, mostFaults) }
  } finally {
    await fillers.end()
    await market.close()
  }
}
