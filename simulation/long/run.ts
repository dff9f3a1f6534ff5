import { once } from 'node:events'
import { sendMoney } from '@tern/contract/transfers'
import { type Actor, createActor } from '../harness/actor.ts'
import { perform } from '../movements.ts'
import { createOrderBook, createOrderWatch, type OrderBook, type OrderWatch } from '../oracle/orders.ts'
import { formatMinor } from '../oracle/pricing.ts'
import { each, registerPeople, residences } from '../harness/people.ts'
import { type Habits, deriveKey, planMovement, type PlannedMovement, listRecipients } from '../plan.ts'
import { createRandom } from '../random.ts'
import { awaitQuiescence } from '../run.ts'
import { checkRun } from '../harness/assertions.ts'
import type { Answer, World } from '../harness/world.ts'
import { type FaultPlan, planFaults, victims } from './faults.ts'
import { type Harness, startHarness } from './harness.ts'
import { createInjector, type Injector } from './injector.ts'

export interface LongRunOptions extends FaultPlan {
  readonly signal: AbortSignal
  readonly say: (sentence: string) => void
}

export interface LongRunReport {
  /** Violations as sentences; empty if sound. */
  readonly faults: readonly string[]
  readonly seconds: number
  readonly killingSeconds: number
  readonly kills: Readonly<Record<string, number>>
  /** Movements by kind and final response. */
  readonly movements: Readonly<Record<string, number>>
  /** Orders by kind: accepted, refused, undecided, and resends. */
  readonly orders: Readonly<Record<string, number>>
  /** All responses to orders, including late and undecided ones. */
  readonly answers: Readonly<Record<string, number>>
  readonly outcomes: Readonly<Record<string, number>>
  /** Number of processes that exited on their own, for example without a database. */
  readonly endedByThemselves: number
  readonly logged: Readonly<Record<string, number>>
}

const habits: Habits = {
  kinds: {
    wallet_send: 20,
    quoted_send: 10,
    exchange: 14,
    crypto_send: 11,
    overdraft: 8,
    quote_twice: 4,
    card_deposit: 11,
    converted_deposit: 3,
    bank_deposit: 5,
    withdrawal: 7,
    card_send: 4,
    bank_send: 3,
  },
  lowBalanceKinds: { card_deposit: 20, partial_send: 50, wallet_send: 15, withdrawal: 8, exchange: 7 },
  payerActs: {
    pays: 70,
    declined_then_pays: 5,
    cancels: 4,
    canceled_then_captured: 5,
    leaves: 4,
    late: 5,
    disputes: 4,
    refunded: 3,
  },
  amountMinor: (number) => 500 + (number % 1500),
  // A few recipients each, first paid more than a day before.
  recipients: [1, 2, 5],
}

// People retry before a hung process responds, some almost at once, and still receive its response.
const calls = { timeoutMs: 30_000, longestPauseMs: 2500 }
const patienceMs = 4000
const hastyPercent = 15
const hastyMs = { least: 2, most: 120 }
const peopleCount = 30
const firstDepositMinor = 60_000
const lanes = 12
const progressPerKill = 4
const killsPerClockMove = 25
const hourMs = 3_600_000
const killsPerSentence = 20

/**
 * Runs one slice of a long run: kills processes while people move money, waits until no work is pending, and checks the
 * result. Throws with a diagnosis if progress stops.
 */
export async function runLong(options: LongRunOptions): Promise<LongRunReport> {
  const { signal } = options
  const harness = await startHarness(buildSeed(options))
  const orders = createOrderBook()
  const injector = createInjector(harness, orders.accepted, progressPerKill)
  const aborted = once(signal, 'abort').then(() => {
    throw new Error('The run was stopped.')
  })
  try {
    return await Promise.race([runOn(harness, { orders, injector, options }), aborted])
  } finally {
    injector.thaw()
    await harness.close()
  }
}

const buildSeed = ({ seed, slice, slices }: FaultPlan): string => `${seed} ${slice}/${slices}`

