import type pg from 'pg'
import { readQueries } from './make-queries.ts'
import { type Figures, goals, importWithout, measure, type Recall } from './measure.ts'
import { ordinaryNames } from './ordinary-names.ts'

const percent = (part: number, whole: number): number => (100 * part) / Math.max(1, whole)
const goalOf = ({ alteration }: Recall): number | undefined =>
  alteration in goals ? goals[alteration as keyof typeof goals] : undefined

function recallLine(recall: Recall): string {
  const { source, alteration, queries, found } = recall
  const share = percent(found, queries)
  const goal = recall.source === 'all' ? goalOf(recall) : undefined
  const verdict = goal === undefined ? '' : share >= goal ? 'met' : `MISSED (goal ${goal} %)`
  const figure = `${share.toFixed(1).padStart(6)} % of ${String(queries).padStart(5)}`
  return `${source.padEnd(18)} ${alteration.padEnd(16)} ${figure}   ${verdict}`.trimEnd()
}

/** Whether all goals are met. */
const isMet = ({ recalls, falseHits, ordinary, p95Ms }: Figures): boolean =>
  recalls.every(
    (recall) => recall.source !== 'all' || percent(recall.found, recall.queries) >= (goalOf(recall) ?? 0),
  ) &&
  percent(falseHits, ordinary) <= goals.falseHits &&
  p95Ms < goals.p95Ms

/** Prints how many altered names screening finds, list by list, whom it finds in vain, and how long it takes. */
export async function reportScreening(pool: pg.Pool, print: (line: string) => void): Promise<boolean> {
  const queries = readQueries()
  await importWithout(pool, queries, new Date())
  const figures = await measure(pool, { queries })
  const { recalls, names, ordinary, falseHits, p50Ms, p95Ms } = figures
  print(
    `\nscreening: ${names.toLocaleString('en-US')} listed names, ${queries.length.toLocaleString('en-US')} altered ones`,
  )
  for (const recall of recalls) print(recallLine(recall))
  const share = percent(falseHits, ordinary)
  const verdict = share <= goals.falseHits ? 'met' : `MISSED (goal ${goals.falseHits} %)`
  print(
    `${'false hits'.padEnd(35)} ${share.toFixed(1).padStart(6)} % of ${String(ordinaryNames.length).padStart(5)}   ${verdict}`,
  )
  print(
    `${'one name'.padEnd(35)} p50 ${p50Ms.toFixed(1)} ms   p95 ${p95Ms.toFixed(1)} ms   ${p95Ms < goals.p95Ms ? 'met' : `MISSED (goal ${goals.p95Ms} ms)`}`,
  )
  return isMet(figures)
}
