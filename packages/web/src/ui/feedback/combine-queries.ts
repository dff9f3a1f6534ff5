import type { LoadState } from './DataShell.tsx'

type QueryData<Query> = Query extends LoadState<infer Data> ? Exclude<Data, undefined> : never

/** Combines queries whose data is shown once all have loaded. A retry repeats the failed ones. */
export function combineQueries<Queries extends Readonly<Record<string, LoadState<unknown>>>>(
  queries: Queries,
): LoadState<{ readonly [Name in keyof Queries]: QueryData<Queries[Name]> }> {
  const all = Object.values(queries)
  const failed = all.filter(({ error }) => error)
  const data = Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, query.data]))
  return {
    data: all.every((query) => query.data !== undefined) ? (data as never) : undefined,
    error: failed[0]?.error ?? null,
    refetch: () => Promise.all(failed.map(({ refetch }) => refetch())),
  }
}
