import fs from 'node:fs'
import path from 'node:path'
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
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

type CommandOrder =
  | { readonly command: 'status' }
  | { readonly command: 'import'; readonly files: readonly string[]; readonly force: boolean }
  | { readonly command: 'fetch'; readonly sources: readonly ListSource[]; readonly force: boolean }

const findSource = (name: string): ListSource | undefined => listSources.find((source) => source === name)

/** Parses the parameters. Throws UsageError. */
function readOrder([command = 'status', ...rest]: readonly string[]): CommandOrder {
  if (command === 'status' && rest.length === 0) return { command }
  const { values, positionals } = parse({
    args: rest,
    options: { force: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const { force } = values
  if (command === 'import' && positionals.length > 0) return { command, files: positionals, force }
  const sources = positionals.map(findSource).filter((source) => source !== undefined)
  if (command !== 'fetch' || sources.length !== positionals.length) throw new UsageError()
  return { command, sources, force }
}

function readFile(file: string): ListFile {
  try {
    return { name: path.basename(file), bytes: fs.readFileSync(file) }
  } catch (error) {
    throw new ListFileError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
  }
}

function describeImport({ source, version, entries, added, changed, ended }: ImportResult): string {
  return added + changed + ended === 0
    ? `${source}: nothing has changed since version ${version} (${entries} entries).`
    : `${source}: version ${version} is in force, ${entries} entries: ${added} new, ${changed} changed, ${ended} ended.`
}

const formatMinute = (date: Date | undefined): string =>
  date ? `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC` : '-'

function formatTable(lists: readonly ListStatus[]): string {
  const rows = lists.map(({ source, version, publishedAt, importedAt, checkedAt, entries, isStale }) => [
    source,
    isStale ? (version === undefined ? 'missing' : 'STALE') : 'in force',
    formatMinute(publishedAt),
    formatMinute(importedAt),
    formatMinute(checkedAt),
    version === undefined ? '-' : String(version),
    String(entries),
  ])
  const head = ['list', 'state', 'published', 'imported', 'checked', 'version', 'entries']
  return alignedColumns([head, ...rows], 5).join('\n')
}

const formatResult = ({ source, outcome, failure }: FetchResult): string =>
  outcome === 'failed'
    ? `${source}: ${failure}`
    : `${source}: ${outcome === 'imported' ? 'a new version is in force' : 'up to date'}.`

async function printStatus(compliance: Compliance, print: (text: string) => void): Promise<number> {
  const status = await compliance.listStatus()
  print(formatTable(status))
  for (const { source, failure, since } of await compliance.fetchFailures())
    print(`${source} could not be fetched since ${formatMinute(since)}: ${failure}`)
  return status.some(({ isStale }) => isStale) ? 1 : 0
}

/** Fetches the named lists, or all. */
async function fetchAndReport(
  compliance: Compliance,
  { sources, force }: { sources: readonly ListSource[]; force: boolean },
  print: (text: string) => void,
): Promise<number> {
  const results = await compliance.fetchLists({ ...(sources.length > 0 ? { sources } : {}), force })
  for (const result of results) print(formatResult(result))
  const sourcesWithoutAddress = sources.filter((source) => !results.some((result) => result.source === source))
  if (sourcesWithoutAddress.length > 0 || results.length === 0)
    print(`SCREENING_LIST_URLS has no address for ${sourcesWithoutAddress.join(', ') || 'any list'}.`)
  return results.some(({ outcome }) => outcome === 'failed') || sourcesWithoutAddress.length > 0 || results.length === 0
    ? 1
    : 0
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, async ({ compliance }) => {
    if (order.command === 'fetch') return fetchAndReport(compliance, order, print)
    if (order.command === 'status') return printStatus(compliance, print)
    const results = await compliance.importLists(order.files.map(readFile), order.force)
    for (const result of results) for (const line of [describeImport(result), ...result.notes]) print(line)
    return 0
  })
}
