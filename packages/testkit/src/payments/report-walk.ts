import { money } from '@tern/money/money'
import type { ReportLine } from '@tern/providers/report/port'
import type { Dice } from '../exchange/conversion-cases.ts'

// Sequences of provider reports about one payment of 100.00 USD, and the books that must result. The model knows
// reports only: each reversal has an amount that can be returned once, and every report that the model refuses must
// reach an operator.

const takes = ['chargeback', 'debit_return', 'refund'] as const
const amounts = [1n, 2500n, 4000n, 6000n, 10_000n, 15_000n]

/** Outcomes of a report: booked, booked before, left to an operator, or to be sent again. */
export type Expected = 'booked' | 'repeated' | 'unmatched' | 'provider_unavailable'

interface Take {
  readonly kind: (typeof takes)[number]
  left: bigint
}

/** Expected books of a payment, in cents. */
export interface Model {
  balance: bigint
  owed: bigint
  spent: bigint
  /** Amount reversed at the provider, net of returns. */
  taken: bigint
  /** Reports left to an operator, by id. */
  readonly unmatched: Map<string, ReportLine>
  /** Booked reports by id. */
  readonly booked: Map<string, ReportLine>
  readonly takes: Map<string, Take>
  readonly returned: Record<Take['kind'], bigint>
}

export const newModel = (balance: bigint): Model => ({
  balance,
  owed: 0n,
  spent: 0n,
  taken: 0n,
  unmatched: new Map(),
  booked: new Map(),
  takes: new Map(),
  returned: { chargeback: 0n, debit_return: 0n, refund: 0n },
})

const sumTaken = (model: Model, kind: Take['kind'], booked: readonly ReportLine[]): bigint =>
  booked.filter((line) => line.kind === kind).reduce((sum, { amount }) => sum + amount.minor, 0n) - model.returned[kind]

function pick<T>(dice: Dice, list: readonly T[]): T {
  const found = list[dice.below(list.length)]
  if (found === undefined) throw new Error('there is nothing to pick from')
  return found
}

/** Returns a report of any kind, fitting or not; `place` makes its id unique. */
export function nextReport(dice: Dice, model: Model, reference: string, place: number): ReportLine {
  const old = [...model.booked.values(), ...model.unmatched.values()]
  if (old.length > 0 && dice.below(6) === 0) return pick(dice, old)
  const currency = dice.below(8) === 0 ? 'EUR' : 'USD'
  const base = { id: `walk_${reference}_${place}`, reference, occurredAt: new Date() }
  const named = [...model.takes.entries()]
  const amount = money(currency, pick(dice, amounts))
  switch (dice.below(5)) {
    case 0: {
      if (named.length === 0) break
      const [undoes, { left }] = pick(dice, named)
      const minor = left > 0n && dice.below(3) > 0 ? left : amount.minor
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
  return { ...base, kind: pick(dice, takes), amount }
}

function takeBack(model: Model, minor: bigint): void {
  const given = minor < model.balance ? minor : model.balance
  model.taken += minor
  model.balance -= given
  model.owed += minor - given
}

function giveAgain(model: Model, kind: Take['kind'], minor: bigint): void {
  const repaid = minor < model.owed ? minor : model.owed
  model.taken -= minor
  model.owed -= repaid
  model.balance += minor - repaid
  model.returned[kind] += minor
}

/** Returns the kind of report that a return reverses, by the model; undefined if no report took that much. */
function returnedKind(model: Model, { undoes, amount: { minor } }: ReportLine): Take['kind'] | undefined {
  const booked = [...model.booked.values()]
  const kinds = takes.filter((kind) => sumTaken(model, kind, booked) >= minor)
  if (undoes === undefined) return kinds[0]
  const take = model.takes.get(undoes)
  return take && take.left >= minor && kinds.includes(take.kind) ? take.kind : undefined
}

/** Applies a report to the model and returns the outcome required of the product. */
export function expectReport(model: Model, line: ReportLine): Expected {
  const { id, kind, amount, undoes } = line
  if (model.booked.has(id)) return 'repeated'
  const leave = (): Expected => {
    model.unmatched.set(id, line)
    return 'unmatched'
  }
  const book = (): Expected => {
    model.booked.set(id, line)
    model.unmatched.delete(id)
    return 'booked'
  }
  if (amount.currency !== 'USD') return leave()
  const take = takes.find((one) => one === kind)
  if (take) {
    takeBack(model, amount.minor)
    model.takes.set(id, { kind: take, left: amount.minor })
    return book()
  }
  const isNamed = model.takes.has(undoes ?? '')
  const left = [...model.unmatched.values()].filter((one) => one.kind !== 'chargeback_reversal')
  if (!isNamed && left.some((one) => undoes === undefined || one.id === undoes)) return leave()
  const returned = returnedKind(model, line)
  if (returned) {
    giveAgain(model, returned, amount.minor)
    const named = model.takes.get(undoes ?? '')
    if (named) named.left -= amount.minor
    return book()
  }
  const isOld = Date.now() - line.occurredAt.getTime() > 86_400_000
  return isNamed || isOld ? leave() : 'provider_unavailable'
}