async function runOn(
  harness: Harness,
  { orders, injector, options }: { orders: OrderBook; injector: Injector; options: LongRunOptions },
): Promise<LongRunReport> {
  const { say } = options
  const startedAt = Date.now()
  const seed = buildSeed(options)
  const watch = createOrderWatch(orders)
  await harness.becomeReady()
  const people = await registerAll(harness, { seed, orders, watch })
  say(`${peopleCount} people know one another after ${secondsSince(startedAt)} s`)
  const { sandboxUrl, sandboxSecret } = harness
  const world = { seed, people, orders, sandboxUrl, sandboxSecret }
  const acting = act(world, seed)
  const killingSince = Date.now()
  harness.events.disturb(true)
  await killAll({ harness, injector, acting, orders, options })
  const killingSeconds = secondsSince(killingSince)
  harness.events.disturb(false)
  injector.thaw()
  await acting.end()
  await watch.quiet()
  say(`${orders.accepted()} movements were accepted, the last after ${secondsSince(startedAt)} s; coming to rest`)
  const assertions = await judgeAtRest(harness, { orders, ...acting })
  say(`judged after ${secondsSince(startedAt)} s`)
  const faults = [...acting.errors, ...assertions.faults, ...(await healthFaults(harness))]
  return {
    faults,
    seconds: secondsSince(startedAt),
    killingSeconds,
    kills: Object.fromEntries(injector.counts),
    movements: tally(acting.planned, acting.answers),
    orders: tallyOrders(orders, watch),
    answers: Object.fromEntries(watch.counts),
    outcomes: assertions.byOutcome,
    endedByThemselves: victims.reduce(
      (sum, victim) => sum + harness.processes[victim].deaths() - (injector.killed.get(victim) ?? 0),
      0,
    ),
    logged: harness.loggedErrors(),
  }
}

const secondsSince = (at: number): number => Math.round((Date.now() - at) / 1000) // not money: seconds

interface Gathered {
  readonly seed: string
  readonly orders: OrderBook
  readonly watch: OrderWatch
}

/** Registers people of three countries who each paid their few recipients more than a day ago. */
async function registerAll(harness: Harness, { seed, orders, watch }: Gathered): Promise<Actor[]> {
  const { urls, sandboxUrl } = harness
  const people = await harness.withOperator((operator) =>
    registerPeople(
      { url: urls[0], sandboxUrl, operator },
      {
        seed,
        count: peopleCount,
        residences,
        firstDepositMinor,
        orders,
        createActor(person, currency) {
          const random = createRandom(seed, 'patience', person.id)
          const patience = () => (random.chance(hastyPercent) ? random.whole(hastyMs.least, hastyMs.most) : patienceMs)
          return createActor(urls, person, currency, { ...calls, ...watch, patienceMs: patience })
        },
      },
    ),
  )
  const first = people.flatMap((_, who) => listRecipients(who, peopleCount, habits).map((toWhom) => ({ who, toWhom })))
  await each(first, lanes, async ({ who, toWhom }, index) => {
    const [sender, recipient] = [people[who] as Actor, people[toWhom] as Actor]
    const idempotencyKey = deriveKey(seed, index, 'acquaintance')
    const source = 200n
    const [sourceCurrency, targetCurrency] = [sender.currency, recipient.currency]
    const [userId, recipientId] = [sender.person.id, recipient.person.id]
    const order = { kind: 'wallet_send', key: idempotencyKey, userId, recipientId } as const
    orders.note({ ...order, sourceCurrency, source, targetCurrency, viaStablecoin: true })
    const amount = formatMinor(sourceCurrency, source)
    const body = { recipient_id: recipientId, amount, source_currency: sourceCurrency }
    await sender.call(sendMoney, { body, idempotencyKey })
  })
  await harness.moveClock(25 * hourMs)
  return people
}

interface Acting {
  readonly planned: readonly PlannedMovement[]
  readonly answers: ReadonlyMap<number, Answer>
  readonly errors: readonly string[]
  /** Starts no further movements and waits for pending ones. */
  end(): Promise<void>
}

