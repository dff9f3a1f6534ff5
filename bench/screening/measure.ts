import type pg from 'pg'
import { emptyListedNames } from '../../packages/server/src/features/compliance/screening/matcher/listed-names.ts'
import { findMatches } from '../../packages/server/src/features/compliance/screening/matcher/screening.ts'
import { readListFiles } from '../../packages/server/src/features/compliance/screening/lists/read-files.ts'
import { importList } from '../../packages/server/src/features/compliance/screening/store/import-list.ts'
import { publishedLists } from '@tern/testkit/compliance/lists/published-lists'
import { type AlterationKind, alterations, type Query } from './make-queries.ts'
import { ordinaryNames } from './ordinary-names.ts'

/** Goals of screening, in percent (p95 in milliseconds); other alterations are measured without a goal. */
export const goals = { one_typo: 98, two_typos: 93, transliterated: 90, falseHits: 6, p95Ms: 10 } as const

const otherWritings: readonly AlterationKind[] = ['other_spelling', 'original_script', 'second_library', 'cyrillic']

/** Number of queries of one alteration and how many were found, in one list or in all. */
export interface Recall {
  readonly source: string
  readonly alteration: AlterationKind | 'transliterated'
  readonly queries: number
  readonly foundCount: number
}

export interface ScreeningFigures {
  readonly recalls: readonly Recall[]
  readonly names: number
  readonly ordinary: number
  readonly falseHits: number
  /** Count of false hits by matching list. */
  readonly falseHitsBySource: ReadonlyMap<string, number>
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** CPU time of this process per name: mean, and 95th percentile. */
  readonly cpuMs: number
  readonly p95CpuMs: number
}

/** Imports the committed lists without the names that `queries` exclude. */
export async function importLists(pool: pg.Pool, queries: readonly Query[], now: Date): Promise<void> {
  const excludedNames = new Set(
    queries.map(({ source, reference, excludedName: name }) => [source, reference, name].join('\t')),
  )
  for (const { list, files } of readListFiles(publishedLists(), true)) {
    const entries = list.entries.map((entry) => {
      const names = entry.names.filter(
        ({ name }) => !excludedNames.has([list.source, entry.reference, name].join('\t')),
      )
      return Object.assign({}, entry, { names })
    })
    await importList({ now: () => now }, pool, { foundList: { list: { ...list, entries }, files } })
  }
  await pool.query('vacuum analyze screening_name, screening_entry')
}

/** Returns every `step`-th item, beginning with the first. */
export const takeEvery = <T>(all: readonly T[], step: number): T[] => all.filter((_, index) => index % step === 0)

/** Returns about `countPerGoal` queries of each list and goal. */
export function sampleQueries(queries: readonly Query[], countPerGoal: number): Query[] {
  const chooseGoal = ({ alteration }: Query) => (otherWritings.includes(alteration) ? 'transliterated' : alteration)
  const groups = Map.groupBy(
    queries.filter((query) => chooseGoal(query) in goals),
    (query) => `${query.source} ${chooseGoal(query)}`,
  )
  return Array.from(groups.values()).flatMap((group) => takeEvery(group, Math.ceil(group.length / countPerGoal)))
}

/** Screens the queries in sequence, then ordinary names, which are on no list. */
export async function measure(
  pool: pg.Pool,
  { queries, ordinary = ordinaryNames }: { queries: readonly Query[]; ordinary?: readonly string[] },
): Promise<ScreeningFigures & { readonly missedQueries: readonly Query[]; readonly matchedNames: readonly string[] }> {
  const ctx = { listedNames: emptyListedNames() }
  for (const { query } of takeEvery(queries, 23)) await findMatches(ctx, pool, { names: [query] })
  const [timesMs, cpusMs]: [number[], number[]] = [[], []]
  const timeSearch = async (name: string) => {
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
    const { matches } = await findMatches(ctx, pool, { names: [name] })
    timesMs.push(performance.now() - startedAt)
    const { user, system } = process.cpuUsage(cpu)
    cpusMs.push((user + system) / 1000)
    return matches
  }
  const missedQueries: Query[] = []
  for (const query of queries) {
    const matches = await timeSearch(query.query)
    if (!matches.some(({ source, reference }) => source === query.source && reference === query.reference)) {
      missedQueries.push(query)
    }
  }
  const matchedNames: string[] = []
  const falseHitsBySource = new Map<string, number>()
  for (const name of ordinary) {
    const sources = new Set((await timeSearch(name)).map(({ source }) => source))
    for (const source of sources) falseHitsBySource.set(source, (falseHitsBySource.get(source) ?? 0) + 1)
    if (sources.size > 0) matchedNames.push(name)
  }
  const quantile = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
  const { rows } = await pool.query<{ names: number }>('select count(*)::int as names from screening_name')
  return {
    recalls: computeRecalls(queries, missedQueries),
    names: rows[0]?.names ?? 0,
    ordinary: ordinary.length,
    falseHits: matchedNames.length,
    falseHitsBySource,
    p50Ms: quantile(timesMs, 0.5),
    p95Ms: quantile(timesMs, 0.95),
    p99Ms: quantile(timesMs, 0.99),
    cpuMs: cpusMs.reduce((sum, ms) => sum + ms, 0) / cpusMs.length,
    p95CpuMs: quantile(cpusMs, 0.95),
    missedQueries,
    matchedNames,
  }
}

function computeRecalls(queries: readonly Query[], missedQueries: readonly Query[]): Recall[] {
  const sources = [...new Set(queries.map(({ source }) => source)), 'all']
  return sources.flatMap((source) => {
    const computeRecall = (alteration: Recall['alteration'], kinds: readonly AlterationKind[]): Recall => {
      const isCounted = (query: Query) =>
        kinds.includes(query.alteration) && (source === 'all' || query.source === source)
      const count = queries.filter(isCounted).length
      return { source, alteration, queries: count, foundCount: count - missedQueries.filter(isCounted).length }
    }
    return [
      ...alterations.map((alteration) => computeRecall(alteration, [alteration])),
      computeRecall('transliterated', otherWritings),
    ].filter(({ queries: count }) => count > 0)
  })
}
