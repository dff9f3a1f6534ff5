import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../runtime/config.ts'
import { languageCookie, servePages } from './pages.ts'

const directory = `${fs.mkdtempSync(path.join(os.tmpdir(), 'tern-pages-'))}/`
const apps: FastifyInstance[] = []

/** Writes a build with two pages and an asset, which contain the name of the language. */
function createBuild(folder: string, language: string): void {
  const client = path.join(folder, language, 'client')
  fs.mkdirSync(path.join(client, 'assets'), { recursive: true })
  for (const page of ['index.html', '__spa-fallback.html']) fs.writeFileSync(path.join(client, page), `in ${language}`)
  fs.writeFileSync(path.join(client, 'assets', `page-${language}.js`), `'in ${language}'`)
  fs.writeFileSync(path.join(client, 'verify-worker.js'), `'keeps ${language}'`)
  fs.writeFileSync(path.join(client, 'verify-worker-off.js'), `'removes ${language}'`)
  const policies = { 'index.html': `default-src ${language}`, '__spa-fallback.html': 'default-src none' }
  fs.writeFileSync(path.join(folder, language, 'csp.json'), JSON.stringify(policies))
}

async function serve(languages: readonly string[], { keepsVerify = true } = {}): Promise<FastifyInstance> {
  const folder = `${directory}${languages.join('-')}/`
  for (const language of languages) createBuild(folder, language)
  const app = fastify()
  apps.push(app)
  await app.register(cookie)
  await servePages(app, {
    showsGallery: false,
    keepsVerify,
    publicUrl: 'https://tern.example',
    hasSession: () => false,
    settings: readConfig({ TERN_SECRET: 'x'.repeat(32), SANDBOX_SECRET: 'x'.repeat(32) }).publicSettings,
    readRules: () => Promise.resolve({ lists: [], cardMoney: { hours: 168, basisPoints: 0, days: 0 } }),
    directory: folder,
  })
  return app
}

let multilingualApp: FastifyInstance
let singleLanguageApp: FastifyInstance
beforeAll(async () => {
  multilingualApp = await serve(['de', 'en', 'pt-BR'])
  singleLanguageApp = await serve(['en'])
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  fs.rmSync(directory, { recursive: true })
})

const requestPage = (app: FastifyInstance, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { accept: 'text/html', ...headers } })

test.each([
  ['nothing', {}, 'en'],
  ['German', { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' }, 'de'],
  ['what there is not', { 'accept-language': 'fr' }, 'en'],
  ['French before Brazilian', { 'accept-language': 'fr, pt-BR;q=0.8' }, 'pt-BR'],
  ['German, and has chosen English', { 'accept-language': 'de', cookie: `${languageCookie}=en` }, 'en'],
  ['German, and has chosen what there is not', { 'accept-language': 'de', cookie: `${languageCookie}=../de` }, 'de'],
])('a browser that requests %s', async (_name, headers, language) => {
  const page = await requestPage(multilingualApp, '/', headers)
  expect(page.body).toBe(`in ${language}`)
  expect(page.headers).toMatchObject({
    'content-language': language,
    'content-security-policy': `default-src ${language}`,
  })
  const notFoundResponse = await requestPage(multilingualApp, '/nowhere', headers)
  expect([notFoundResponse.statusCode, notFoundResponse.body]).toEqual([404, `in ${language}`])
})

test('a page in more than one language has a Vary header', async () => {
  const splitNames = (varyHeader: number | string | string[] | undefined) =>
    [varyHeader ?? ''].flat().join(', ').split(/, */)
  expect(splitNames((await requestPage(multilingualApp, '/')).headers.vary)).toEqual(
    expect.arrayContaining(['accept-language', 'cookie']),
  )
  expect(splitNames((await requestPage(singleLanguageApp, '/')).headers.vary)).not.toContain('cookie')
})

test('an asset is served for pages of every language', async () => {
  const headers = { 'accept-language': 'de' }
  const asset = await requestPage(multilingualApp, '/assets/page-pt-BR.js', headers)
  expect([asset.statusCode, asset.body]).toEqual([200, "'in pt-BR'"])
  expect(asset.headers['cache-control']).toContain('immutable')
  expect((await requestPage(multilingualApp, '/assets/page-fr.js', headers)).statusCode).toBe(404)
  expect((await requestPage(multilingualApp, '/assets/../../csp.json', headers)).statusCode).toBe(404)
})

test('the worker of /verify is in the language of the page, checked at every visit, and may load only its own origin', async () => {
  const worker = await requestPage(multilingualApp, '/verify-worker.js', { 'accept-language': 'de' })
  expect([worker.statusCode, worker.body]).toEqual([200, "'keeps de'"])
  expect(worker.headers).toMatchObject({
    'content-type': 'application/javascript; charset=utf-8',
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    'content-language': 'de',
    'cache-control': 'no-cache',
  })
  expect(worker.headers.vary).toContain('accept-language')
})

test('without copies of /verify, browsers get the worker that removes them', async () => {
  const app = await serve(['de', 'en'], { keepsVerify: false })
  const worker = await requestPage(app, '/verify-worker.js')
  expect([worker.statusCode, worker.body]).toEqual([200, "'removes en'"])
  expect(worker.headers['cache-control']).toBe('no-cache')
})
