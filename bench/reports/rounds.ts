// Results of the rounds, and their medians.

import type { SendKind } from '../http/crowd.ts'
import type { HttpPoint } from '../http/points.ts'
import { type Measured, median } from '../load.ts'
import type { Point } from '../movements/curve.ts'
import type { PgbenchResult } from '../movements/pgbench.ts'

/** Results of a round; parts not selected are empty. */
export interface Round {
  readonly points: readonly Point[]
  /** Cross-currency movements with one transaction each. */
  readonly oneByOne?: Measured
  readonly http: readonly HttpPoint[]
  /** Cross-currency quotes, by callers. */
  readonly quotes: readonly { readonly callers: number; readonly measured: Measured; readonly pgbench: PgbenchResult }[]
}

/** Returns the median over the rounds that have the value. */
export const computeMedian = (rounds: readonly Round[], valueOf: (round: Round) => number | undefined): number =>
  median(rounds.flatMap((round) => valueOf(round) ?? []))

export const pointAt = ({ points }: Round, callers: number, posters: number): Point | undefined =>
  points.find((point) => point.callers === callers && point.posters === posters)

export const httpPointAt = ({ http }: Round, callers: number, people: number): HttpPoint | undefined =>
  http.find((point) => point.callers === callers && point.people === people)

/** Returns the database CPU of an HTTP send as a multiple of that of the movement alone. */
export const databaseRatio = ({ sent, moved }: HttpPoint, kind: SendKind): number =>
  (sent[kind].databaseMs ?? Number.NaN) / (moved[kind].databaseMs ?? Number.NaN)
