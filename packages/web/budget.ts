import { existsSync, readdirSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const builds = fileURLToPath(new URL('build', import.meta.url))

/** The folder of the pages of each build, by its language; none before the first build. */
export const clientDirectories: readonly (readonly [language: string, folder: string])[] = existsSync(builds)
  ? readdirSync(builds).map((language) => [language, join(builds, language, 'client')] as const)
  : []

/** What one page brings over the wire before it can be used, in bytes after brotli (fonts are packed already). */
export interface PageWeight {
  /** '/dashboard' */
  readonly route: string
  readonly html: number
  readonly script: number
  readonly style: number
  readonly font: number
  readonly total: number
}

const addressesOf = (html: string, extension: string): string[] => [
  ...new Set(html.match(new RegExp(`/assets/[\\w.-]+\\.${extension}\\b`, 'g'))),
]

async function sizeOf(client: string, address: string): Promise<number> {
  const packed = address.endsWith('.woff2') ? address : `${address}.br`
  return (await stat(join(client, packed))).size
}

async function sizeOfAll(client: string, addresses: readonly string[]): Promise<number> {
  const sizes = await Promise.all(addresses.map((address) => sizeOf(client, address)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function weigh(client: string, file: string): Promise<PageWeight> {
  const text = await readFile(join(client, file), 'utf8')
  const [script, style, font] = await Promise.all(
    ['js', 'css', 'woff2'].map((extension) => sizeOfAll(client, addressesOf(text, extension))),
  )
  const weight = { html: await sizeOf(client, file), script: script ?? 0, style: style ?? 0, font: font ?? 0 }
  const total = weight.html + weight.script + weight.style + weight.font
  return { route: `/${dirname(file) === '.' ? '' : dirname(file)}`, ...weight, total }
}

/** Weighs every page of a build from what its own HTML loads. The build must have run. */
export async function weighPages(client: string): Promise<PageWeight[]> {
  const files = await readdir(client, { recursive: true })
  const pages = files.filter((file) => file.endsWith('index.html')).toSorted()
  return Promise.all(pages.map((page) => weigh(client, page)))
}
