// npm run lists: shows which lists people are screened against, and fetches them. npm run lists:import: imports lists.

import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Compliance,
  type FetchResult,
  type ImportResult,
  type ListFile,
  ListFileError,
  type ListSource,
  listSources,
  type ListStatus,
} from '../features/compliance/compliance.ts'
import { alignedColumns, type Environment, exitCodeOf, settingsOf, withProduct } from './terminal.ts'
import { isMain } from '../platform/runtime/is-main.ts'

const usage = `npm run lists                              shows each list, its version and age; exit code 1 if one is too old
npm run lists:import -- FILE [FILE …]      imports lists: OFAC (CSV), UN (XML), EU and UK (CSV or XML), OpenSanctions (CSV)
                        [--force]          even if a list shrinks a lot, is older than before, or lacks its aliases
npm run lists -- fetch [LIST …] [--force]  fetches and imports lists from their addresses; exit code 1 if one failed`

type Order =
  | { readonly command: 'status' }
  | { readonly command: 'import'; readonly files: readonly string[]; readonly force: boolean }
  | { readonly command: 'fetch'; readonly sources: readonly ListSource[]; readonly force: boolean }

const sourceOf = (name: string): ListSource | undefined => listSources.find((source) => source === name)

/** Parses the command line; undefined when it is invalid. */
function readOrder(parameters: readonly string[]): Order | undefined {
  if (parameters.length === 0) return { command: 'status' }
  const [command, ...rest] = parameters
  if (command !== 'import' && command !== 'fetch') return undefined
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { force: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const { force } = values
    if (command === 'import') return positionals.length > 0 ? { command, files: positionals, force } : undefined
    const sources = positionals.map(sourceOf).filter((source) => source !== undefined)
    return sources.length === positionals.length ? { command, sources, force } : undefined
  } catch {
    return undefined
  }
}

function readFile(file: string): ListFile {
  try {
    return { name: path.basename(file), bytes: fs.readFileSync(file) }
  } catch (error) {
    throw new ListFileError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
  }
}

function sentenceOf({ source, version, entries, added, changed, ended }: ImportResult): string {
  return added + changed + ended === 0
    ? `${source}: nothing has changed since version ${version} (${entries} entries).`
    : `${source}: version ${version} is in force, ${entries} entries: ${added} new, ${changed} changed, ${ended} ended.`
}

const minuteOf = (date: Date | undefined): string =>
  date ? `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC` : '-'

function tableOf(lists: readonly ListStatus[]): string {
  const rows = lists.map(({ source, version, publishedAt, importedAt, checkedAt, entries, isStale }) => [
    source,
    isStale ? (version === undefined ? 'missing' : 'STALE') : 'in force',
    minuteOf(publishedAt),
    minuteOf(importedAt),
    minuteOf(checkedAt),
    version === undefined ? '-' : String(version),
    String(entries),
  ])
  const head = ['list', 'state', 'published', 'imported', 'checked', 'version', 'entries']
  return alignedColumns([head, ...rows], 5).join('\n')
}

const lineOf = ({ source, outcome, failure }: FetchResult): string =>
  outcome === 'failed'
    ? `${source}: ${failure}`
    : `${source}: ${outcome === 'imported' ? 'a new version is in force' : 'up to date'}.`

async function showStatus(compliance: Compliance, print: (text: string) => void): Promise<number> {
  const status = await compliance.listStatus()
  print(tableOf(status))
  for (const { source, failure, since } of await compliance.fetchFailures())
    print(`${source} could not be fetched since ${minuteOf(since)}: ${failure}`)
  return status.some(({ isStale }) => isStale) ? 1 : 0
}

/** Fetches all lists, or these. */
async function fetchThem(
  compliance: Compliance,
  { sources, force }: { sources: readonly ListSource[]; force: boolean },
  print: (text: string) => void,
): Promise<number> {
  const results = await compliance.fetchLists({ ...(sources.length > 0 ? { sources } : {}), force })
  for (const result of results) print(lineOf(result))
  const unknown = sources.filter((source) => !results.some((result) => result.source === source))
  if (unknown.length > 0 || results.length === 0)
    print(`SCREENING_LIST_URLS has no address for ${unknown.join(', ') || 'any list'}.`)
  return results.some(({ outcome }) => outcome === 'failed') || unknown.length > 0 || results.length === 0 ? 1 : 0
}

/** Does what the parameters say and gives the exit code: 1 when a list is too old, 2 when it could not be done. */
export async function lists(
  parameters: readonly string[],
  environment: Environment,
  print: (text: string) => void,
): Promise<number> {
  const order = readOrder(parameters)
  if (!order) {
    print(usage)
    return 2
  }
  return exitCodeOf(
    print,
    (error) => error instanceof ListFileError,
    () =>
      withProduct(settingsOf(environment), async ({ compliance }) => {
        if (order.command === 'fetch') return fetchThem(compliance, order, print)
        if (order.command === 'import') {
          const results = await compliance.importLists(order.files.map(readFile), order.force)
          for (const result of results) for (const line of [sentenceOf(result), ...result.notes]) print(line)
          return 0
        }
        return showStatus(compliance, print)
      }),
  )
}

if (isMain(import.meta)) process.exitCode = await lists(process.argv.slice(2), process.env, console.log)
