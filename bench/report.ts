// Prints benchmark results and goals.

import { besidePgbench, type Point, type Shape } from './curve.ts'
import { type Measured, median } from './load.ts'
import type { PgbenchResult } from './pgbench.ts'

export interface Round {
  readonly points: readonly Point[]
  readonly oneByOne: Measured
  readonly http: Measured
  /** Cross-currency quotes. */
  readonly quotes: Measured
  /** For one by one, HTTP and quotes. */
  readonly pgbench: PgbenchResult
}

export interface Goal {
  readonly what: string
  readonly value: number
  /** Minimum for throughput, maximum for latency. */
  readonly must: number
  readonly isLatency: boolean
  /** Whether missing it fails the run. */
  readonly counts: boolean
}

const perSecond = (value: number): string => Math.round(value).toLocaleString('en-US')

const pointAt = ({ points }: Round, callers: number, posters: number): Point | undefined =>
  points.find((point) => point.callers === callers && point.posters === posters)

const ratio = (point: Point, shape: Shape): number => point[shape].perSecond / besidePgbench(point)

/** Prints each point: throughput, ratio to pgbench, latency. */
export function printCurve(rounds: readonly Round[]): void {
  console.log(
    `medians of ${rounds.length} rounds; × is the ratio to the better of pgbench's 16 and 64 clients beside it\n`,
  )
  console.log('callers posters   pgbench      plain     ×  p50/p99 ms      cross     ×  p50/p99 ms   pgbench p99 at 64')
  const places = rounds[0]?.points ?? []
  for (const { callers, posters } of places) {
    const points = rounds.flatMap((round) => pointAt(round, callers, posters) ?? [])
    const middle = (of: (point: Point) => number): number => median(points.map(of))
    const shape = (name: Shape): string => {
      const speed = perSecond(middle((point) => point[name].perSecond)).padStart(8)
      const [p50, p99] = [middle((point) => point[name].p50Ms), middle((point) => point[name].p99Ms)]
      const times = middle((point) => ratio(point, name)).toFixed(2)
      return `${speed}/s  ${times}  ${`${p50.toFixed(1)}/${p99.toFixed(1)}`.padStart(10)}`
    }
    const slowest = middle((point) => point.pgbench.at(-1)?.p99Ms ?? Number.NaN).toFixed(0)
    console.log(
      `${String(callers).padStart(7)} ${String(posters).padStart(7)}  ${perSecond(middle(besidePgbench)).padStart(6)}/s` +
        `  ${shape('plain')}  ${shape('cross')}   ${slowest} ms`,
    )
  }
  const middle = (of: (round: Round) => number): number => median(rounds.map(of))
  console.log(
    `\ncross-currency, one transaction each  ${perSecond(middle(({ oneByOne }) => oneByOne.perSecond))}/s` +
      `\nHTTP sends, the whole stack           ${perSecond(middle(({ http }) => http.perSecond))}/s` +
      `   p50 ${middle(({ http }) => http.p50Ms).toFixed(1)} ms, p99 ${middle(({ http }) => http.p99Ms).toFixed(1)} ms` +
      `\nquotes of 64 callers                  ${perSecond(middle(({ quotes }) => quotes.perSecond))}/s` +
      `   p50 ${middle(({ quotes }) => quotes.p50Ms).toFixed(1)} ms, p99 ${middle(({ quotes }) => quotes.p99Ms).toFixed(1)} ms` +
      `\npgbench beside them, 16 clients       ${perSecond(middle(({ pgbench }) => pgbench.perSecond))}/s`,
  )
}

const speed = (what: string, value: number, must: number, counts = true): Goal => ({
  what,
  value,
  must,
  isLatency: false,
  counts,
})

/** Goals covered by the measured points. */
export function goalsOf(rounds: readonly Round[], quiet: boolean): Goal[] {
  const middle = (of: (round: Round) => number | undefined): number =>
    median(rounds.flatMap((round) => of(round) ?? []))
  const at = (callers: number, posters: number, of: (point: Point) => number) =>
    middle((round) => {
      const point = pointAt(round, callers, posters)
      return point && of(point)
    })
  const best = (shape: Shape) =>
    middle((round) => {
      const ratios = round.points.filter(({ callers }) => callers === 256).map((point) => ratio(point, shape))
      return ratios.length === 0 ? undefined : Math.max(...ratios)
    })
  const fourToOne = (shape: Shape) =>
    middle((round) => {
      const [one, four] = [pointAt(round, 256, 1), pointAt(round, 256, 4)]
      return one && four && ratio(four, shape) / ratio(one, shape)
    })
  const p99ToPgbench = (shape: Shape) =>
    at(
      64,
      1,
      (point) => point[shape].p99Ms / (point.pgbench.find(({ clients }) => clients === 64)?.p99Ms ?? Number.NaN),
    )
  const latency = (what: string, value: number, must: number): Goal => ({
    ...speed(what, value, must, quiet),
    isLatency: true,
  })
  return [
    speed(
      '64 callers, one poster: plain / pgbench',
      at(64, 1, (point) => ratio(point, 'plain')),
      2.6,
    ),
    speed(
      '64 callers, one poster: cross / pgbench',
      at(64, 1, (point) => ratio(point, 'cross')),
      1.9,
    ),
    speed('256 callers, best number: plain / pgbench', best('plain'), 3.2),
    speed('256 callers, best number: cross / pgbench', best('cross'), 2.3),
    speed('256 callers, four posters / one: plain', fourToOne('plain'), 0.95),
    speed('256 callers, four posters / one: cross', fourToOne('cross'), 0.95),
    latency("64 callers: p99 plain / pgbench's", p99ToPgbench('plain'), 0.3),
    latency("64 callers: p99 cross / pgbench's", p99ToPgbench('cross'), 0.3),
    speed(
      'HTTP sends / pgbench',
      middle(({ http, pgbench }) => http.perSecond / pgbench.perSecond),
      1,
      quiet,
    ),
    speed(
      'quotes / pgbench',
      middle(({ quotes, pgbench }) => quotes.perSecond / pgbench.perSecond),
      0.5,
      quiet,
    ),
    speed(
      'cross, 64 callers / one by one',
      middle((round) => {
        const point = pointAt(round, 64, 1)
        return point && point.cross.perSecond / round.oneByOne.perSecond
      }),
      10,
    ),
  ].filter(({ value }) => !Number.isNaN(value))
}

const isMet = ({ isLatency, value, must }: Goal): boolean => (isLatency ? value <= must : value >= must)

/** Whether a binding goal was missed. */
export const isMissed = (goal: Goal): boolean => goal.counts && !isMet(goal)

export function printGoals(goals: readonly Goal[]): void {
  console.log(`\n${'goal'.padEnd(44)}${'measured'.padStart(9)}  ${'must'.padStart(6)}`)
  for (const goal of goals) {
    const missed = goal.counts ? 'MISSED' : 'missed (counts on a quiet machine only: --quiet)'
    const must = `${goal.isLatency ? '≤' : '≥'} ${goal.must}`
    console.log(
      `${goal.what.padEnd(44)}${goal.value.toFixed(2).padStart(7)} ×  ${must.padStart(6)}  ${isMet(goal) ? 'met' : missed}`,
    )
  }
}
