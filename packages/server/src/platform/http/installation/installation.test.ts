import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFilledPages } from './filled-pages.ts'
import { readConfig } from '../../runtime/config.ts'
import { type CardMoneyRule, fillCardMoney, fillLists, fillPage, type LoadedList } from './installation.ts'
import { servePages } from '../pages.ts'

const secrets = { TERN_SECRET: 'x'.repeat(32), SANDBOX_SECRET: 'x'.repeat(32) }
const readPublicSettings = (environment: Record<string, string>) =>
  readConfig({ ...secrets, ...environment }).publicSettings
const unset = readPublicSettings({})
const registerUrl = 'https://register.example/?id=1&name="T"'
const settings = readPublicSettings({
  OPERATOR_NAME: 'Pole & Pole <Ltd>',
  TEAM_BACKGROUND: 'Example Bank, Example Pay',
  DOCS_URL: 'https://docs.example/testing',
  SUPPORT_CONTACT: 'help@tern.example',
  SECURITY_CONTACT: 'mailto:security@tern.example',
  MONEY_TRANSMITTER_LICENSE: 'MT 1234 <b>, Bank & Payments Authority',
  MONEY_TRANSMITTER_LICENSE_URL: registerUrl,
})
const sevenDays: CardMoneyRule = { hours: 168, basisPoints: 0, days: 0 }
const escaped = 'MT 1234 &lt;b&gt;, Bank &amp; Payments Authority'

const list = (source: string, since: string, entries: number): LoadedList => ({
  source,
  importedAt: new Date(`${since}T12:00:00Z`),
  checkedAt: new Date(Date.parse(`${since}T12:00:00Z`) + 86_400_000),
  entries,
})

const client = fileURLToPath(new URL('../../../../../web/build/en/client/', import.meta.url))
const built = (page: string) => fs.readFileSync(`${client}${page}/index.html`, 'utf8')

/** Returns the visible text of a page. */
const wordsOf = (html: string) =>
  html
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<(\w+)(?: [^<>]*)? hidden=""[^<>]*>[\s\S]*?<\/\2>/g, '')
    .replaceAll(/<[^>]*>/g, '')

