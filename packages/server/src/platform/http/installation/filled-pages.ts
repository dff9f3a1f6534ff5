import { readFileSync } from 'node:fs'
import { fillLists, fillPage, type Installation, type LoadedList } from './installation.ts'
import { packPage, type PackedPage } from './packed-page.ts'

interface FilledPagesOptions {
  /** The folder of the built files, with a slash at its end. */
  readonly client: string
  readonly files: readonly string[]
  readonly language: string
  readonly installation: Installation
  /** May throw; then the pages say what they said before. */
  readonly readLists: () => Promise<readonly LoadedList[]>
  /** The real time in milliseconds. */
  readonly now?: () => number
}

const listsAgeMs = 60_000

/**
 * The pages that say something else here than as they were built, ready to be sent. License and contact are filled in once,
 * the lists that people are compared with at most once a minute, when somebody asks for a page that names them.
 */
export function createFilledPages(options: FilledPagesOptions) {
  const { client, files, language, installation, readLists, now = Date.now } = options
  const filled = new Map<string, PackedPage>()
  const withLists = new Map<string, string>()
  for (const file of files) {
    const built = readFileSync(client + file, 'utf8')
    const html = fillPage(built, installation)
    if (html !== built) filled.set(file, packPage(html))
    if (html.includes(' data-value="list-')) withLists.set(file, html)
  }
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function fillInLists(): Promise<void> {
    readAt = now()
    try {
      const lists = await readLists()
      for (const [file, html] of withLists) {
        const text = fillLists(html, lists, language)
        filled.set(file, packPage(text))
      }
    } catch {
      // The database is away: health checks say so, and this page says what it last knew.
    }
  }

  return {
    /** A page as it reads now; undefined when it reads as it was built. */
    async page(file: string): Promise<PackedPage | undefined> {
      if (withLists.has(file) && now() - readAt >= listsAgeMs) {
        reading ??= fillInLists().finally(() => (reading = undefined))
      }
      if (withLists.has(file)) await reading
      return filled.get(file)
    },
  }
}

export type FilledPages = ReturnType<typeof createFilledPages>
