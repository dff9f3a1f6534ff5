// Movement throughput by callers and posters, each point next to pgbench on the same server.

import { createMover, type Mover, type MoveRequest } from '../packages/server/src/features/wallets/move.ts'
import { measure, type Measured } from './load.ts'
import { type PgbenchResult, runPgbench } from './pgbench.ts'
import { crossSend, plainSend, type Town } from './traffic.ts'

export const shapes = { plain: plainSend, cross: crossSend } as const
export type Shape = keyof typeof shapes

export interface Point {
  readonly callers: number
  readonly posters: number
  readonly plain: Measured
  readonly cross: Measured
  readonly pgbench: readonly PgbenchResult[]
}

/** A point's reference: the better of pgbench with 16 and 64 clients. */
export const besidePgbench = ({ pgbench }: Pick<Point, 'pgbench'>): number =>
  pgbench.reduce((best, { perSecond }) => (perSecond > best ? perSecond : best), 0)

const pgbenchClients = [16, 64] as const

export interface CurveOptions {
  readonly databaseUrl: string
  readonly town: Town
  readonly program: string
  readonly pgbenchUrl: string
  readonly seconds: number
}

/** Measures a point: pgbench, plain sends, then cross-currency sends. */
export async function measurePoint(
  { databaseUrl, town, program, pgbenchUrl, seconds }: CurveOptions,
  { callers, posters }: { callers: number; posters: number },
): Promise<Point> {
  const movers = Array.from({ length: posters }, () => createMover({ databaseUrl }))
  try {
    const pgbench: PgbenchResult[] = []
    for (const clients of pgbenchClients) pgbench.push(await runPgbench(program, pgbenchUrl, { clients, seconds }))
    const run = (shape: Shape) =>
      measure(
        callers,
        seconds * 1000,
        moveThrough(movers, () => shapes[shape](town)),
      )
    return { callers, posters, pgbench, plain: await run('plain'), cross: await run('cross') }
  } finally {
    await Promise.all(movers.map((mover) => mover.close()))
  }
}

function moveThrough(movers: readonly Mover[], next: () => MoveRequest): () => Promise<void> {
  let turn = 0
  return async () => {
    const mover = movers[turn++ % movers.length]
    const outcome = await mover?.move(next())
    if (outcome?.status !== 'posted') throw new Error(`a movement of the benchmark was ${JSON.stringify(outcome)}`)
  }
}
