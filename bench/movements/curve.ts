// Measures movements by number of callers and posters, compared with pgbench on the same server.

import { createMover } from '../../packages/server/src/features/wallets/move.ts'
import { measure, type LoadMeasurement } from '../load.ts'
import { moveOne } from './move-all.ts'
import { type PgbenchReference, type PgbenchResult, runPgbenches } from './pgbench.ts'
import { buildCrossSend, buildPlainSend, type BenchPopulation } from './population.ts'

const shapes = { plain: buildPlainSend, cross: buildCrossSend } as const
export type SendShape = keyof typeof shapes

export interface CurvePoint {
  readonly callers: number
  readonly posters: number
  readonly plain: LoadMeasurement
  readonly cross: LoadMeasurement
  readonly pgbench: readonly PgbenchResult[]
}

interface CurveOptions extends PgbenchReference {
  readonly databaseUrl: string
  readonly population: BenchPopulation
}

/** Measures a point: pgbench, plain sends, then cross-currency sends. */
export async function measurePoint(
  options: CurveOptions,
  { callers, posters }: { callers: number; posters: number },
): Promise<CurvePoint> {
  const { databaseUrl, population, seconds } = options
  const movers = Array.from({ length: posters }, () => createMover({ databaseUrl }))
  let turn = 0
  const run = (sendShape: SendShape) =>
    measure({ callers, durationMs: seconds * 1000 }, async () => {
      turn += 1
      const mover = movers[turn % movers.length]
      if (mover) await moveOne(mover, shapes[sendShape](population))
    })
  try {
    const pgbench = await runPgbenches(options)
    const plain = await run('plain')
    return { callers, posters, pgbench, plain, cross: await run('cross') }
  } finally {
    await Promise.all(movers.map((mover) => mover.close()))
  }
}
