import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { pages as table } from '@tern/contract/pages'
import { listStaticPaths } from '@tern/contract/pages'
import { shell, titles } from '@tern/messages/en/web/shell'

const builds = fileURLToPath(new URL('../build', import.meta.url))
/** Built languages; empty before the first build. */
const languages = existsSync(builds) ? readdirSync(builds) : []

describe.each(languages)('the pages of the build in %s', (language) => {
  const client = join(builds, language, 'client')
  const policies = JSON.parse(readFileSync(join(client, '..', 'csp.json'), 'utf8')) as Record<string, string>
  const pages = Object.keys(policies)
  const readPage = (page: string) => readFileSync(join(client, page), 'utf8')

  test('every page is prerendered', () => {
    const files = Object.values(table).map(({ path }) => join(path, 'index.html').slice(1))
    expect(pages).toEqual(expect.arrayContaining(files))
  })

  test.runIf(language === 'en')('each has its title', () => {
    for (const [name, { path }] of Object.entries(table)) {
      const foundTitle = /<title>([^<]*)<\/title>/.exec(readPage(join(path, 'index.html').slice(1)))?.[1]
      expect(foundTitle?.replace('&#x27;', "'"), path).toBe(shell.pageTitle(titles[name as keyof typeof titles]))
    }
  })

  test('each has its own policy', () => {
    const builtFiles = readdirSync(client, { recursive: true, encoding: 'utf8' })
    expect(pages.toSorted()).toEqual(builtFiles.filter((file) => file.endsWith('.html')).toSorted())
  })

  test('no policy allows an unknown source', () => {
    for (const [page, policy] of Object.entries(policies)) {
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("require-trusted-types-for 'script'")
      const policyName = readPage(page).includes('createPolicy') ? 'default' : "'none'"
      expect(policy.split('; ')).toContain(`trusted-types ${policyName}`)
    }
  })

  test('only pages with application script may start a worker, of their own origin', () => {
    for (const [page, policy] of Object.entries(policies))
      expect(policy, page).toContain(`worker-src ${readPage(page).includes('modulepreload') ? "'self'" : "'none'"};`)
  })

  test('the worker of /verify keeps the files of that page, and nothing else', () => {
    const [json = '{}'] = /\{"prefix".*\}/.exec(readPage('verify-worker.js')) ?? []
    const { page, files } = JSON.parse(json) as { page: string; files: string[] }
    expect(page).toBe('/verify')
    const named = readPage('verify/index.html').match(/\/assets\/[\w.-]+/g) ?? []
    expect(files).toEqual(expect.arrayContaining(named))
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[\w.-]+-[\w-]{7,8}\.(js|css|woff2)$/)
      expect(existsSync(join(client, file)), file).toBe(true)
    }
    // The decoder of codes is loaded when it is first used.
    const decoder = files.filter((file) => file.includes('/read-code-'))
    expect(decoder).toHaveLength(1)
    expect(named).not.toContain(decoder[0])
  })

  test('every inline script and style is named by its hash', () => {
    for (const page of pages) {
      for (const [, content = ''] of readPage(page).matchAll(
        /<(?:script|style)(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/(?:script|style)>/g,
      )) {
        expect(policies[page]).toContain(createHash('sha256').update(content).digest('base64'))
      }
    }
  })

  test('no element has a style attribute, which no hash could allow', () => {
    for (const page of pages) expect(readPage(page)).not.toMatch(/<[^>]+\sstyle="/)
  })

  test('public pages carry no application script: one inline for the header, and small ones of their own', () => {
    for (const route of listStaticPaths()) {
      const html = readPage(join(route, 'index.html').slice(1))
      const [header, ...otherScripts] = html.match(/<script[^>]*>/g) ?? []
      expect(header, route).toBe('<script>')
      for (const script of otherScripts)
        expect(script, route).toMatch(/^<script type="module" src="\/assets\/[a-z-]+-[\w-]{7}\.js">$/)
      expect(html).not.toContain('modulepreload')
    }
  })

  test("the router's list of pages names what a router needs: no imports, no page without application script", () => {
    const lists = readdirSync(join(client, 'assets')).filter((file) => /^manifest-\w+\.js$/.test(file))
    expect(lists).toHaveLength(1)
    const list = readPage(join('assets', lists[0] ?? ''))
    expect(list).not.toMatch(/"imports":\["/)
    const { routes } = JSON.parse(list.replace(/^[\w.]+=/, '').replace(/;\s*$/, '')) as { routes: object }
    expect(Object.keys(routes)).toEqual(expect.arrayContaining(['root', '/login', '/dashboard']))
    for (const path of [...listStaticPaths(), 'site', 'landing']) expect(Object.keys(routes)).not.toContain(path)
  })
})
