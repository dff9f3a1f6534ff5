import fs from 'node:fs'
import path from 'node:path'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { currencyCodes } from '../packages/money/src/currency.ts'
import { hasPlainLetters, pseudoCode, writePseudoLanguage } from '../tools/pseudo-language.ts'
import { buildLanguage } from '../tools/product/web-build.ts'
import { expectNoOverflow, findLooseAmounts, readTexts } from './page-texts.ts'
import { productUrl } from './pages.ts'
import { checkAllPages } from './check-all-pages.ts'

const folder = fileURLToPath(new URL('../.cache/pseudo-language', import.meta.url))
const build = path.join(folder, 'build')

/** API fields with texts of users, or with names that are not translated. */
const userTextFields = /^(name|username|email|description|bank|bank_name|brand|place|device|city|label|id|reference)$/

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/

/** People, banks and cards of the gallery. */
const samples = ['Grace Tan', 'Lucas', 'Priya Raman', 'Harbour Bank', 'Undertow Bank', 'Visa', 'Mastercard']

function listOwnTexts(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    // Pages derive a transaction's reference from its id.
    const derivedReferences = isId.test(value) ? [deriveReference(value)] : []
    // Includes each part of a name, since greetings use only one.
    return userTextFields.test(key) ? [value, ...derivedReferences, ...(key === 'name' ? value.split(' ') : [])] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => listOwnTexts(part, Array.isArray(value) ? key : name))
}

/** Serves pages in the pseudo-language instead of the product's pages; API calls reach the product. */
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
/** Initials on a person's avatar. */
const monogram = /^[A-Z]{2}$/

/** Removes texts that are not translated: users' texts, initials, currencies. */
function removeOwnTexts(text: string, ownTexts: ReadonlySet<string>): string {
  let remaining = text.replace(monogram, '').replaceAll(currency, '')
  for (const part of [...ownTexts].toSorted((a, b) => b.length - a.length)) remaining = remaining.replaceAll(part, '')
  return remaining
}

const phoneContext = { viewport: { width: 390, height: 844 }, colorScheme: 'light' } as const

test('in the pseudo-language every page shows only the catalogue’s texts, from right to left, and fits', async ({
  browser,
}) => {
  await buildLanguage(writePseudoLanguage(folder), build)
  // Street mode shows the browser's time zone.
  const ownTexts = new Set<string>([...samples, 'UTC'])
  const answers: Promise<unknown>[] = []
  const openPage = async () => {
    const context = await browser.newContext({ ...phoneContext, locale: pseudoCode })
    await servePseudo(context)
    context.on('response', (response) => {
      if (!/\bjson\b/.test(response.headers()['content-type'] ?? '')) return
      const collectOwnTexts = (body: unknown) => listOwnTexts(body).forEach((text) => ownTexts.add(text))
      answers.push(response.json().then(collectOwnTexts, () => undefined))
    })
    return context.newPage()
  }
  const checkPage = async (page: Page, description: string) => {
    await Promise.all(answers)
    const untranslated = (await readTexts(page)).filter((text) => hasPlainLetters(removeOwnTexts(text, ownTexts)))
    expect.soft(untranslated, `${description} has only texts of the catalogue`).toEqual([])
    expect.soft(await findLooseAmounts(page), `${description} keeps amounts from left to right`).toEqual([])
    await expectNoOverflow(page, description)
  }
  await checkAllPages(openPage, checkPage, checkPage)
})
