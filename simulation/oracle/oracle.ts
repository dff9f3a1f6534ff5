// Judges the books by the orders: nothing is lost, duplicated, or moved after a refusal, and balances and limit usage
// match an independent computation.

import type { Books } from './books.ts'
import { computeExpectations } from './expectations.ts'
import type { OrderBook } from './orders.ts'
import { determineOutcomes } from './outcomes.ts'
import type { Rates } from './pricing.ts'

/** Returns violations as sentences that begin with their kind; empty if sound. */
export function findViolations(orders: OrderBook, books: Books, rates: Rates): string[] {
  const { outcomes, findings } = determineOutcomes(orders.entries(), books)
  const expected = computeExpectations(outcomes, books, rates)
  const people = new Set(outcomes.flatMap(({ order }) => [String(order.userId), String(order.recipientId)]))
  const ofPeople = (sums: ReadonlyMap<string, bigint>) =>
    new Map([...sums].filter(([key]) => people.has(key.split(' ')[0] ?? '')))
  return [
    ...findings,
    ...usedTwice(outcomes, books),
    ...expected.findings,
    ...differences('balance', expected.balances, ofPeople(books.balances)),
    ...differences('usage', expected.usage, ofPeople(books.usage)),
    ...differences('counted movements', expected.countedMovements, ofPeople(books.countedMovements)),
  ]
}

/** Checks that each quote moved money at most once, regardless of who used it. */
function usedTwice(outcomes: ReturnType<typeof determineOutcomes>['outcomes'], books: Books): string[] {
  const used = outcomes.filter(({ order, stored, row }) => {
    if (order.quoteId === undefined) return false
    const isKept = stored && (stored.status === 'completed' || stored.status === 'reversed')
    return stored ? isKept && (books.lines.get(stored.id)?.length ?? 0) > 0 : row !== undefined
  })
  return [...Map.groupBy(used, ({ order }) => order.quoteId)]
    .filter(([, by]) => by.length > 1)
    .map(
      ([quote, by]) =>
        `quote used twice: ${quote} by ${by.map(({ order }) => `${order.kind} ${order.key}`).join(' and ')}`,
    )
}

function differences(
  what: 'balance' | 'usage' | 'counted movements',
  expected: ReadonlyMap<string, bigint>,
  actual: ReadonlyMap<string, bigint>,
): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
    const [must, is] = [expected.get(key) ?? 0n, actual.get(key) ?? 0n]
    return must === is ? [] : [`${what}: ${key} is ${is}, must be ${must}`]
  })
}
