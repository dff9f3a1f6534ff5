// Computes the expected balances and limit usage of every person from the orders and the provider's books.

import { isIncoming, type LineKind, type ReportLine } from '@tern/providers/report/port'
import type { Books } from './books.ts'
import { isDelivered, type Outcome } from './outcomes.ts'
import { type ExpectedPrice, computeExpectedPrice, isCrypto, computePulledUsd, type Rates } from './pricing.ts'

export interface Expectations {
  /** Minor units, keyed by user and currency. */
  readonly balances: Map<string, bigint>
  /** US cents, with the same keys as in the books. */
  readonly usage: Map<string, bigint>
  readonly countedMovements: Map<string, bigint>
  /** Violations of promised results, as sentences. */
  readonly findings: string[]
}

/** Computes the results that these orders must have at the sandbox's rates. */
export function computeExpectations(outcomes: readonly Outcome[], books: Books, rates: Rates): Expectations {
  const expected: Expectations = { balances: new Map(), usage: new Map(), countedMovements: new Map(), findings: [] }
  for (const outcome of outcomes) {
    const price = computeExpectedPrice(outcome.order, rates)
    checkQuote(expected, outcome, price)
    const { kind } = outcome.order
    if (kind === 'wallet_send' || kind === 'exchange') expectImmediateMovement(expected, outcome, price, books)
    else if (kind === 'withdrawal') expectWithdrawal(expected, outcome, price, books)
    else if (outcome.stored) expectPayment(expected, outcome, price, books)
  }
  return expected
}

function addTo(sums: Map<string, bigint>, user: number | bigint, name: string, minor: bigint): void {
  const key = `${user} ${name}`
  sums.set(key, (sums.get(key) ?? 0n) + minor)
}

type Method = 'transfer' | 'exchange' | 'payout' | 'card' | 'bank'

/**
 * Counts a movement on `day`: pulls from card and bank by method; others as `out` and, except sends, also by method.
 */
function countUsage(
  { usage, countedMovements }: Expectations,
  { order: { userId } }: Outcome,
  { day, method, usd }: { readonly day: string; readonly method: Method; readonly usd: bigint },
): void {
  const isIncomingPull = method === 'card' || method === 'bank'
  for (const name of isIncomingPull ? [method] : method === 'transfer' ? ['out'] : ['out', method]) {
    addTo(usage, userId, `${day} ${name}`, usd)
    addTo(countedMovements, userId, `${day} ${name}`, 1n)
  }
}

const describeOutcome = ({ order }: Outcome): string => `${order.kind} ${order.key} of ${order.userId}`

function checkQuote({ findings }: Expectations, outcome: Outcome, { target, fee }: ExpectedPrice): void {
  const { quoteAmounts } = outcome.order
  if (!quoteAmounts || (quoteAmounts.target === target && quoteAmounts.fee === fee)) return
  findings.push(
    `price: ${describeOutcome(outcome)} was quoted ${quoteAmounts.target} for a fee of ${quoteAmounts.fee}; by the rates it is ${target} for ${fee}`,
  )
}

const findDay = (books: Books, postingId: string): string => books.days.get(postingId) ?? 'an unknown day'

function expectImmediateMovement(expected: Expectations, outcome: Outcome, price: ExpectedPrice, books: Books): void {
  const { order, row } = outcome
  if (!row || books.releasedIds.has(row.id)) return
  const { kind, userId, recipientId, sourceCurrency, targetCurrency, source } = order
  checkRows(expected, outcome, price)
  addTo(expected.balances, userId, sourceCurrency, -source - price.fee)
  addTo(expected.balances, recipientId ?? userId, targetCurrency, price.target)
  // Converting back from cryptocurrency is not an outgoing movement.
  if (kind === 'exchange' && !isCrypto(targetCurrency)) return
  const method = kind === 'exchange' ? 'exchange' : 'transfer'
  countUsage(expected, outcome, { day: findDay(books, row.posting_id), method, usd: price.usd })
}

/** Checks the row of an exchange, or both rows of a send, against the order. */
function checkRows({ findings }: Expectations, outcome: Outcome, { target, fee }: ExpectedPrice): void {
  const { order, row, received } = outcome
  const { source, sourceCurrency, targetCurrency, recipientId } = order
  const expectedRow = `${source} ${sourceCurrency} as ${target} ${targetCurrency} for ${fee} ${sourceCurrency}, COMPLETED`
  for (const side of recipientId === undefined ? [row] : [row, received]) {
    const actual =
      side &&
      `${side.source_amount} ${side.source_currency} as ${side.target_amount} ${side.target_currency} for ${side.fee_amount} ${side.fee_currency}, ${side.status}`
    if (actual !== expectedRow)
      findings.push(`terms: ${describeOutcome(outcome)} is ${actual ?? 'not there'}; it must be ${expectedRow}`)
  }
}

