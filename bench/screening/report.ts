import os from 'node:os'
import type pg from 'pg'
import { readQueries } from './make-queries.ts'
import { type ScreeningFigures, goals, importLists, measure, type Recall } from './measure.ts'

const percent = (part: number, whole: number): number => (100 * part) / Math.max(1, whole)
const findGoal = ({ alteration }: Recall): number | undefined =>
  alteration in goals ? goals[alteration as keyof typeof goals] : undefined

function recallLine(recall: Recall): string {
  const { source, alteration, queries, foundCount } = recall
  const share = percent(foundCount, queries)
  const goal = findGoal(recall)
  const verdict = goal === undefined ? '' : share >= goal ? 'met' : `MISSED (goal ${goal} %)`
  const figure = `${share.toFixed(1).padStart(6)} % of ${String(queries).padStart(5)}`
  return `${source.padEnd(18)} ${alteration.padEnd(16)} ${figure}   ${verdict}`.trimEnd()
}

/** Returns whether all goals are met, on each list. */
const isMet = ({ recalls, falseHits, ordinary, p95Ms }: ScreeningFigures): boolean =>
  recalls.every((recall) => percent(recall.foundCount, recall.queries) >= (findGoal(recall) ?? 0)) &&
  percent(falseHits, ordinary) <= goals.falseHits &&
  p95Ms < goals.p95Ms

/** Prints the share of altered names found by list, false hits and timing; returns whether all goals are met. */
export async function reportScreening(pool: pg.Pool, print: (line: string) => void): Promise<boolean> {
  const queries = readQueries()
  await importLists(pool, queries, new Date())
  const figures = await measure(pool, { queries })
  const { recalls, names, ordinary, falseHits, falseHitsBySource, p50Ms, p95Ms, p99Ms, cpuMs, p95CpuMs } = figures
  print(
    `\nscreening: ${names.toLocaleString('en-US')} listed names, ${queries.length.toLocaleString('en-US')} altered ones`,
  )
  for (const recall of recalls) print(recallLine(recall))
  for (const [source, hitCount] of [...falseHitsBySource, ['all', falseHits] as const]) {
    const share = percent(hitCount, ordinary)
    const verdict = share <= goals.falseHits ? 'met' : `MISSED (goal ${goals.falseHits} %)`
    print(
      `${source.padEnd(18)} ${'false hits'.padEnd(16)} ${share.toFixed(1).padStart(6)} % of ${String(ordinary).padStart(5)}   ${verdict}`,
    )
  }
  const times = [p50Ms, p95Ms, p99Ms].map((ms) => `${ms.toFixed(1)} ms`)
  const load = os.loadavg().map((value) => value.toFixed(1))
  print(
    `one name   p50 ${times[0]}   p95 ${times[1]}   p99 ${times[2]}   ${p95Ms < goals.p95Ms ? 'met' : `MISSED (goal ${goals.p95Ms} ms)`}`,
  )
  print(
    `CPU of this process   mean ${cpuMs.toFixed(1)} ms   p95 ${p95CpuMs.toFixed(1)} ms   ${os.availableParallelism()} cores, load ${load.join(' ')}`,
  )
  return isMet(figures)
}
