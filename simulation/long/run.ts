import { once } from 'node:events'
import { sendMoney } from '@tern/contract/transfers'
import { type Actor, createActor } from '../harness/actor.ts'
import { performMovement } from '../movements.ts'
import { createOrderBook, createOrderWatch, type OrderBook, type OrderWatch } from '../oracle/orders.ts'
import { formatMinor } from '../oracle/pricing.ts'
import { forEachConcurrently, registerPeople, residences } from '../harness/people.ts'
import { type MovementMix, deriveKey, planMovement, type PlannedMovement, listRecipients } from '../plan.ts'
import { createRandom } from '../random.ts'
import { awaitQuiescence } from '../run.ts'
import { checkRun } from '../harness/assertions.ts'
import type { Answer, World } from '../harness/world.ts'
import { type FaultPlan, planFaults, victims } from './faults.ts'
import { type Harness, startHarness } from './harness.ts'
import { createInjector, type Injector } from './injector.ts'

export interface LongRunOptions extends FaultPlan {
  readonly signal: AbortSignal
  readonly print: (sentence: string) => void
}

export interface LongRunReport {
  /** Violations as sentences; empty if sound. */
  readonly faults: readonly string[]
  readonly seconds: number
  readonly killSeconds: number
  readonly kills: Readonly<Record<string, number>>
  /** Movements by kind and final response. */
  readonly movements: Readonly<Record<string, number>>
  /** Number of orders by kind and result, and of resends. */
  readonly orders: Readonly<Record<string, number>>
  /** Number of responses to orders by kind, including late and undecided ones. */
  readonly answers: Readonly<Record<string, number>>
  readonly outcomes: Readonly<Record<string, number>>
  /** Number of processes that exited on their own, for example without a database. */
  readonly unexpectedExits: number
  readonly logged: Readonly<Record<string, number>>
}

const movementMix: MovementMix = {
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
  payerActions: {
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
  // Each person has a few recipients, first paid more than a day before.
  recipients: [1, 2, 5],
}

// People repeat a call, some almost at once, before a hung process responds; its late response is recorded too.
const calls = { timeoutMs: 30_000, maxPauseMs: 2500 }
const defaultRepeatAfterMs = 4000
const quickRepeatPercent = 15
const quickRepeatMs = { min: 2, max: 120 }
const peopleCount = 30
const firstDepositMinor = 60_000
const concurrency = 12
const progressPerKill = 4
const killsPerClockMove = 25
const hourMs = 3_600_000
const killsPerReport = 20

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
    return await Promise.race([runWithHarness(harness, { orders, injector, options }), aborted])
  } finally {
    injector.resumeFrozen()
    await harness.close()
  }
}

const buildSeed = ({ seed, slice, slices }: FaultPlan): string => `${seed} ${slice}/${slices}`

async function runWithHarness(
  harness: Harness,
  { orders, injector, options }: { orders: OrderBook; injector: Injector; options: LongRunOptions },
): Promise<LongRunReport> {
  const { print } = options
  const startedAt = Date.now()
  const seed = buildSeed(options)
  const watch = createOrderWatch(orders)
  await harness.waitUntilReady()
  const people = await registerAll(harness, { seed, orders, watch })
  print(`${peopleCount} people know one another after ${computeSecondsSince(startedAt)} s`)
  const { sandboxUrl, sandboxSecret } = harness
  const world = { seed, people, orders, sandboxUrl, sandboxSecret }
  const traffic = startTraffic(world, seed)
  const killsStartedAt = Date.now()
  harness.events.setFaultsEnabled(true)
  await runFaultPlan({ harness, injector, traffic, orders, options })
  const killSeconds = computeSecondsSince(killsStartedAt)
  harness.events.setFaultsEnabled(false)
  injector.resumeFrozen()
  await traffic.end()
  await watch.drain()
  print(
    `${orders.accepted()} movements were accepted, the last after ${computeSecondsSince(startedAt)} s; coming to rest`,
  )
  const assertions = await checkAfterQuiescence(harness, { orders, ...traffic })
  print(`judged after ${computeSecondsSince(startedAt)} s`)
  const faults = [...traffic.errors, ...assertions.faults, ...(await findHealthFaults(harness))]
  return {
    faults,
    seconds: computeSecondsSince(startedAt),
    killSeconds,
    kills: Object.fromEntries(injector.counts),
    movements: countMovements(traffic.planned, traffic.answers),
    orders: countOrders(orders, watch),
    answers: Object.fromEntries(watch.counts),
    outcomes: assertions.outcomeCounts,
    unexpectedExits: victims.reduce(
      (sum, victim) => sum + harness.processes[victim].deaths() - (injector.killCounts.get(victim) ?? 0),
      0,
    ),
    logged: harness.loggedErrors(),
  }
}

const computeSecondsSince = (at: number): number => Math.round((Date.now() - at) / 1000) // not money: seconds

interface RegistrationContext {
  readonly seed: string
  readonly orders: OrderBook
  readonly watch: OrderWatch
}

