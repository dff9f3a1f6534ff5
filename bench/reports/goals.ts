import type { SendKind } from '../http/crowd.ts'
import type { HttpPoint } from '../http/points.ts'
import type { Point, Shape } from '../movements/curve.ts'
import { bestRate } from '../movements/pgbench.ts'
import { databaseRatio, httpPointAt, computeMedian, pointAt, type Round } from './rounds.ts'

export interface Goal {
  readonly what: string
  readonly value: number
  readonly unit: '×' | 'ms' | '/s'
  readonly must: number
  readonly bound: 'at least' | 'at most'
  /** Missing this goal fails the run. */
  readonly counts: boolean
}

interface Asked {
  readonly rounds: readonly Round[]
  /** The machine is otherwise idle: goals for latency and the whole stack are enforced. */
  readonly quiet: boolean
}

/** Returns goals with a measured value. */
export const listGoals = (asked: Asked): Goal[] =>
  [...movementGoals(asked), ...httpGoals(asked), ...quoteGoals(asked)].filter(({ value }) => !Number.isNaN(value))

function movementGoals({ rounds, quiet }: Asked): Goal[] {
  const at = (callers: number, posters: number, valueOf: (point: Point) => number): number =>
    computeMedian(rounds, (round) => {
      const point = pointAt(round, callers, posters)
      return point && valueOf(point)
    })
  const goals: Goal[] = []
  const least = (what: string, value: number, must: number) =>
    void goals.push({ what, value, unit: '×', must, bound: 'at least', counts: true })
  const leastOf: Readonly<Record<Shape, readonly [at64: number, at256: number]>> = {
    plain: [2.6, 3.2],
    cross: [1.9, 2.3],
  }
  for (const [shape, [at64, at256]] of Object.entries(leastOf) as [Shape, readonly [number, number]][]) {
    least(
      `${shape}, 64 callers, one poster / pgbench`,
      at(64, 1, (point) => computeRatio(point, shape)),
      at64,
    )
    least(`${shape}, 256 callers, best posters / pgbench`, bestAt256(rounds, shape), at256)
    least(`${shape}, 256 callers, four posters / one`, fourToOne(rounds, shape), 0.9)
    const value = at(64, 1, (point) => point[shape].p99Ms / (point.pgbench.at(-1)?.p99Ms ?? Number.NaN))
    goals.push({
      what: `${shape}, 64 callers: p99 / pgbench's`,
      value,
      unit: '×',
      must: 0.3,
      bound: 'at most',
      counts: quiet,
    })
  }
  const toOneByOne = computeMedian(rounds, (round) => {
    const point = pointAt(round, 64, 1)
    return point && round.oneByOne && point.cross.perSecond / round.oneByOne.perSecond
  })
  least('cross, 64 callers / one by one', toOneByOne, 10)
  return goals
}

const computeRatio = (point: Point, shape: Shape): number => point[shape].perSecond / bestRate(point.pgbench)

const bestAt256 = (rounds: readonly Round[], shape: Shape): number =>
  computeMedian(rounds, ({ points }) => {
    const ratios = points.filter(({ callers }) => callers === 256).map((point) => computeRatio(point, shape))
    return ratios.length === 0 ? undefined : Math.max(...ratios)
  })

const fourToOne = (rounds: readonly Round[], shape: Shape): number =>
  computeMedian(rounds, (round) => {
    const one = pointAt(round, 256, 1)
    const four = pointAt(round, 256, 4)
    return one && four && computeRatio(four, shape) / computeRatio(one, shape)
  })

const leastHttp: Readonly<Record<SendKind, number>> = { plain: 1, cross: 0.8 }

function httpGoals({ rounds, quiet }: Asked): Goal[] {
  const goals: Goal[] = []
  const crowds = new Set(rounds.flatMap(({ http }) => http.map(({ people }) => people)))
  for (const people of crowds) {
    const at = (callers: number, valueOf: (point: HttpPoint) => number): number =>
      computeMedian(rounds, (round) => {
        const point = httpPointAt(round, callers, people)
        return point && valueOf(point)
      })
    for (const kind of ['plain', 'cross'] as const) {
      const who = `HTTP ${kind}, ${people.toLocaleString('en-US')} people`
      const speed = at(64, ({ sent, pgbench }) => sent[kind].perSecond / bestRate(pgbench))
      const ratio = at(64, (point) => databaseRatio(point, kind))
      const must = leastHttp[kind]
      goals.push({
        what: `${who}, 64 callers / pgbench`,
        value: speed,
        unit: '×',
        must,
        bound: 'at least',
        counts: quiet,
      })
      goals.push({
        what: `${who}: database CPU / movement's`,
        value: ratio,
        unit: '×',
        must: 1.5,
        bound: 'at most',
        counts: quiet,
      })
    }
    const p50 = at(1, ({ sent }) => sent.plain.p50Ms)
    const what = `HTTP plain, ${people.toLocaleString('en-US')} people, one caller: p50`
    goals.push({ what, value: p50, unit: 'ms', must: 4, bound: 'at most', counts: quiet })
  }
  return goals
}

const quotesPerSecond = 2000

function quoteGoals({ rounds, quiet }: Asked): Goal[] {
  const value = computeMedian(rounds, ({ quotes }) => quotes.find(({ callers }) => callers === 64)?.measured.perSecond)
  return [{ what: 'quotes, 64 callers', value, unit: '/s', must: quotesPerSecond, bound: 'at least', counts: quiet }]
}

const isMet = ({ bound, value, must }: Goal): boolean => (bound === 'at most' ? value <= must : value >= must)

export const isMissed = (goal: Goal): boolean => goal.counts && !isMet(goal)

export function printGoals(goals: readonly Goal[]): void {
  console.log(`\n${'goal'.padEnd(52)}${'measured'.padStart(11)}    must`)
  for (const goal of goals) {
    const missed = goal.counts ? 'MISSED' : 'missed (counts on a quiet machine only: --quiet)'
    const digits = goal.unit === '/s' ? 0 : 2
    const measured = `${goal.value.toFixed(digits).padStart(8)} ${goal.unit.padEnd(2)}`
    const must = `${goal.bound === 'at most' ? '≤' : '≥'} ${goal.must}`.padStart(8)
    console.log(`${goal.what.padEnd(52)}${measured}${must}  ${isMet(goal) ? 'met' : missed}`)
  }
}
