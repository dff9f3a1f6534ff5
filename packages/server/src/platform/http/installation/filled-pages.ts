import { readFileSync } from 'node:fs'
import type { PublicSettings } from '../../runtime/config.ts'
import { type CardMoneyRule, fillCardMoney, fillLists, fillPage, type LoadedList } from './installation.ts'
import { packPage, type PackedPage } from './packed-page.ts'

/** What pages say that operators change as data while the server runs. */
export interface PublishedRules {
  readonly lists: readonly LoadedList[]
  readonly cardMoney: CardMoneyRule
}

interface FilledPagesOptions {
  /** The folder of the built files, with a slash at its end. */
  readonly client: string
  readonly files: readonly string[]
  readonly language: string
  readonly settings: PublicSettings
  /** May throw; then the pages keep their last text. */
  readonly readRules: () => Promise<PublishedRules>
  /** The real time in milliseconds. */
  readonly now?: () => number
}

const rulesAgeMs = 60_000
const rulesPattern = / data-(value|with)="(list|card)-/

/**
 * Pages that differ from the build because of the operator's settings and rules, ready to be sent. Settings are filled
 * in once, rules at most once a minute, on a request for a page that shows them. A page is compressed when it is first
 * asked for.
 */
export function createFilledPages(options: FilledPagesOptions) {
  const { client, files, language, settings, readRules, now = Date.now } = options
  const filled = new Map<string, string>()
  const packed = new Map<string, PackedPage>()
  const withRules = new Map<string, string>()
  for (const file of files) {
    const built = readFileSync(client + file, 'utf8')
    const html = fillPage(built, settings)
    if (html !== built) filled.set(file, html)
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
        if (text !== filled.get(file)) packed.delete(file)
        filled.set(file, text)
      }
    } catch {
      // The database is away: health checks say so, and this page keeps its last text.
    }
  }

  return {
    /** A page as it reads now; undefined when it reads as it was built. */
    async page(file: string): Promise<PackedPage | undefined> {
      if (withRules.has(file) && now() - readAt >= rulesAgeMs) {
        reading ??= fillInRules().finally(() => (reading = undefined))
      }
      if (withRules.has(file)) await reading
      const html = filled.get(file)
      if (html === undefined) return undefined
      const page = packed.get(file) ?? packPage(html)
      packed.set(file, page)
      return page
    },
  }
}

export type FilledPages = ReturnType<typeof createFilledPages>
