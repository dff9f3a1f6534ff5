import { once } from 'node:events'
import { createOrderBook, createOrderWatch, type OrderBook, type OrderWatch } from '../oracle/orders.ts'
import { createRandom } from '../random.ts'
import { type FaultPlan, planFaults, victims } from './faults.ts'
import { type Harness, startHarness } from './harness.ts'
import { createInjector, type Injector } from './injector.ts'
import { checkAfterQuiescence, countMovements, registerAll, startTraffic, type Traffic } from './traffic.ts'

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

const peopleCount = 30
const concurrency = 12
const progressPerKill = 4
const killsPerClockMove = 25
const killsPerReport = 20
const hourMs = 3_600_000

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
  const people = await registerAll(harness, { seed, orders, watch, count: peopleCount })
  print(`${peopleCount} people know one another after ${computeSecondsSince(startedAt)} s`)
  const { sandboxUrl, sandboxSecret } = harness
  const world = { seed, people, orders, sandboxUrl, sandboxSecret }
  const traffic = startTraffic(world, seed, concurrency)
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
