import { setTimeout as delay } from 'node:timers/promises'
import { performMovement } from './movements.ts'
import { createActor, simulationBehavior } from './harness/actor.ts'
import { createOrderBook, createOrderWatch } from './oracle/orders.ts'
import { forEachConcurrently, registerPeople, residences } from './harness/people.ts'
import { planMovements } from './plan.ts'
import { createRandom } from './random.ts'
import { type Harness, startHarness } from './harness/harness.ts'
import { checkRun, type Assertions } from './harness/assertions.ts'
import type { Answer } from './harness/world.ts'

export interface RunOptions {
  readonly seed: string
  readonly movements: number
  readonly print: (sentence: string) => void
}

export interface RunReport extends Assertions {
  readonly kills: number
  readonly calls: ReadonlyMap<string, number>
  readonly events: ReadonlyMap<string, number>
}

// Stays below the product's limit of thirty payments a minute.
const movementsPerPerson = 24
const firstDepositMinor = 4000
const rounds = 8
const concurrency = 12
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const maxQuietDays = 60

/**
 * Moves money in and out while calls and events fail and the product is killed, then waits until no work is pending and
 * checks the result. The seed determines actions and faults; timing determines which planned kills happen.
 */
export async function runSimulation({ seed, movements, print }: RunOptions): Promise<RunReport> {
  const harness = await startHarness(seed)
  try {
    await harness.waitUntilReady()
    const peopleCount = Math.max(6, Math.ceil(movements / movementsPerPerson)) // not money: a count of people
    const orders = createOrderBook()
    const watch = createOrderWatch(orders)
    const people = await registerPeople(harness, {
      seed,
      count: peopleCount,
      residences: residences.slice(0, 2),
      firstDepositMinor,
      orders,
      createActor: (person, currency) =>
        createActor([harness.url], person, currency, { ...simulationBehavior, ...watch }),
    })
    const { sandboxUrl, sandboxSecret } = harness
    const world = { seed, people, orders, sandboxUrl, sandboxSecret }
    print(`${peopleCount} people are there`)
    harness.enableFaults()
    const planned = planMovements(seed, movements, peopleCount)
    const answers = new Map<number, Answer>()
    const movementsPerRound = Math.ceil(movements / rounds) // not money: a count of movements
    for (let round = 0; round < rounds; round += 1) {
      await forEachConcurrently(
        planned.slice(round * movementsPerRound, (round + 1) * movementsPerRound),
        concurrency,
        async (movement) => {
          answers.set(movement.number, await performMovement(movement, world))
        },
      )
      const hours = createRandom(seed, 'pause', round).pickInteger(1, 72)
      await harness.advanceClock(hours * hourMs)
      await harness.operator.payments.checkPending(afterNextPoll(harness))
      await reviewHeldTransfers(harness.operator)
      print(
        `round ${round + 1} of ${rounds}: ${answers.size} movements, ${harness.kills()} kills, then ${hours} hours pass`,
      )
    }
    const days = await awaitQuiescence(harness)
    print(`at rest after ${days} days`)
    await watch.drain()
    const assertions = await checkRun(harness, { planned, answers, orders })
    return { ...assertions, kills: harness.kills(), calls: harness.calls.counts, events: harness.events.counts }
  } finally {
    await harness.close()
  }
}

/** Settles or rejects two of three transfers awaiting review, as an operator. */
async function reviewHeldTransfers({ heldTransfers }: Harness['operator']): Promise<void> {
  const operator = { name: 'operator', note: 'By the amount.' }
  for (const { id, hold_reason: reason, amount_minor: amount } of await heldTransfers.list()) {
    const choice = amount % 3n
    if (reason !== 'review' || choice === 0n) continue
    // Fails if another decision has been made meanwhile.
    await heldTransfers
      .decideForOperator({ operator, id, decision: choice === 1n ? 'settle' : 'reject' })
      .catch(() => undefined)
  }
}

/** Returns a time a second from now, so that polls due now are included. */
const afterNextPoll = (harness: Pick<Harness, 'operator'>) => new Date(harness.operator.now().getTime() + 1000)

/**
 * Advances the clock by days, without faults, until nothing was pending for 14 days or 60 have passed; returns the
 * days.
 */
export async function awaitQuiescence(
  harness: Pick<Harness, 'operator' | 'events' | 'disableFaults' | 'waitUntilReady' | 'advanceClock'>,
): Promise<number> {
  const { operator, events } = harness
  harness.disableFaults()
  await harness.waitUntilReady()
  let quietDays = 0
  for (let day = 1; day <= maxQuietDays; day += 1) {
    await harness.advanceClock(dayMs)
    // Lets the provider post and send due events.
    await delay(100)
    await events.drain()
    await operator.payments.checkPending(afterNextPoll(harness))
    await operator.heldTransfers.endDue()
    const { rows } = await operator.pool.query(
      `select from payment where status = 'pending' union all select from payout where status = 'pending'
       union all select from transfer where state = 'held' limit 1`,
    )
    quietDays = rows.length === 0 ? quietDays + 1 : 0
    // Long enough for banks to return orders already paid.
    if (quietDays >= 14) {
      await operator.payments.reconcile()
      return day
    }
  }
  return maxQuietDays
}
