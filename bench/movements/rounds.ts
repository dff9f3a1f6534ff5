import { connect } from '../../packages/server/src/platform/database/db.ts'
import { measure, type LoadMeasurement } from '../load.ts'
import { options } from '../options.ts'
import { measurePoint, type CurvePoint } from './curve.ts'
import { noteFunding, requireSoundBooks } from './sound-books.ts'
import { moveOneByOne, prepareOneByOne } from './one-by-one.ts'
import type { PgbenchReference } from './pgbench.ts'
import { createPopulation, buildCrossSend } from './population.ts'

const connections = 32
const oneByOneCallers = 64

export interface Movements {
  /** Measures every combination of callers and posters, then the conventional implementation. */
  measure(reference: PgbenchReference): Promise<{ points: CurvePoint[]; oneByOne: LoadMeasurement }>
  close(): Promise<void>
}

/** Prepares people who move money without HTTP, in the database at `url`. */
export async function startMovements(url: string): Promise<Movements> {
  const pool = connect(url, connections)
  const population = await createPopulation(pool, url)
  await prepareOneByOne(pool)
  return {
    async measure(reference) {
      const points: CurvePoint[] = []
      for (const posters of options.posters) {
        for (const callers of options.callers.movements) {
          points.push(await measurePoint({ ...reference, databaseUrl: url, population }, { callers, posters }))
          console.log(`movements: ${callers} callers, ${posters} posters`)
        }
      }
      const run = { callers: oneByOneCallers, durationMs: reference.seconds * 1000 }
      return { points, oneByOne: await measure(run, () => moveOneByOne(pool, buildCrossSend(population))) }
    },
    async close() {
      await noteFunding(pool)
      await requireSoundBooks(pool)
      await pool.end()
    },
  }
}
