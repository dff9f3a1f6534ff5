// Determines the outcome of each order, and contradictions between its responses and the books.

import { derivedId } from '../../packages/server/src/platform/ids.ts'
import type { Books, StoredPayment, StoredTransaction } from './books.ts'
import type { Order, OrderAnswer, OrderBook } from './orders.ts'

/** Order with the book entries under its key. */
export interface Outcome {
  readonly order: Order
  /** Payment or payout; undefined for immediate movements and orders never begun. */
  readonly stored: StoredPayment | undefined
  readonly row: StoredTransaction | undefined
  readonly received: StoredTransaction | undefined
}

type Entry = ReturnType<OrderBook['entries']>[number]

const rowKey = (userId: bigint | number, id: string): string => `${userId} ${id}`

/** Determines each order's outcome. `findings` are contradictions, as sentences that begin with their kind. */
export function determineOutcomes(
  entries: readonly Entry[],
  books: Books,
): { outcomes: Outcome[]; findings: string[] } {
  const rowsById = Map.groupBy(books.transactions, ({ user_id: userId, id }) => rowKey(userId, id))
  const rowsByPosting = new Map(books.transactions.map((row) => [rowKey(row.user_id, row.posting_id), row]))
  const storedByKey = new Map(
    [...books.payments.values(), ...books.payouts.values()].map((row) => [
      rowKey(row.user_id, row.idempotency_key),
      row,
    ]),
  )

  function determineOutcome(order: Order): Outcome {
    const { kind, key, userId, recipientId } = order
    const isImmediate = kind === 'wallet_send' || kind === 'exchange'
    const stored = isImmediate ? undefined : storedByKey.get(rowKey(userId, key))
    const posting = derivedId(kind === 'exchange' ? 'exchange' : 'transfer', BigInt(userId), key)
    const row = isImmediate
      ? rowsByPosting.get(rowKey(userId, posting))
      : stored && rowsById.get(rowKey(userId, stored.transaction_id))?.[0]
    const received = row && recipientId !== undefined ? rowsById.get(rowKey(recipientId, row.id))?.[0] : undefined
    return { order, stored, row, received }
  }

  const entriesWithOutcomes = entries.map(({ order, answers }) => ({ answers, outcome: determineOutcome(order) }))
  return {
    outcomes: entriesWithOutcomes.map(({ outcome }) => outcome),
    findings: [
      ...entriesWithOutcomes.flatMap(({ outcome, answers }) => findContradictions(outcome, answers, books)),
      ...findUnorderedMovements(
        entriesWithOutcomes.map(({ outcome }) => outcome),
        books,
      ),
    ],
  }
}

/** Returns whether money moved, or still may, under an order's key. */
function mayHaveMoved({ order, stored, row }: Outcome, books: Books): boolean {
  if (order.kind === 'wallet_send' || order.kind === 'exchange') return row !== undefined
  if (!stored) return false
  return order.kind === 'withdrawal' || stored.status !== 'failed' || (books.lines.get(stored.id)?.length ?? 0) > 0
}

/**
 * Returns whether an externally paid send reached its recipient. Otherwise the payer keeps the money, which may be
 * captured even after a cancellation or refusal.
 */
export const isDelivered = ({ order, stored }: Outcome, { releasedIds }: Books): boolean =>
  order.kind === 'payment_send' &&
  (stored?.status === 'completed' || stored?.status === 'reversed') &&
  !releasedIds.has(stored.transaction_id)

function findContradictions(outcome: Outcome, answers: readonly OrderAnswer[], books: Books): string[] {
  const { order, stored, row } = outcome
  const name = `${order.kind} ${order.key} of ${order.userId}`
  const acceptedIds = [...new Set(answers.flatMap((answer) => (answer.status === 'accepted' ? [answer.id] : [])))]
  const codes = answers.flatMap((answer) => (answer.status === 'refused' ? [answer.code] : []))
  const refusalCodes = [...new Set(codes)].filter((code) => code !== 'payment_refused' || isDelivered(outcome, books))
  const contradictions: string[] = []
  if (acceptedIds.length > 1) contradictions.push(`doubled: ${name} was accepted as ${acceptedIds.join(' and as ')}`)
  for (const id of acceptedIds) {
    if ((stored?.id ?? row?.id) !== id)
      contradictions.push(`lost: ${name} was accepted as ${id} and is not in the books`)
  }
  if (refusalCodes.length > 0 && acceptedIds.length > 0) {
    contradictions.push(
      `refused then moved: ${name} was refused (${refusalCodes.join(', ')}) and accepted (${acceptedIds.join(', ')})`,
    )
  } else if (refusalCodes.length > 0 && mayHaveMoved(outcome, books)) {
    contradictions.push(`refused then moved: ${name} was refused (${refusalCodes.join(', ')}) and has moved`)
  }
  return contradictions
}

/** Returns a violation for each movement without an order. */
function findUnorderedMovements(outcomes: readonly Outcome[], books: Books): string[] {
  const people = new Set(outcomes.map(({ order }) => BigInt(order.userId)))
  const storedIds = new Set(outcomes.flatMap(({ stored }) => (stored ? [stored.id] : [])))
  const rowIds = new Set(outcomes.flatMap(({ row }) => (row ? [row.id] : [])))
  const storedPayments = [...books.payments.values(), ...books.payouts.values()]
  return [
    ...storedPayments
      .filter(({ id, user_id: userId }) => people.has(userId) && !storedIds.has(id))
      .map(({ id, user_id: userId }) => `doubled: ${id} of ${userId} was never ordered`),
    ...books.transactions
      .filter(({ id, user_id: userId, payment_id: payment }) =>
        people.has(userId) && payment === null
          ? !rowIds.has(id)
          : payment !== null && people.has(userId) && !storedIds.has(payment),
      )
      .map(({ id, kind, user_id: userId }) => `doubled: the ${kind} ${id} of ${userId} was never ordered`),
  ]
}