/** Registers people of three countries, each of whom has paid a few recipients more than a day ago. */
async function registerAll(harness: Harness, { seed, orders, watch }: RegistrationContext): Promise<Actor[]> {
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
          const repeatAfterMs = () =>
            random.rollPercent(quickRepeatPercent)
              ? random.pickInteger(quickRepeatMs.min, quickRepeatMs.max)
              : defaultRepeatAfterMs
          return createActor(urls, person, currency, { ...calls, ...watch, repeatAfterMs })
        },
      },
    ),
  )
  const firstSends = people.flatMap((_, senderIndex) =>
    listRecipients(senderIndex, peopleCount, movementMix).map((recipientIndex) => ({ senderIndex, recipientIndex })),
  )
  await forEachConcurrently(firstSends, concurrency, async ({ senderIndex, recipientIndex }, index) => {
    const [sender, recipient] = [people[senderIndex] as Actor, people[recipientIndex] as Actor]
    const idempotencyKey = deriveKey(seed, index, 'acquaintance')
    const source = 200n
    const [sourceCurrency, targetCurrency] = [sender.currency, recipient.currency]
    const [userId, recipientId] = [sender.person.id, recipient.person.id]
    const order = { kind: 'wallet_send', key: idempotencyKey, userId, recipientId } as const
    orders.record({ ...order, sourceCurrency, source, targetCurrency, viaStablecoin: true })
    const amount = formatMinor(sourceCurrency, source)
    const body = { recipient_id: recipientId, amount, source_currency: sourceCurrency }
    await sender.call(sendMoney, { body, idempotencyKey })
  })
  await harness.advanceClock(25 * hourMs)
  return people
}

interface Traffic {
  readonly planned: readonly PlannedMovement[]
  readonly answers: ReadonlyMap<number, Answer>
  readonly errors: readonly string[]
  /** Starts no further movements and waits for pending ones. */
  end(): Promise<void>
}

/** Moves money concurrently until `end` is called. */
function startTraffic(world: World, seed: string): Traffic {
  const planned: PlannedMovement[] = []
  const answers = new Map<number, Answer>()
  const errors: string[] = []
  let isStopped = false
  const workers = Array.from({ length: concurrency }, async () => {
    while (!isStopped) {
      const movement = planMovement(seed, planned.length, peopleCount, movementMix)
      planned.push(movement)
      try {
        answers.set(movement.number, await performMovement(movement, world))
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
      isStopped = true
      await Promise.all(workers)
    },
  }
}

interface FaultRunOptions {
  readonly harness: Harness
  readonly injector: Injector
  readonly traffic: Traffic
  readonly orders: OrderBook
  readonly options: LongRunOptions
}

async function runFaultPlan({ harness, injector, traffic, orders, options }: FaultRunOptions): Promise<void> {
  const { print, seed, slice } = options
  const plan = planFaults(options)
  const startedAt = Date.now()
  for (const [index, fault] of plan.entries()) {
    await injector.injectFault(fault)
    const killCount = index + 1
    if (killCount % killsPerClockMove === 0) {
      await harness.advanceClock(createRandom(seed, 'pause', slice, index).pickInteger(3, 30) * hourMs)
    }
    if (killCount % killsPerReport === 0 || killCount === plan.length) {
      const perMinute = (killCount * 60_000) / (Date.now() - startedAt)
      print(
        `${killCount} of ${plan.length} kills, ${perMinute.toFixed(1)} a minute; ${orders.accepted()} movements accepted, ${traffic.errors.length} errors`,
      )
    }
  }
}

async function checkAfterQuiescence(
  harness: Harness,
  evidence: { orders: OrderBook } & Pick<Traffic, 'planned' | 'answers'>,
) {
  await harness.waitUntilReady()
  return harness.withOperator(async (operator) => {
    await awaitQuiescence({
      operator,
      events: harness.events,
      disableFaults: () => {},
      waitUntilReady: harness.waitUntilReady,
      async advanceClock(byMs) {
        await harness.advanceClock(byMs)
        await operator.providers.sandboxClock?.sync()
        await operator.exchange.refreshRates()
      },
    })
    return checkRun({ operator, sandboxUrl: harness.sandboxUrl }, evidence)
  })
}

/**
 * Matches the start of a message in the database's log; lines with details, context and statement belong to it.
 */
const nextMessage = /^(?=[\d: .-]+\S+ \[\d+\] (?:LOG|WARNING|ERROR|FATAL|PANIC):)/m

/** Checks that all processes are up and that the database had no deadlock. */
async function findHealthFaults(harness: Harness): Promise<string[]> {
  const unready = await harness.waitUntilReady().then(
    (): string[] => [],
    (error: Error) => [error.message],
  )
  // A crash resets the server's counters, but not its log.
  const messages = harness.databaseLog().split(nextMessage)
  const deadlocks = messages.filter((message) => message.includes('deadlock detected'))
  const examples = deadlocks.slice(0, 3).join('\n')
  return [...unready, ...(deadlocks.length === 0 ? [] : [`${deadlocks.length} deadlocks, such as\n${examples}`])]
}

/** Counts movements by kind and result: begun, refused by code, or error. */
function countMovements(
  planned: readonly PlannedMovement[],
  answers: ReadonlyMap<number, Answer>,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, number } of planned) {
    const answer = answers.get(number)
    const key = `${kind}, ${answer?.status === 'refused' ? `refused: ${answer.code}` : (answer?.status ?? 'error')}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

function countOrders(orders: OrderBook, { attempts }: OrderWatch): Record<string, number> {
  const counts: Record<string, number> = {}
  const count = (key: string, increment = 1) => (counts[key] = (counts[key] ?? 0) + increment)
  for (const { order, answers } of orders.entries()) {
    const isAccepted = answers.some(({ status }) => status === 'accepted')
    count(`${order.kind}, ${isAccepted ? 'accepted' : answers.length > 0 ? 'refused' : 'unresolved'}`)
    count(`${order.kind}, sent again`, Math.max(0, (attempts.get(order.key) ?? 0) - 1))
  }
  return counts
}
