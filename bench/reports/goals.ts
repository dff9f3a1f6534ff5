import type { SendKind } from '../http/crowd.ts'
import type { HttpPoint } from '../http/points.ts'
import type { CurvePoint, SendShape } from '../movements/curve.ts'
import { bestRate } from '../movements/pgbench.ts'
import { databaseRatio, httpPointAt, computeMedian, pointAt, type BenchRound } from './rounds.ts'

export interface Goal {
  readonly label: string
  readonly value: number
  readonly unit: '×' | 'ms' | '/s'
  readonly target: number
  readonly comparison: 'at least' | 'at most'
  /** Missing this goal fails the run. */
  readonly isEnforced: boolean
}

interface GoalOptions {
  readonly rounds: readonly BenchRound[]
  /** Enforces the goals for latency and the whole stack too, for an otherwise idle machine. */
  readonly isMachineQuiet: boolean
}

/** Returns the goals for which the rounds have a measured value. */
export const listGoals = (options: GoalOptions): Goal[] =>
  [...listMovementGoals(options), ...listHttpGoals(options), ...listQuoteGoals(options)].filter(
    ({ value }) => !Number.isNaN(value),
  )

function listMovementGoals({ rounds, isMachineQuiet }: GoalOptions): Goal[] {
  const computeMedianAt = (callers: number, posters: number, valueOf: (point: CurvePoint) => number): number =>
    computeMedian(rounds, (round) => {
      const point = pointAt(round, callers, posters)
      return point && valueOf(point)
    })
  const goals: Goal[] = []
  const addMinimum = (label: string, value: number, target: number) =>
    void goals.push({ label, value, unit: '×', target, comparison: 'at least', isEnforced: true })
  const minimumRatios: Readonly<Record<SendShape, readonly [at64: number, at256: number]>> = {
    plain: [2.6, 3.2],
    cross: [1.9, 2.3],
  }
  for (const [shape, [ratioAt64, ratioAt256]] of Object.entries(minimumRatios) as [
    SendShape,
    readonly [number, number],
  ][]) {
    addMinimum(
      `${shape}, 64 callers, one poster / pgbench`,
      computeMedianAt(64, 1, (point) => computeRatio(point, shape)),
      ratioAt64,
    )
    addMinimum(`${shape}, 256 callers, best posters / pgbench`, computeBestRatioAt256(rounds, shape), ratioAt256)
    addMinimum(`${shape}, 256 callers, four posters / one`, computePosterRatio(rounds, shape), 0.9)
    const value = computeMedianAt(64, 1, (point) => point[shape].p99Ms / (point.pgbench.at(-1)?.p99Ms ?? Number.NaN))
    goals.push({
      label: `${shape}, 64 callers: p99 / pgbench's`,
      value,
      unit: '×',
      target: 0.3,
      comparison: 'at most',
      isEnforced: isMachineQuiet,
    })
  }
  const oneByOneRatio = computeMedian(rounds, (round) => {
    const point = pointAt(round, 64, 1)
    return point && round.oneByOne && point.cross.perSecond / round.oneByOne.perSecond
  })
  addMinimum('cross, 64 callers / one by one', oneByOneRatio, 10)
  return goals
}

const computeRatio = (point: CurvePoint, shape: SendShape): number => point[shape].perSecond / bestRate(point.pgbench)

const computeBestRatioAt256 = (rounds: readonly BenchRound[], shape: SendShape): number =>
  computeMedian(rounds, ({ points }) => {
    const ratios = points.filter(({ callers }) => callers === 256).map((point) => computeRatio(point, shape))
    return ratios.length === 0 ? undefined : Math.max(...ratios)
  })

const computePosterRatio = (rounds: readonly BenchRound[], shape: SendShape): number =>
  computeMedian(rounds, (round) => {
    const onePoster = pointAt(round, 256, 1)
    const fourPosters = pointAt(round, 256, 4)
    return onePoster && fourPosters && computeRatio(fourPosters, shape) / computeRatio(onePoster, shape)
  })

const minimumHttpRatios: Readonly<Record<SendKind, number>> = { plain: 1, cross: 0.8 }

function listHttpGoals({ rounds, isMachineQuiet }: GoalOptions): Goal[] {
  const goals: Goal[] = []
  const crowds = new Set(rounds.flatMap(({ http }) => http.map(({ people }) => people)))
  for (const people of crowds) {
    const computeMedianAt = (callers: number, valueOf: (point: HttpPoint) => number): number =>
      computeMedian(rounds, (round) => {
        const point = httpPointAt(round, callers, people)
        return point && valueOf(point)
      })
    for (const kind of ['plain', 'cross'] as const) {
      const subject = `HTTP ${kind}, ${people.toLocaleString('en-US')} people`
      const speed = computeMedianAt(64, ({ sends, pgbench }) => sends[kind].perSecond / bestRate(pgbench))
      const ratio = computeMedianAt(64, (point) => databaseRatio(point, kind))
      const target = minimumHttpRatios[kind]
      goals.push({
        label: `${subject}, 64 callers / pgbench`,
        value: speed,
        unit: '×',
        target,
        comparison: 'at least',
        isEnforced: isMachineQuiet,
      })
      goals.push({
        label: `${subject}: database CPU / movement's`,
        value: ratio,
        unit: '×',
        target: 1.5,
        comparison: 'at most',
        isEnforced: isMachineQuiet,
      })
    }
    const p50 = computeMedianAt(1, ({ sends }) => sends.plain.p50Ms)
    const label = `HTTP plain, ${people.toLocaleString('en-US')} people, one caller: p50`
    goals.push({ label, value: p50, unit: 'ms', target: 4, comparison: 'at most', isEnforced: isMachineQuiet })
  }
  return goals
}

const quotesPerSecond = 2000

function listQuoteGoals({ rounds, isMachineQuiet }: GoalOptions): Goal[] {
  const value = computeMedian(rounds, ({ quotes }) => quotes.find(({ callers }) => callers === 64)?.measured.perSecond)
  return [
    {
      label: 'quotes, 64 callers',
      value,
      unit: '/s',
      target: quotesPerSecond,
      comparison: 'at least',
      isEnforced: isMachineQuiet,
    },
  ]
}

const isMet = ({ comparison, value, target }: Goal): boolean =>
  comparison === 'at most' ? value <= target : value >= target

export const isMissedGoal = (goal: Goal): boolean => goal.isEnforced && !isMet(goal)

export function printGoals(goals: readonly Goal[]): void {
  console.log(`\n${'goal'.padEnd(52)}${'measured'.padStart(11)}    must`)
  for (const goal of goals) {
    const missedLabel = goal.isEnforced ? 'MISSED' : 'missed (counts on a quiet machine only: --quiet)'
    const digits = goal.unit === '/s' ? 0 : 2
    const measured = `${goal.value.toFixed(digits).padStart(8)} ${goal.unit.padEnd(2)}`
    const target = `${goal.comparison === 'at most' ? '≤' : '≥'} ${goal.target}`.padStart(8)
    console.log(`${goal.label.padEnd(52)}${measured}${target}  ${isMet(goal) ? 'met' : missedLabel}`)
  }
}
