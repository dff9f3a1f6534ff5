// Checks the books against the orders: nothing is lost, duplicated, or moved after a refusal, and balances and limit
// usage match an independent computation.

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
  const pickPeople = (sums: ReadonlyMap<string, bigint>) =>
    new Map([...sums].filter(([key]) => people.has(key.split(' ')[0] ?? '')))
  return [
    ...findings,
    ...findReusedQuotes(outcomes, books),
    ...expected.findings,
    ...listDifferences('balance', expected.balances, pickPeople(books.balances)),
    ...listDifferences('usage', expected.usage, pickPeople(books.usage)),
    ...listDifferences('counted movements', expected.countedMovements, pickPeople(books.countedMovements)),
  ]
}

/** Returns a violation for each quote that moved money more than once. */
function findReusedQuotes(outcomes: ReturnType<typeof determineOutcomes>['outcomes'], books: Books): string[] {
  const quotedOutcomes = outcomes.filter(({ order, stored, row }) => {
    if (order.quoteId === undefined) return false
    const isCompleted = stored && (stored.status === 'completed' || stored.status === 'reversed')
    return stored ? isCompleted && (books.lines.get(stored.id)?.length ?? 0) > 0 : row !== undefined
  })
  return [...Map.groupBy(quotedOutcomes, ({ order }) => order.quoteId)]
    .filter(([, uses]) => uses.length > 1)
    .map(
      ([quote, uses]) =>
        `quote used twice: ${quote} by ${uses.map(({ order }) => `${order.kind} ${order.key}`).join(' and ')}`,
    )
}

function listDifferences(
  measure: 'balance' | 'usage' | 'counted movements',
  expected: ReadonlyMap<string, bigint>,
  actual: ReadonlyMap<string, bigint>,
): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
    const [expectedValue, actualValue] = [expected.get(key) ?? 0n, actual.get(key) ?? 0n]
    return expectedValue === actualValue ? [] : [`${measure}: ${key} is ${actualValue}, must be ${expectedValue}`]
  })
}
