import { describe, expect, test } from 'vitest'
import { clientDirectories, type PageWeight, weighPages } from './budget.ts'
import { staticPaths } from '@tern/contract/pages'
import { paths } from './src/app/paths.ts'

const kilobyte = 1024

/** Too heavy by how much, in words; nothing when the page keeps its limit. */
const excess = (pages: readonly PageWeight[], part: keyof PageWeight & ('script' | 'style' | 'total'), limit: number) =>
  pages.filter((page) => page[part] > limit * kilobyte).map((page) => `${page.route}: ${page[part]} bytes of ${part}`)

describe.each(clientDirectories)('what each page of the build in %s weighs', async (_language, client) => {
  const pages = await weighPages(client)
  const isScriptFree = ({ route }: PageWeight) => staticPaths.includes(route)
  const marketing = pages.filter(isScriptFree)
  // The gallery is a workshop: it loads every component there is.
  const app = pages.filter((page) => !isScriptFree(page) && page.route !== paths.gallery)

  test('every page is prerendered', () => {
    expect(pages.map((page) => page.route).toSorted()).toEqual(Object.values(paths).toSorted())
  })

  test('public pages: one small script, 45 KB in all', () => {
    expect(excess(marketing, 'script', 8)).toEqual([])
    expect(excess(marketing, 'total', 45)).toEqual([])
  })

  test('the dashboard: 115 KB of script', () => {
    expect(
      excess(
        app.filter((page) => page.route === '/dashboard'),
        'script',
        115,
      ),
    ).toEqual([])
  })

  test('every page of the app: 150 KB of script, 8 KB of styles', () => {
    expect(excess(app, 'script', 150)).toEqual([])
    expect(excess(app, 'style', 8)).toEqual([])
  })
})
