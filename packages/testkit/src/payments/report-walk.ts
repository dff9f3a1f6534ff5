import { money } from '@tern/money/money'
import type { ReportLine } from '@tern/providers/report/port'
import type { Dice } from '../exchange/conversion-cases.ts'

// Random sequences of provider reports about one payment of 100.00 USD, and a model of the resulting books. Returns of
// a reversal are limited to its amount. A report that is not booked is left to an operator, or must be sent again.

const reversalKinds = ['chargeback', 'debit_return', 'refund'] as const
const amounts = [1n, 2500n, 4000n, 6000n, 10_000n, 15_000n]

/** Outcomes of a report: booked, booked before, left to an operator, or to be sent again by the provider. */
export type ReportOutcome = 'booked' | 'repeated' | 'unmatched' | 'provider_unavailable'

interface Reversal {
  readonly kind: (typeof reversalKinds)[number]
  remaining: bigint
}

/** Expected books of a payment, in cents. */
export interface Model {
  balance: bigint
  debt: bigint
  spentMinor: bigint
  /** Amount reversed at the provider, net of returns. */
  reversed: bigint
  /** Reports left to an operator, by their ids. */
  readonly unmatched: Map<string, ReportLine>
  /** Booked reports, by their ids. */
  readonly bookedLines: Map<string, ReportLine>
  readonly reversals: Map<string, Reversal>
  readonly returnedMinor: Record<Reversal['kind'], bigint>
}

export const createModel = (balance: bigint): Model => ({
  balance,
  debt: 0n,
  spentMinor: 0n,
  reversed: 0n,
  unmatched: new Map(),
  bookedLines: new Map(),
  reversals: new Map(),
  returnedMinor: { chargeback: 0n, debit_return: 0n, refund: 0n },
})

const sumUnreturned = (model: Model, kind: Reversal['kind'], bookedLines: readonly ReportLine[]): bigint =>
  bookedLines.filter((line) => line.kind === kind).reduce((sum, { amount }) => sum + amount.minor, 0n) -
  model.returnedMinor[kind]

function pick<T>(dice: Dice, list: readonly T[]): T {
  const item = list[dice.below(list.length)]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}

/** Returns a random report, which may not fit the model; `place` makes its id unique. */
export function nextReport(dice: Dice, model: Model, reference: string, place: number): ReportLine {
  const knownReports = [...model.bookedLines.values(), ...model.unmatched.values()]
  if (knownReports.length > 0 && dice.below(6) === 0) return pick(dice, knownReports)
  const currency = dice.below(8) === 0 ? 'EUR' : 'USD'
  const base = { id: `walk_${reference}_${place}`, reference, occurredAt: new Date() }
  const reversals = [...model.reversals.entries()]
  const amount = money(currency, pick(dice, amounts))
  switch (dice.below(5)) {
    case 0: {
      if (reversals.length === 0) break
      const [undoes, { remaining }] = pick(dice, reversals)
      const minor = remaining > 0n && dice.below(3) > 0 ? remaining : amount.minor
      return { ...base, kind: 'chargeback_reversal', amount: money(currency, minor), undoes }
    }
    case 1:
      return { ...base, kind: 'chargeback_reversal', amount }
    case 2: {
      const undoes = pick(dice, [...model.unmatched.keys(), 'never_reported'])
      const isOld = dice.below(2) === 0
      const occurredAt = isOld ? new Date(Date.now() - 172_800_000) : base.occurredAt
      return { ...base, kind: 'chargeback_reversal', amount, undoes, occurredAt }
    }
  }
  return { ...base, kind: pick(dice, reversalKinds), amount }
}

function applyReversal(model: Model, minor: bigint): void {
  const debited = minor < model.balance ? minor : model.balance
  model.reversed += minor
  model.balance -= debited
  model.debt += minor - debited
}

function applyReturn(model: Model, kind: Reversal['kind'], minor: bigint): void {
  const repayment = minor < model.debt ? minor : model.debt
  model.reversed -= minor
  model.debt -= repayment
  model.balance += minor - repayment
  model.returnedMinor[kind] += minor
}

/** Returns the kind of the report that a return reverses; undefined if no report took that much. */
function findReversedKind(model: Model, { undoes, amount: { minor } }: ReportLine): Reversal['kind'] | undefined {
  const bookedLines = [...model.bookedLines.values()]
  const kinds = reversalKinds.filter((kind) => sumUnreturned(model, kind, bookedLines) >= minor)
  if (undoes === undefined) return kinds[0]
  const reversal = model.reversals.get(undoes)
  return reversal && reversal.remaining >= minor && kinds.includes(reversal.kind) ? reversal.kind : undefined
}

/** Applies a report to the model; returns the outcome that the product must have. */
export function expectReport(model: Model, line: ReportLine): ReportOutcome {
  const { id, kind, amount, undoes } = line
  if (model.bookedLines.has(id)) return 'repeated'
  const markUnmatched = (): ReportOutcome => {
    model.unmatched.set(id, line)
    return 'unmatched'
  }
  const markBooked = (): ReportOutcome => {
    model.bookedLines.set(id, line)
    model.unmatched.delete(id)
    return 'booked'
  }
  if (amount.currency !== 'USD') return markUnmatched()
  const reversalKind = reversalKinds.find((candidate) => candidate === kind)
  if (reversalKind) {
    applyReversal(model, amount.minor)
    model.reversals.set(id, { kind: reversalKind, remaining: amount.minor })
    return markBooked()
  }
  const isNamed = model.reversals.has(undoes ?? '')
  const unmatchedReversals = [...model.unmatched.values()].filter(
    (candidate) => candidate.kind !== 'chargeback_reversal',
  )
  if (!isNamed && unmatchedReversals.some((candidate) => undoes === undefined || candidate.id === undoes))
    return markUnmatched()
  const returned = findReversedKind(model, line)
  if (returned) {
    applyReturn(model, returned, amount.minor)
    const reversal = model.reversals.get(undoes ?? '')
    if (reversal) reversal.remaining -= amount.minor
    return markBooked()
  }
  const isOld = Date.now() - line.occurredAt.getTime() > 86_400_000
  return isNamed || isOld ? markUnmatched() : 'provider_unavailable'
}