const sumLines = (lines: readonly ReportLine[], kinds: readonly LineKind[]): bigint =>
  lines.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amount }) => sum + amount.minor, 0n)

function expectWithdrawal(expected: Expectations, outcome: Outcome, price: ExpectedPrice, books: Books): void {
  const { order, stored } = outcome
  if (!stored) return
  const lines = books.lines.get(stored.id) ?? []
  const paidOut = lines.reduce(
    (sum, { kind, amount }) => (isIncoming[kind] ? sum - amount.minor : sum + amount.minor),
    0n,
  )
  if (paidOut !== 0n && paidOut !== order.source) {
    expected.findings.push(
      `terms: of ${describeOutcome(outcome)}, ${order.source} were ordered and ${paidOut} have left`,
    )
  }
  addTo(expected.balances, order.userId, order.sourceCurrency, -paidOut)
  // Returned payouts do not count.
  if (paidOut > 0n) countUsage(expected, outcome, { day: stored.day, method: 'payout', usd: price.usd })
}

function expectPayment(expected: Expectations, outcome: Outcome, price: ExpectedPrice, books: Books): void {
  const { order, stored } = outcome
  if (!stored) return
  const { kind, userId, recipientId, source, sourceCurrency, targetCurrency, isSplitPayment, externalSource } = order
  const lines = books.lines.get(stored.id) ?? []
  const capturedMinor = sumLines(lines, ['capture', 'debit'])
  // A failed payment does not count, unless its money arrives later.
  if (capturedMinor === 0n) return
  // A deposit in the wallet's own currency is free.
  const total = kind === 'deposit' && sourceCurrency === targetCurrency ? source : source + price.fee
  if (isSplitPayment ? capturedMinor > total : capturedMinor !== total) {
    expected.findings.push(`terms: ${describeOutcome(outcome)} costs ${total}, and ${capturedMinor} were taken`)
  }
  const { day } = stored
  if (!externalSource) throw new Error(`${describeOutcome(outcome)} does not tell where its money comes from`)
  countUsage(expected, outcome, { day, method: externalSource, usd: computePulledUsd(capturedMinor, order, price) })
  if (isDelivered(outcome, books)) {
    checkRows(expected, outcome, price)
    addTo(expected.balances, userId, sourceCurrency, capturedMinor - total)
    addTo(expected.balances, recipientId ?? 0, targetCurrency, price.target)
    countUsage(expected, outcome, { day, method: 'transfer', usd: price.usd })
  } else if (kind === 'deposit') addTo(expected.balances, userId, targetCurrency, price.target)
  // The payer keeps money that was captured for an undelivered send.
  else addTo(expected.balances, userId, sourceCurrency, capturedMinor)
  expectReversal(expected, outcome, price, lines)
}

/** Expects reversals to debit the whole payment; the part that the wallet does not cover is a loss. */
function expectReversal(
  { balances, findings }: Expectations,
  outcome: Outcome,
  price: ExpectedPrice,
  lines: readonly ReportLine[],
): void {
  const { order, stored } = outcome
  const { kind, userId, sourceCurrency, targetCurrency } = order
  const capturedMinor = sumLines(lines, ['capture', 'debit'])
  const reversed = sumLines(lines, ['refund', 'chargeback', 'debit_return']) - sumLines(lines, ['chargeback_reversal'])
  if (reversed !== 0n && reversed !== capturedMinor) {
    findings.push(`terms: of ${describeOutcome(outcome)}, ${capturedMinor} came and ${reversed} were taken back`)
  }
  const reversedTarget = reversed === 0n ? 0n : kind === 'deposit' ? price.target : capturedMinor
  const loss = stored?.loss ?? 0n
  if (loss < 0n || loss > reversedTarget)
    findings.push(`loss: ${describeOutcome(outcome)} cost us ${loss}; ${reversedTarget} were taken back`)
  addTo(balances, userId, kind === 'deposit' ? targetCurrency : sourceCurrency, loss - reversedTarget)
}