/** Moves money concurrently until `end` is called. */
function act(world: World, seed: string): Acting {
  const planned: PlannedMovement[] = []
  const answers = new Map<number, Answer>()
  const errors: string[] = []
  let isOver = false
  const working = Array.from({ length: lanes }, async () => {
    while (!isOver) {
      const movement = planMovement(seed, planned.length, peopleCount, habits)
      planned.push(movement)
      try {
        answers.set(movement.number, await perform(movement, world))
      } catch (error) {
        errors.push(`movement ${movement.number} (${movement.kind}) ended with ${String(error)}`)
      }
    }
  })
  return {
    planned,
    answers,
    errors,
    async end() {
      isOver = true
      await Promise.all(working)
    },
  }
}

interface Killing {
  readonly harness: Harness
  readonly injector: Injector
  readonly acting: Acting
  readonly orders: OrderBook
  readonly options: LongRunOptions
}

async function killAll({ harness, injector, acting, orders, options }: Killing): Promise<void> {
  const { say, seed, slice } = options
  const plan = planFaults(options)
  const since = Date.now()
  for (const [index, fault] of plan.entries()) {
    await injector.strike(fault)
    const done = index + 1
    if (done % killsPerClockMove === 0) {
      await harness.moveClock(createRandom(seed, 'pause', slice, index).whole(3, 30) * hourMs)
    }
    if (done % killsPerSentence === 0 || done === plan.length) {
      const perMinute = (done * 60_000) / (Date.now() - since)
      say(
        `${done} of ${plan.length} kills, ${perMinute.toFixed(1)} a minute; ${orders.accepted()} movements accepted, ${acting.errors.length} errors`,
      )
    }
  }
}

async function judgeAtRest(harness: Harness, evidence: { orders: OrderBook } & Pick<Acting, 'planned' | 'answers'>) {
  await harness.becomeReady()
  return harness.withOperator(async (operator) => {
    await awaitQuiescence({
      operator,
      events: harness.events,
      calm: () => {},
      becomeReady: harness.becomeReady,
      async moveClock(byMs) {
        await harness.moveClock(byMs)
        await operator.providers.sandboxClock?.sync()
        await operator.exchange.refreshRates()
      },
    })
    return checkRun({ operator, sandboxUrl: harness.sandboxUrl }, evidence)
  })
}

/**
 * Matches the beginning of each message in the database's log; a message continues with details, context and statement.
 */
const nextMessage = /^(?=[\d: .-]+\S+ \[\d+\] (?:LOG|WARNING|ERROR|FATAL|PANIC):)/m

/** Checks that all processes are up and that the database had no deadlock. */
async function healthFaults(harness: Harness): Promise<string[]> {
  const down = await harness.becomeReady().then(
    (): string[] => [],
    (error: Error) => [error.message],
  )
  // A crash resets the server's counters, but not its log.
  const messages = harness.databaseLog().split(nextMessage)
  const deadlocks = messages.filter((message) => message.includes('deadlock detected'))
  const shown = deadlocks.slice(0, 3).join('\n')
  return [...down, ...(deadlocks.length === 0 ? [] : [`${deadlocks.length} deadlocks, such as\n${shown}`])]
}

/** Counts movements by kind and result: begun, or refused by code. */
function tally(planned: readonly PlannedMovement[], answers: ReadonlyMap<number, Answer>): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { kind, number } of planned) {
    const answer = answers.get(number)
    const what = `${kind}, ${answer?.status === 'refused' ? `refused: ${answer.code}` : (answer?.status ?? 'error')}`
    sums[what] = (sums[what] ?? 0) + 1
  }
  return sums
}

function tallyOrders(orders: OrderBook, { attempts }: OrderWatch): Record<string, number> {
  const sums: Record<string, number> = {}
  const count = (what: string, by = 1) => (sums[what] = (sums[what] ?? 0) + by)
  for (const { order, answers } of orders.entries()) {
    const isAccepted = answers.some(({ status }) => status === 'accepted')
    count(`${order.kind}, ${isAccepted ? 'accepted' : answers.length > 0 ? 'refused' : 'unresolved'}`)
    count(`${order.kind}, sent again`, Math.max(0, (attempts.get(order.key) ?? 0) - 1))
  }
  return sums
}
