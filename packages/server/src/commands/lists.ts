// npm run lists: shows which lists people are screened against. npm run lists:import: imports lists.

import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type ImportResult, type ListFile, ListFileError, type ListStatus } from '../features/compliance/compliance.ts'
import { alignedColumns, type Environment, exitCodeOf, settingsOf, withProduct } from './terminal.ts'
import { isMain } from '../platform/runtime/is-main.ts'

const usage = `npm run lists                              shows each list, its version and age; exit code 1 if one is too old
npm run lists:import -- FILE [FILE …]      imports lists: OFAC (CSV), UN (XML), EU and UK (CSV or XML), OpenSanctions (CSV)
                        [--force]          even if a list shrinks much, is older than before, or lacks its aliases`

interface Order {
  readonly files: readonly string[]
  readonly force: boolean
}

/** What is to be imported; 'status' to show the lists, undefined when it cannot be read. */
function readOrder(parameters: readonly string[]): Order | 'status' | undefined {
  if (parameters.length === 0) return 'status'
  const [command, ...rest] = parameters
  if (command !== 'import') return undefined
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { force: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    return positionals.length > 0 ? { files: positionals, force: values.force } : undefined
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
        if (order !== 'status') {
          const results = await compliance.importLists(order.files.map(readFile), order.force)
          for (const result of results) print(sentenceOf(result))
          return 0
        }
        const status = await compliance.listStatus()
        print(tableOf(status))
        return status.some(({ isStale }) => isStale) ? 1 : 0
      }),
  )
}

if (isMain(import.meta)) process.exitCode = await lists(process.argv.slice(2), process.env, console.log)