describe('the built pages', () => {
  const publicPages = ['.', 'prices', 'how-it-works', 'security', 'terms', 'privacy', 'compliance', 'help']
  /** Values shown from settings, none of which is built in. */
  const configured = [escaped, 'Pole &amp; Pole &lt;Ltd&gt;', 'help@tern.example']

  test.each(publicPages)('%s: operator, license and support appear only where they are configured', (page) => {
    const html = built(page)
    expect(fillPage(html, unset)).toBe(html)
    const words = wordsOf(html)
    for (const label of ['Operated by', 'License:', 'Support:']) expect(words).not.toContain(label)
    const filled = fillPage(html, settings)
    for (const text of configured) expect(wordsOf(filled), text).toContain(text)
    expect(filled).toContain('href="mailto:help@tern.example"')
    expect(filled).not.toMatch(/<html [^>]*>[\s\S]*\bhidden=""[^>]*data-with="support"/)
  })

  test('the compliance page says so if no license is set', () => {
    const none = 'No money transmitter license is listed yet.'
    expect(wordsOf(built('compliance'))).toContain(none)
    expect(wordsOf(fillPage(built('compliance'), settings))).not.toContain(none)
  })

  test('the operator: each detail alone, and no row without any', () => {
    const row = (html: string) => /<div data-with="about"([^>]*)>/.exec(html)?.[1]
    const parts = {
      OPERATOR_NAME: 'Operated by',
      MONEY_TRANSMITTER_LICENSE: 'License',
      TEAM_BACKGROUND: 'Our team comes from',
    }
    expect(row(built('.'))).toContain('hidden')
    for (const [name, label] of Object.entries(parts)) {
      const filled = fillPage(built('.'), readPublicSettings({ [name]: 'Known' }))
      expect(row(filled)).toBe('')
      for (const other of Object.values(parts)) {
        const isShown = new RegExp(`<dt>${other}</dt>`).test(
          filled.replaceAll(/<div[^>]* hidden=""[\s\S]*?<\/div>/g, ''),
        )
        expect(isShown, `${other} with ${name}`).toBe(other === label)
      }
    }
  })

  test('application pages have the support contact at their root, and nothing without one', () => {
    const html = built('login')
    expect(fillPage(html, unset)).toBe(html)
    expect(fillPage(html, settings)).toMatch(/<html data-support="mailto:help@tern\.example" /)
    const url = readPublicSettings({ SUPPORT_CONTACT: 'https://help.example/?a=1&b="2"' })
    expect(fillPage(html, url)).toContain('data-support="https://help.example/?a=1&amp;b=%222%22"')
  })

  test('link to the public register only where its address is set', () => {
    const link = 'See it in the public register'
    expect(wordsOf(built('compliance'))).not.toContain(link)
    const numbered = readPublicSettings({ MONEY_TRANSMITTER_LICENSE: 'MT 1' })
    expect(wordsOf(fillPage(built('compliance'), numbered))).not.toContain(link)
    const filled = fillPage(built('compliance'), settings)
    expect(wordsOf(filled)).toContain(link)
    expect(filled).toContain('href="https://register.example/?id=1&amp;name=%22T%22"')
  })

  test('link to security contact and documentation only where they are set', () => {
    const links = ['Report a vulnerability', 'Read how we test']
    for (const link of links) {
      expect(wordsOf(built('security'))).not.toContain(link)
      expect(wordsOf(fillPage(built('security'), settings))).toContain(link)
    }
    expect(fillPage(built('security'), settings)).toContain('href="https://docs.example/testing"')
  })

  test.each(['prices', 'how-it-works'])('%s: the card-money rule is that of the policy tables', (page) => {
    const fill = (rule: CardMoneyRule) => wordsOf(fillCardMoney(built(page), rule, 'en')).replaceAll(/\s+/g, ' ')
    expect(wordsOf(built(page))).not.toMatch(/\d+ days|free of charge/)
    expect(fill(sevenDays)).toContain('withdraw it to a bank after 7 days, free of charge.')
    expect(fill({ ...sevenDays, hours: 36 })).toContain('withdraw it to a bank after 36 hours, free')
    expect(fill({ ...sevenDays, hours: 24 })).toContain('withdraw it to a bank after 1 day, free')
    const charged = fill({ hours: 240, basisPoints: 250, days: 30 })
    expect(charged).toContain(
      'withdraw it to a bank after 10 days. Within 30 days of adding it, moving it to a bank costs 2.5%.',
    )
    expect(charged).not.toContain('free of charge')
  })

  test('the security page has at most 600 words', () => {
    const main = /<main[\s\S]*<\/main>/.exec(fillPage(built('security'), settings))?.[0] ?? ''
    const words = wordsOf(main.replaceAll('<', ' <'))
      .split(/\s+/)
      .filter((word) => /\w/.test(word))
    expect(words.length).toBeGreaterThan(200)
    expect(words.length).toBeLessThanOrEqual(600)
  })

  test.each(publicPages)('%s contains no internal words', (page) => {
    expect(wordsOf(built(page))).not.toMatch(
      /whoever|whomever|somebody|of what|this installation|\.test\.ts|are invented|to come\b/i,
    )
  })

  test('name loaded lists with their dates, and mark the others as missing', () => {
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
      expect(inlineOf(fillPage(built(page), settings))).toEqual(inlineOf(built(page)))
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
      showsGallery: false,
      publicUrl: 'https://tern.example',
      hasSession: () => false,
      settings,
      readRules: () => Promise.resolve({ lists: [], cardMoney: sevenDays }),
      directory: folder,
    })
  })
  afterAll(async () => {
    await app.close()
    fs.rmSync(folder, { recursive: true })
  })
  const text = `<p data-with="license"><b data-value="license">${escaped}</b></p>`

  test('is sent with its policy, in the requested encoding', async () => {
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

  test('is not sent again while unchanged', async () => {
    const { etag } = (await app.inject({ url: '/' })).headers
    const again = await app.inject({ url: '/', headers: { 'if-none-match': String(etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
})

test('lists are read when a page names them, at most once a minute; the page is unchanged if they cannot be read', async () => {
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
    settings: unset,
    readRules: async () => ({ lists: (await answers[asked++]?.()) ?? [], cardMoney: sevenDays }),
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
