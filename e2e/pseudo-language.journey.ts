import fs from 'node:fs'
import path from 'node:path'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { currencyCodes } from '../packages/money/src/currency.ts'
import { hasPlainLetters, pseudoCode, writePseudoLanguage } from '../tools/pseudo-language.ts'
import { buildLanguage } from '../tools/product/web-build.ts'
import { expectFits, findLooseAmounts, readTexts } from './page-texts.ts'
import { productUrl } from './pages.ts'
import { walkAll } from './walk.ts'

const folder = fileURLToPath(new URL('../.cache/pseudo-language', import.meta.url))
const build = path.join(folder, 'build')

/** API fields with text written or chosen by users, or with untranslated names. */
const ownKeys = /^(name|username|email|description|bank|bank_name|brand|place|device|city|label|id|reference)$/

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/

/** People, banks and cards of the gallery. */
const samples = ['Grace Tan', 'Lucas', 'Priya Raman', 'Harbour Bank', 'Undertow Bank', 'Visa', 'Mastercard']

function ownTextsIn(value: unknown, key = ''): string[] {
  // Greetings use only part of the name.
  if (typeof value === 'string') {
    // The page derives the reference from the id.
    const made = isId.test(value) ? [deriveReference(value)] : []
    return ownKeys.test(key) ? [value, ...made, ...(key === 'name' ? value.split(' ') : [])] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => ownTextsIn(part, Array.isArray(value) ? key : name))
}

/** Serves the pages of the pseudo-language in place of the product's; API calls reach the product. */
async function servePseudo(context: BrowserContext): Promise<void> {
  const client = path.join(build, 'client')
  const policies = JSON.parse(fs.readFileSync(path.join(build, 'csp.json'), 'utf8')) as Record<string, string>
  await context.route(`${productUrl()}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith('/api/')) return route.continue()
    if (/\.\w+$/.test(pathname)) return route.fulfill({ path: path.join(client, pathname) })
    const page = path.posix.join(pathname.slice(1), 'index.html')
    const file = policies[page] === undefined ? '__spa-fallback.html' : page
    const headers = { 'content-type': 'text/html', 'content-security-policy': policies[file] ?? '' }
    await route.fulfill({ path: path.join(client, file), headers })
  })
}

const currency = new RegExp(String.raw`\b(${currencyCodes.join('|')})\b|\b[A-Z]{1,2}(?=[$£¥])`, 'g')
/** Two-letter avatar of a person. */
const monogram = /^[A-Z]{2}$/

/** Removes text that may be in any language: user content, monograms, currencies. */
function withoutOwnTexts(text: string, own: ReadonlySet<string>): string {
  let rest = text.replace(monogram, '').replaceAll(currency, '')
  for (const part of [...own].toSorted((a, b) => b.length - a.length)) rest = rest.replaceAll(part, '')
  return rest
}

const onPhone = { viewport: { width: 390, height: 844 }, colorScheme: 'light' } as const

test('in the pseudo-language every page shows only the catalogue’s texts, from right to left, and fits', async ({
  browser,
}) => {
  test.setTimeout(600_000)
  await buildLanguage(writePseudoLanguage(folder), build)
  // Street mode shows this browser's time zone.
  const own = new Set<string>([...samples, 'UTC'])
  const answers: Promise<unknown>[] = []
  const open = async () => {
    const context = await browser.newContext({ ...onPhone, locale: pseudoCode })
    await servePseudo(context)
    context.on('response', (response) => {
      if (!/\bjson\b/.test(response.headers()['content-type'] ?? '')) return
      const gather = (body: unknown) => ownTextsIn(body).forEach((text) => own.add(text))
      answers.push(response.json().then(gather, () => undefined))
    })
    return context.newPage()
  }
  const judge = async (page: Page, where: string) => {
    await Promise.all(answers)
    const foreign = (await readTexts(page)).filter((text) => hasPlainLetters(withoutOwnTexts(text, own)))
    expect.soft(foreign, `${where} has only texts of the catalogue`).toEqual([])
    expect.soft(await findLooseAmounts(page), `${where} keeps amounts from left to right`).toEqual([])
    await expectFits(page, where)
  }
  await walkAll(open, judge, judge)
})
