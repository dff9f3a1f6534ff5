import { readFileSync } from 'node:fs'
import type { PublicSettings } from '../../runtime/config.ts'
import { type CardMoneyRule, fillCardMoney, fillLists, fillPage, type LoadedList } from './installation.ts'
import { packPage, type PackedPage } from './packed-page.ts'

/** Rules on public pages that operators change while the server runs. */
export interface PublishedRules {
  readonly lists: readonly LoadedList[]
  readonly cardMoney: CardMoneyRule
}

interface FilledPagesOptions {
  /** Folder of the built files, with a trailing slash. */
  readonly client: string
  readonly files: readonly string[]
  readonly language: string
  readonly settings: PublicSettings
  /** If it throws, the pages keep their last text. */
  readonly readRules: () => Promise<PublishedRules>
  /** Real time in milliseconds; `Date.now` by default. */
  readonly now?: () => number
}

const rulesAgeMs = 60_000
const rulesPattern = / data-(value|with)="(list|card)-/

/**
 * Serves the pages that contain settings or rules of the operator. Settings are filled in once; rules are filled in on
 * a request, at most once a minute. Pages are compressed on first use.
 */
export function createFilledPages(options: FilledPagesOptions) {
  const { client, files, language, settings, readRules, now = Date.now } = options
  const filledPages = new Map<string, string>()
  const packedPages = new Map<string, PackedPage>()
  const withRules = new Map<string, string>()
  for (const file of files) {
    const builtPage = readFileSync(client + file, 'utf8')
    const html = fillPage(builtPage, settings)
    if (html !== builtPage) filledPages.set(file, html)
    if (rulesPattern.test(html)) withRules.set(file, html)
  }
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function fillInRules(): Promise<void> {
    readAt = now()
    try {
      const { lists, cardMoney } = await readRules()
      for (const [file, html] of withRules) {
        const text = fillCardMoney(fillLists(html, lists, language), cardMoney, language)
        if (text !== filledPages.get(file)) packedPages.delete(file)
        filledPages.set(file, text)
      }
    } catch {
      // Health checks report the database outage; this page keeps its last text.
    }
  }

  return {
    /** Returns a page with current values; undefined if it equals the build. */
    async page(file: string): Promise<PackedPage | undefined> {
      if (withRules.has(file) && now() - readAt >= rulesAgeMs) {
        reading ??= fillInRules().finally(() => (reading = undefined))
      }
      if (withRules.has(file)) await reading
      const html = filledPages.get(file)
      if (html === undefined) return undefined
      const page = packedPages.get(file) ?? packPage(html)
      packedPages.set(file, page)
      return page
    },
  }
}

export type FilledPages = ReturnType<typeof createFilledPages>
