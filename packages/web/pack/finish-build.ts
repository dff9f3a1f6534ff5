import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { removalWorkerPath, workerPath } from '@tern/contract/site/offline-copy'
import { build } from 'vite'
import { paths } from '../src/app/paths.ts'
import { languageAliases } from './language.ts'
import { buildOfflineWorker, buildRemovalWorker } from './offline-worker.ts'
import { listPageFiles } from './page-files.ts'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

const hashContent = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`

/** Contents of all inline elements of a kind: `<script>` without src, `<style>`. */
const inlineContents = (html: string, tag: string): string[] =>
  [...html.matchAll(new RegExp(`<${tag}(?![^>]*\\ssrc=)[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))].map(
    (match) => match[1] ?? '',
  )

/** Content-Security-Policy of a page: files of its own origin, its inline elements by hash, data and blob images. */
function buildPolicy(html: string): string {
  const hashes = (tag: string) =>
    [...new Set(inlineContents(html, tag).map(hashContent))].map((hash) => ` ${hash}`).join('')
  return [
    "default-src 'none'",
    `script-src 'self'${hashes('script')}`,
    `style-src 'self'${hashes('style')}`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    // The worker of /verify. Any page with application script may lead there without another request.
    `worker-src ${isScriptFree(html) ? "'none'" : "'self'"}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The policy of src/app/trusted-types.ts, for pages that React hydrates.
    `trusted-types ${isScriptFree(html) ? "'none'" : 'default'}`,
  ].join('; ')
}

/** Inlines the styles of a page that never hydrates, which saves a request before the first paint. */
async function inlineStyles(html: string, clientDirectory: string): Promise<string> {
  const links = [...html.matchAll(/<link rel="stylesheet" href="(\/assets\/[^"]+\.css)"[^>]*>/g)]
  let inlinedHtml = html
  for (const [link, address] of links) {
    const css = await readFile(join(clientDirectory, address as string), 'utf8')
    inlinedHtml = inlinedHtml.replace(link, () => `<style>${css.trim()}</style>`)
  }
  return inlinedHtml
}

/** Lowers the fetch priority of script preloads, since the first paint needs only styles and fonts. */
const lowerScriptPriority = (html: string): string =>
  html.replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')

const isScriptFree = (html: string): boolean => !html.includes('rel="modulepreload"')

/** Builds a small script for the pages without application script, with its lazy imports; returns its address. */
async function buildScript(name: string, clientDirectory: string): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const bundles = (await build({
    configFile: false,
    resolve: { alias: languageAliases },
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      lib: { entry: `src/features/marketing/scripts/${name}.ts`, formats: ['es'] },
      rolldownOptions: {
        output: { entryFileNames: `${name}-[hash:7].js`, chunkFileNames: '[name]-[hash:7].js', minify: true },
      },
    },
  })) as { output: { fileName: string; code: string }[] }[]
  const files = bundles[0]?.output ?? []
  for (const { fileName, code } of files) await writeFile(join(clientDirectory, 'assets', fileName), code)
  return `/assets/${files[0]?.fileName}`
}

/** Replaces `/scripts/<name>.js` with built scripts; each is built once, for the first page that uses it. */
async function linkScripts(html: string, clientDirectory: string, builtFiles: Map<string, string>): Promise<string> {
  let linkedHtml = html
  for (const [address, name] of html.matchAll(/\/scripts\/([a-z-]+)\.js/g)) {
    const file = builtFiles.get(name as string) ?? (await buildScript(name as string, clientDirectory))
    builtFiles.set(name as string, file)
    linkedHtml = linkedHtml.replace(address, file)
  }
  return linkedHtml
}

/**
 * Layout of the pages without application script. Links to them are full page loads, so the router needs none of them.
 */
const staticLayout = 'site'

/**
 * Drops unused parts of the router's page list: imports, which serve only prefetching, properties that are false, and
 * the pages without application script.
 */
function shortenManifest(script: string): string {
  const [, start = '', json = '', end = ''] = /^([\w.]+=)(\{.*\})(;?\s*)$/s.exec(script) ?? []
  const isNeeded = (value: unknown) => {
    const { id, parentId } = (value ?? {}) as { id?: string; parentId?: string }
    return value !== false && id !== staticLayout && parentId !== staticLayout
  }
  const shorten = (key: string, value: unknown) => (key === 'imports' ? [] : isNeeded(value) ? value : undefined)
  return start + JSON.stringify(JSON.parse(json), shorten) + end
}

async function shortenManifestFile(file: string): Promise<void> {
  await writeFile(file, shortenManifest(await readFile(file, 'utf8')))
}

/** Tailwind's fallback for browsers without `@property`; no supported browser needs it. */
const propertyFallback = /@layer properties\{@supports[^{]*\{[^{}]*\{[^{}]*\}\}\}/

async function removePropertyFallback(file: string): Promise<void> {
  const css = await readFile(file, 'utf8')
  await writeFile(file, css.replace(propertyFallback, ''))
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file)
  const brotli = await compressBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  await writeFile(`${file}.br`, brotli)
  await writeFile(`${file}.gz`, await compressGzip(content, { level: 9 }))
}

/** Writes the worker that keeps /verify for use without a network, and the one that removes it. */
async function writeWorkers(clientDirectory: string, policies: Readonly<Record<string, string>>): Promise<void> {
  const page = paths.verifyReceipt
  const file = `${page.slice(1)}/index.html`
  const html = await readFile(join(clientDirectory, file), 'utf8')
  const copiedPage = { page, html, policy: policies[file] ?? '', files: listPageFiles(clientDirectory, html, page) }
  await writeFile(join(clientDirectory, workerPath), buildOfflineWorker(copiedPage))
  await writeFile(join(clientDirectory, removalWorkerPath), buildRemovalWorker())
}

/**
 * Last step of a build, on its client directory: shortens the page list, inlines styles and links small scripts in
 * pages without application script, lowers the priority of script preloads elsewhere, writes one
 * Content-Security-Policy per page to `csp.json` beside the directory, writes the workers of /verify, and compresses
 * every text file.
 */
export async function finishBuild(clientDirectory: string): Promise<void> {
  const files = await readdir(clientDirectory, { recursive: true })
  for (const file of files.filter((name) => name.endsWith('.css')))
    await removePropertyFallback(join(clientDirectory, file))
  for (const file of files.filter((name) => /manifest-\w+\.js$/.test(name)))
    await shortenManifestFile(join(clientDirectory, file))
  const policies: Record<string, string> = {}
  const scripts = new Map<string, string>()
  for (const file of files.filter((name) => name.endsWith('.html')).toSorted()) {
    const rawHtml = await readFile(join(clientDirectory, file), 'utf8')
    const html = isScriptFree(rawHtml)
      ? await inlineStyles(await linkScripts(rawHtml, clientDirectory, scripts), clientDirectory)
      : lowerScriptPriority(rawHtml)
    await writeFile(join(clientDirectory, file), html)
    policies[file] = buildPolicy(html)
  }
  await writeFile(join(clientDirectory, '..', 'csp.json'), `${JSON.stringify(policies, null, 2)}\n`)
  await writeWorkers(clientDirectory, policies)
  const finishedFiles = await readdir(clientDirectory, { recursive: true })
  const texts = finishedFiles.filter((name) => /\.(html|js|css|svg|json)$/.test(name))
  // All at once; the thread pool limits the parallelism.
  await Promise.all(texts.map((file) => compress(join(clientDirectory, file))))
}
