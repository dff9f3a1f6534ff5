// Results of the rounds, and their medians.

import type { SendKind } from '../http/crowd.ts'
import type { HttpPoint } from '../http/points.ts'
import { type LoadMeasurement, median } from '../load.ts'
import type { CurvePoint } from '../movements/curve.ts'
import type { PgbenchResult } from '../movements/pgbench.ts'

/** Results of a round; parts not selected are empty. */
export interface BenchRound {
  readonly points: readonly CurvePoint[]
  /** Cross-currency movements of the conventional implementation. */
  readonly oneByOne?: LoadMeasurement
  readonly http: readonly HttpPoint[]
  /** Cross-currency quotes, by callers. */
  readonly quotes: readonly {
    readonly callers: number
    readonly measured: LoadMeasurement
    readonly pgbench: PgbenchResult
  }[]
}

/** Returns the median over the rounds that have the value. */
export const computeMedian = (
  rounds: readonly BenchRound[],
  valueOf: (round: BenchRound) => number | undefined,
): number => median(rounds.flatMap((round) => valueOf(round) ?? []))

export const pointAt = ({ points }: BenchRound, callers: number, posters: number): CurvePoint | undefined =>
  points.find((point) => point.callers === callers && point.posters === posters)

export const httpPointAt = ({ http }: BenchRound, callers: number, people: number): HttpPoint | undefined =>
  http.find((point) => point.callers === callers && point.people === people)

/** Returns the database CPU of an HTTP send as a multiple of that of the movement alone. */
export const databaseRatio = ({ sends, movements }: HttpPoint, kind: SendKind): number =>
  (sends[kind].databaseMs ?? Number.NaN) / (movements[kind].databaseMs ?? Number.NaN)
