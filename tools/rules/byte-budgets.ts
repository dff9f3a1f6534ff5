// Checks the compressed size of each built page against its budget.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { allMatches, listScripts } from '../../packages/web/pack/page-files.ts'

interface PageWeight {
  page: string
  js: number
  css: number
  /** Everything needed for the first view except scripts: text, styles, fonts and images. */
  shown: number
  all: number
}

const buildFolder = fileURLToPath(new URL('../../packages/web/build', import.meta.url))
const kilobyte = 1024

/** Default for every page, in kilobytes. */
const sharedBudget = { js: 150, css: 8, shown: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY }
const budgets: Record<string, typeof sharedBudget> = {
  '/': { ...sharedBudget, js: 9, shown: 45 },
  '/how-it-works': { ...sharedBudget, js: 1, all: 45 },
  '/security': { ...sharedBudget, js: 1, all: 45 },
  '/prices': { ...sharedBudget, js: 8, all: 45 },
  '/terms': { ...sharedBudget, js: 0, all: 45 },
  '/privacy': { ...sharedBudget, js: 0, all: 45 },
  '/compliance': { ...sharedBudget, js: 0, all: 45 },
  '/help': { ...sharedBudget, js: 0, all: 45 },
  '/dashboard': { ...sharedBudget, js: 115 },
  // All components; sandbox mode only.
  '/gallery': { ...sharedBudget, css: 12 },
}

/** Returns a file's size in bytes, compressed with Brotli if the build has such a file. */
function measureSize(client: string, address: string): number {
  const file = path.join(client, address)
  return fs.statSync(fs.existsSync(`${file}.br`) ? `${file}.br` : file).size
}

function read(client: string, address: string): string {
  return fs.readFileSync(path.join(client, address), 'utf8')
}

/** Returns the fonts with a character of the page in their `unicode-range`, and those without a range. */
function listFonts(html: string, css: string): string[] {
  const characters = new Set(
    Array.from(html.replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, ''), (char) => char.codePointAt(0) ?? 0),
  )
  return allMatches(css, /(@font-face\s*\{[^}]*\})/g).flatMap((fontFace) => {
    const ranges = [...fontFace.matchAll(/U\+([0-9a-f]+)(?:-([0-9a-f]+))?/gi)].map(([, from = '', to = from]) => [
      Number.parseInt(from, 16),
      Number.parseInt(to, 16),
    ])
    const isUsed =
      ranges.length === 0 ||
      ranges.some(([from = 0, to = 0]) => [...characters].some((code) => code >= from && code <= to))
    return isUsed ? allMatches(fontFace, /url\(["']?(\/[^"')]+)/g) : []
  })
}

function measurePage(client: string, file: string): PageWeight {
  const html = read(client, file)
  const sum = (addresses: Iterable<string>) =>
    [...new Set(addresses)].reduce((bytes, address) => bytes + measureSize(client, address), 0)
  const sheets = allMatches(html, /<link[^>]*\srel="stylesheet"[^>]*\shref="([^"#]+)#?"/g)
  const inline = allMatches(html, /<style[^>]*>([\s\S]*?)<\/style>/g).join('')
  const page = `/${path.posix.dirname(file) === '.' ? '' : path.posix.dirname(file)}`
  const js = sum(listScripts(client, html))
  const css = sum(sheets)
  const pictures = allMatches(html, /<img[^>]*\ssrc="(\/[^"]+)"/g)
  const fonts = listFonts(html, inline + sheets.map((sheet) => read(client, sheet)).join(''))
  const shown = measureSize(client, file) + css + sum(pictures) + sum(fonts)
  return { page, js, css, shown, all: shown + js }
}

const formatKilobytes = (bytes: number) => (bytes / kilobyte).toFixed(1).padStart(7)

function checkBudgets(language: string): void {
  const client = path.join(buildFolder, language, 'client')
  const files = fs.readdirSync(client, { recursive: true, encoding: 'utf8' })
  const pages = files.filter((file) => path.basename(file) === 'index.html').map((file) => measurePage(client, file))
  console.log(`     js     css   shown     all  (KB compressed)  ${language}`)
  let isOverBudget = false
  for (const { page, ...bytes } of pages.toSorted((a, b) => (a.page < b.page ? -1 : 1))) {
    const budget = budgets[page] ?? sharedBudget
    const exceededKinds = (['js', 'css', 'shown', 'all'] as const).filter(
      (kind) => bytes[kind] > budget[kind] * kilobyte,
    )
    const overText = exceededKinds.map((kind) => `  OVER: ${kind} may be ${budget[kind]}`).join('')
    console.log(
      `${formatKilobytes(bytes.js)} ${formatKilobytes(bytes.css)} ${formatKilobytes(bytes.shown)} ${formatKilobytes(bytes.all)}  ${page}${overText}`,
    )
    isOverBudget ||= exceededKinds.length > 0
  }
  const missing = Object.keys(budgets).filter((page) => !pages.some((weight) => weight.page === page))
  if (missing.length > 0) console.log(`Pages with a budget that were not built: ${missing.join(', ')}`)
  if (isOverBudget || missing.length > 0) process.exitCode = 1
}

for (const language of fs.readdirSync(buildFolder)) checkBudgets(language)
