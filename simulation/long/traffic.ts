// People who move money during a long run, and the check of their books afterwards.

import { sendMoney } from '@tern/contract/transfers'
import { type Actor, createActor } from '../harness/actor.ts'
import { performMovement } from '../movements.ts'
import type { OrderBook, OrderWatch } from '../oracle/orders.ts'
import { formatMinor } from '../oracle/pricing.ts'
import { forEachConcurrently, registerPeople, residences } from '../harness/people.ts'
import { type MovementMix, deriveKey, planMovement, type PlannedMovement, listRecipients } from '../plan.ts'
import { createRandom } from '../random.ts'
import { awaitQuiescence } from '../run.ts'
import { checkRun } from '../harness/assertions.ts'
import type { Answer, World } from '../harness/world.ts'
import type { Harness } from './harness.ts'

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
const firstDepositMinor = 60_000
const registrationConcurrency = 12
const hourMs = 3_600_000

interface RegistrationContext {
  readonly seed: string
  readonly orders: OrderBook
  readonly watch: OrderWatch
  readonly count: number
}

/** Registers people of three countries, each of whom has paid a few recipients more than a day ago. */
export async function registerAll(
  harness: Harness,
  { seed, orders, watch, count }: RegistrationContext,
): Promise<Actor[]> {
  const { urls, sandboxUrl } = harness
  const people = await harness.withOperator((operator) =>
    registerPeople(
      { url: urls[0], sandboxUrl, operator },
      {
        seed,
        count,
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
    listRecipients(senderIndex, count, movementMix).map((recipientIndex) => ({ senderIndex, recipientIndex })),
  )
  await forEachConcurrently(firstSends, registrationConcurrency, async ({ senderIndex, recipientIndex }, index) => {
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

export interface Traffic {
  readonly planned: readonly PlannedMovement[]
  readonly answers: ReadonlyMap<number, Answer>
  readonly errors: readonly string[]
  /** Starts no further movements and waits for pending ones. */
  end(): Promise<void>
}

/** Makes `concurrency` movements at a time until `end` is called. */
export function startTraffic(world: World, seed: string, concurrency: number): Traffic {
  const planned: PlannedMovement[] = []
  const answers = new Map<number, Answer>()
  const errors: string[] = []
  let isStopped = false
  const workers = Array.from({ length: concurrency }, async () => {
    while (!isStopped) {
      const movement = planMovement(seed, planned.length, world.people.length, movementMix)
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

/** Lets pending work end, then checks the books against the orders. */
export async function checkAfterQuiescence(
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

/** Counts movements by kind and result: begun, refused by code, or error. */
export function countMovements(
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
