import path from 'node:path'
import type pg from 'pg'
import type { Db } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'
import { ListFileError, type ListSource } from '../lists/entry.ts'
import { type FoundList, type ListFile, readListFiles } from '../lists/read-files.ts'
import { importList } from '../store/import-list.ts'
import { type Download, download, type FileState } from './download.ts'
import type { ScreeningFetchRow } from '../../row-types.ts'

type Ctx = Pick<ScreeningContext, 'now' | 'log' | 'listAddresses' | 'downloadLimits'>

/** Outcome of fetching one list; `unchanged` if no entry was added, changed or removed. */
export interface FetchResult {
  readonly source: ListSource
  readonly outcome: 'imported' | 'unchanged' | 'failed'
  readonly failure?: string
}

type FetchRow = Pick<ScreeningFetchRow, 'files' | 'version'>

/**
 * Fetches the lists that have addresses, or only `sources`, one after another. If a file cannot be downloaded, is
 * damaged, empty, older than the list in force, of another list, or lacks too many entries, the failure is stored and
 * logged, and the list in force stays. `force` accepts files that are older or lack entries or aliases.
 */
export async function fetchLists(
  ctx: Ctx,
  pool: pg.Pool,
  { sources, force = false }: { readonly sources?: readonly ListSource[]; readonly force?: boolean } = {},
): Promise<FetchResult[]> {
  const results: FetchResult[] = []
  for (const [name, urls] of Object.entries(ctx.listAddresses)) {
    const source = name as ListSource
    if (urls.length === 0 || (sources && !sources.includes(source))) continue
    results.push(await fetchList(ctx, pool, { source, urls, force }))
  }
  return results
}

interface FetchOrder {
  readonly source: ListSource
  readonly urls: readonly string[]
  readonly force: boolean
}

async function fetchList(ctx: Ctx, pool: pg.Pool, order: FetchOrder): Promise<FetchResult> {
  const { now, log } = ctx
  const { source } = order
  try {
    const outcome = await updateList(ctx, pool, order)
    await pool.query(
      `update screening_fetch set tried_at = $2, failure = null, failing_since = null where source = $1`,
      [source, now()],
    )
    return { source, outcome }
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error
    await pool.query(
      `insert into screening_fetch as known (source, tried_at, failure, failing_since) values ($1, $2, $3, $2)
       on conflict (source) do update set tried_at = excluded.tried_at, failure = excluded.failure,
         failing_since = coalesce(known.failing_since, excluded.failing_since)`,
      [source, now(), error.message],
    )
    log.error({ source, failure: error.message }, 'a screening list could not be fetched')
    return { source, outcome: 'failed', failure: error.message }
  }
}

async function updateList(
  ctx: Ctx,
  pool: pg.Pool,
  { source, urls, force }: FetchOrder,
): Promise<'imported' | 'unchanged'> {
  const lastStates = force ? new Map<string, FileState>() : await readStates(pool, source, urls)
  const downloads = await downloadAll(ctx, urls, lastStates)
  if (downloads.every(({ status }) => status === 'unchanged')) {
    await pool.query(
      `update screening_list set checked_at = $2 where source = $1
          and version = (select max(version) from screening_list where source = $1)`,
      [source, ctx.now()],
    )
    return 'unchanged'
  }
  // A list is imported as a whole, so its unchanged files are needed too.
  const completeDownloads = lastStates.size === 0 ? downloads : await downloadAll(ctx, urls, new Map())
  const fetchedFiles = completeDownloads.filter((file) => file.status === 'fetched')
  const foundList = requireOnlyList(source, readListFiles(toListFiles(source, fetchedFiles), force))
  const { version, added, changed, ended } = await importList(ctx, pool, { foundList, force })
  await pool.query(
    `insert into screening_fetch (source, files, version, tried_at) values ($1, $2, $3, $4)
     on conflict (source) do update set files = excluded.files, version = excluded.version`,
    [source, JSON.stringify(fetchedFiles.map(({ state }) => state)), version, ctx.now()],
  )
  return added + changed + ended === 0 ? 'unchanged' : 'imported'
}

/** Returns the file states of the version in force; empty, so that all files are fetched, if a state is missing. */
async function readStates(
  db: Db,
  source: ListSource,
  urls: readonly string[],
): Promise<ReadonlyMap<string, FileState>> {
  const { rows } = await db.query<FetchRow>(
    `select files, version from screening_fetch
      where source = $1 and version = (select max(version) from screening_list where source = $1)`,
    [source],
  )
  const states = new Map(rows.flatMap(({ files }) => files).map((state) => [state.url, state]))
  const areComplete = states.size === urls.length && urls.every((url) => hasValidator(states.get(url)))
  return areComplete ? states : new Map()
}

const hasValidator = (state: FileState | undefined): boolean => Boolean(state?.etag ?? state?.lastModified)

async function downloadAll(
  { downloadLimits: limits }: Ctx,
  urls: readonly string[],
  lastStates: ReadonlyMap<string, FileState>,
): Promise<Download[]> {
  const downloads: Download[] = []
  for (const url of urls) downloads.push(await download(url, lastStates.get(url), limits))
  return downloads
}

/** Names files after their addresses: the parser distinguishes OFAC's two lists by file name. */
const toListFiles = (
  source: ListSource,
  fetchedFiles: readonly { bytes: Uint8Array; state: FileState }[],
): ListFile[] =>
  fetchedFiles.map(({ bytes, state }, index) => {
    const name = path.posix.basename(new URL(state.url).pathname)
    return { name: /\.\w+$/.test(name) ? name : `${source}-${index + 1}`, bytes }
  })

function requireOnlyList(source: ListSource, lists: readonly FoundList[]): FoundList {
  const [foundList, secondList] = lists
  if (!foundList || secondList || foundList.list.source !== source) {
    const names = lists.map(({ list }) => list.source).join(', ')
    throw new ListFileError(`${source}: its addresses give ${names || 'nothing'} instead.`)
  }
  return foundList
}

/** Returns the lists whose last fetch failed, with the reason and the time of the first failure. */
export async function readFailures(db: Db): Promise<{ source: ListSource; failure: string; since: Date }[]> {
  const { rows } = await db.query<{ source: ListSource; failure: string; since: Date }>(
    'select source, failure, failing_since as since from screening_fetch where failure is not null order by source',
  )
  return rows
}
