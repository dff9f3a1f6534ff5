import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFilledPages } from './filled-pages.ts'
import { fillLists, fillPage, type Installation, type LoadedList } from './installation.ts'
import { servePages } from '../pages.ts'

const unset: Installation = { license: undefined, hasSecurityContact: false }
const registerUrl = 'https://register.example/?id=1&name="T"'
const licensed: Installation = {
  license: { text: 'MT 1234 <b>, Bank & Payments Authority', registerUrl },
  hasSecurityContact: true,
}
const escaped = 'MT 1234 &lt;b&gt;, Bank &amp; Payments Authority'

const list = (source: string, since: string, entries: number): LoadedList => ({
  source,
  importedAt: new Date(`${since}T12:00:00Z`),
  checkedAt: new Date(Date.parse(`${since}T12:00:00Z`) + 86_400_000),
  entries,
})

const client = fileURLToPath(new URL('../../../../../web/build/en/client/', import.meta.url))
const built = (page: string) => fs.readFileSync(`${client}${page}/index.html`, 'utf8')

/** The words of a page, without what is hidden. */
const wordsOf = (html: string) =>
  html
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<(\w+)(?: [^<>]*)? hidden=""[^<>]*>[\s\S]*?<\/\2>/g, '')
    .replaceAll(/<[^>]*>/g, '')

describe('the built pages', () => {
  const none = /no money transmitter license is set for this installation/i

  test.each(['compliance', 'security', 'terms', 'privacy', 'how-it-works', '.'])('%s: license', (page) => {
    const html = built(page)
    expect(fillPage(html, unset)).toBe(html)
    expect(wordsOf(html)).toMatch(none)
    const filled = fillPage(html, licensed)
    expect(wordsOf(filled)).toContain(escaped)
    expect(wordsOf(filled)).not.toMatch(none)
  })

  test('link to the public register only where its address is set', () => {
    const link = 'See it in the public register'
    expect(wordsOf(built('compliance'))).not.toContain(link)
    expect(wordsOf(fillPage(built('compliance'), { ...unset, license: { text: 'MT 1', registerUrl: undefined } })))
      .not //
      .toContain(link)
    const filled = fillPage(built('compliance'), licensed)
    expect(wordsOf(filled)).toContain(link)
    expect(filled).toContain('href="https://register.example/?id=1&amp;name=&quot;T&quot;"')
  })

  test('link to the security contact only where there is one', () => {
    const link = 'Report a vulnerability'
    const nobody = 'No security contact is set for this installation.'
    expect(wordsOf(built('security'))).toContain(nobody)
    expect(wordsOf(built('security'))).not.toContain(link)
    const filled = wordsOf(fillPage(built('security'), { ...unset, hasSecurityContact: true }))
    expect(filled).toContain(link)
    expect(filled).not.toContain(nobody)
  })

  test('name the lists that are loaded, with their dates, and say of the others that they are not', () => {
    const rowsOf = (html: string) =>
      [...html.matchAll(/<tr>(<th scope="row">[\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
        row.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|'),
      )
    const html = built('compliance')
    expect(rowsOf(html)).toHaveLength(6)
    expect(rowsOf(html)).toContain('|United Nations: Security Council|Not loaded|–|–|')
    const rows = rowsOf(fillLists(html, [list('un', '2026-11-20', 1012)], 'en'))
    expect(rows).toContain('|United Nations: Security Council|Nov 20, 2026|Nov 21, 2026|1,012|')
    expect(rows).toContain('|People in public office|Not loaded|–|–|')
  })

  test('keep their scripts and styles, which their policies name by hash', () => {
    const inlineOf = (html: string) => html.match(/<(script|style)[\s\S]*?<\/\1>/g)
    for (const page of ['compliance', 'security']) {
      expect(inlineOf(fillPage(built(page), licensed))).toEqual(inlineOf(built(page)))
    }
  })
})

describe('a filled page', () => {
  const folder = `${fs.mkdtempSync(path.join(os.tmpdir(), 'tern-filled-'))}/`
  let app: FastifyInstance
  beforeAll(async () => {
    fs.mkdirSync(`${folder}en/client`, { recursive: true })
    const page = '<p data-without="license">none</p><p data-with="license" hidden=""><b data-value="license"></b></p>'
    fs.writeFileSync(`${folder}en/client/index.html`, page)
    fs.writeFileSync(`${folder}en/csp.json`, JSON.stringify({ 'index.html': 'default-src x' }))
    app = fastify()
    await app.register(cookie)
    await servePages(app, {
      sandbox: false,
      publicUrl: 'https://tern.example',
      hasSession: () => false,
      installation: licensed,
      readLists: () => Promise.resolve([]),
      directory: folder,
    })
  })
  afterAll(async () => {
    await app.close()
    fs.rmSync(folder, { recursive: true })
  })
  const text = `<p data-with="license"><b data-value="license">${escaped}</b></p>`

  test('is sent with its policy, in the encoding asked for', async () => {
    const plain = await app.inject({ url: '/' })
    expect(plain.body).toBe(text)
    expect(plain.headers).toMatchObject({
      'content-security-policy': 'default-src x',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    })
    const ask = (encoding: string) => app.inject({ url: '/', headers: { 'accept-encoding': encoding } })
    const br = await ask('gzip, deflate, br')
    expect([br.headers['content-encoding'], brotliDecompressSync(br.rawPayload).toString()]).toEqual(['br', text])
    const gzip = await ask('gzip')
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.rawPayload).toString()]).toEqual(['gzip', text])
  })

  test('is not sent again while it is the same', async () => {
    const { etag } = (await app.inject({ url: '/' })).headers
    const again = await app.inject({ url: '/', headers: { 'if-none-match': String(etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
})

test('lists are read when a page names them, once a minute, and the page stays as it was when they cannot be', async () => {
  const client = `${fs.mkdtempSync(path.join(os.tmpdir(), 'tern-lists-'))}/`
  fs.writeFileSync(`${client}index.html`, 'nothing')
  fs.writeFileSync(`${client}lists.html`, '<b data-value="list-un-since">Not loaded</b>')
  const answers: (() => Promise<LoadedList[]>)[] = [
    () => Promise.resolve([list('un', '2026-11-20', 1)]),
    () => Promise.reject(new Error('the database is away')),
    () => Promise.resolve([list('un', '2026-11-22', 2)]),
  ]
  let [asked, time] = [0, 0]
  const filled = createFilledPages({
    client,
    files: ['index.html', 'lists.html'],
    language: 'en',
    installation: unset,
    readLists: () => (answers[asked++] ?? (() => Promise.resolve([])))(),
    now: () => time,
  })
  const read = async () => String((await filled.page('lists.html'))?.plain)
  expect([await filled.page('index.html'), asked]).toEqual([undefined, 0])
  const first = '<b data-value="list-un-since">Nov 20, 2026</b>'
  expect(await Promise.all([read(), read(), read()])).toEqual([first, first, first])
  expect(asked).toBe(1)
  time += 60_000
  expect([await read(), asked]).toEqual([first, 2])
  time += 60_000
  expect([await read(), asked]).toEqual([first.replace('20', '22'), 3])
  fs.rmSync(client, { recursive: true })
})
