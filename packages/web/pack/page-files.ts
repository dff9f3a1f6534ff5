// Files that a built page loads.

import fs from 'node:fs'
import path from 'node:path'

export const allMatches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, first = '']) => first)

const read = (client: string, address: string): string => fs.readFileSync(path.join(client, address), 'utf8')

const importPattern = /(?:\bfrom|\bimport)\s*"(\.[^"]+\.js)"/g
const laterImportPattern = /\bimport\(\s*[`"'](\.[^`"']+\.js)[`"']\s*\)/g

const listImports = (client: string, address: string, pattern: RegExp): string[] =>
  allMatches(read(client, address), pattern).map((imported) => path.posix.join(path.posix.dirname(address), imported))

/** Adds the static imports of scripts, directly and through one another. */
function followImports(client: string, entries: readonly string[]): Set<string> {
  const reachable = new Set<string>()
  for (let next = entries; next.length > 0;) {
    const newAddresses = next.filter((address) => !reachable.has(address))
    for (const address of newAddresses) reachable.add(address)
    next = newAddresses.flatMap((address) => listImports(client, address, importPattern))
  }
  return reachable
}

/**
 * Returns a page's scripts and their static imports, all of which load when it opens. Excludes modules loaded by
 * `import()`, which pages use only for later steps; the gallery alone loads one at once.
 */
export function listScripts(client: string, html: string): Set<string> {
  return followImports(client, [
    ...allMatches(html, /<script[^>]*\ssrc="([^"]+)"/g),
    ...allMatches(html, /<link[^>]*\srel="modulepreload"[^>]*\shref="([^"]+)"/g),
    ...allMatches(html, /\bimport\s*(?:[\w*{}\s,]+\bfrom\s*)?"(\/assets\/[^"]+\.js)"/g),
  ])
}

/**
 * Returns every file of a page: those it names, the scripts and fonts these load, and the scripts that its own module
 * (that of `route`) loads later.
 */
export function listPageFiles(client: string, html: string, route: string): string[] {
  const named = allMatches(html, /(\/assets\/[\w.-]+)/g)
  const sheets = named.filter((address) => address.endsWith('.css'))
  const fonts = sheets.flatMap((sheet) => allMatches(read(client, sheet), /url\(["']?(\/assets\/[^"')]+\.woff2)/g))
  const variable = new RegExp(`"${route}":(route\\d+)`).exec(html)?.[1]
  const module = variable && new RegExp(`import \\* as ${variable} from "([^"]+)"`).exec(html)?.[1]
  if (!module) throw new Error(`the page of ${route} names no module`)
  const later = followImports(client, listImports(client, module, laterImportPattern))
  return [...new Set([...named, ...fonts, ...listScripts(client, html), ...later])].toSorted()
}
