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
const unsetSettings = readPublicSettings({})
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
const sevenDayRule: CardMoneyRule = { hours: 168, basisPoints: 0, days: 0 }
const escapedLicense = 'MT 1234 &lt;b&gt;, Bank &amp; Payments Authority'

const list = (source: string, since: string, entries: number): LoadedList => ({
  source,
  importedAt: new Date(`${since}T12:00:00Z`),
  checkedAt: new Date(Date.parse(`${since}T12:00:00Z`) + 86_400_000),
  entries,
})

const client = fileURLToPath(new URL('../../../../../web/build/en/client/', import.meta.url))
const readBuiltPage = (page: string) => fs.readFileSync(`${client}${page}/index.html`, 'utf8')

const readVisibleText = (html: string) =>
  html
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<(\w+)(?: [^<>]*)? hidden=""[^<>]*>[\s\S]*?<\/\2>/g, '')
    .replaceAll(/<[^>]*>/g, '')

describe('the built pages', () => {
  const publicPages = ['.', 'prices', 'how-it-works', 'security', 'terms', 'privacy', 'compliance', 'help']
  /** Values shown from settings, none of which is built in. */
  const configuredTexts = [escapedLicense, 'Pole &amp; Pole &lt;Ltd&gt;', 'help@tern.example']

  test.each(publicPages)('%s: operator, license and support appear only where they are configured', (page) => {
    const html = readBuiltPage(page)
    expect(fillPage(html, unsetSettings)).toBe(html)
    const words = readVisibleText(html)
    for (const label of ['Operated by', 'License:', 'Support:']) expect(words).not.toContain(label)
    const filledPage = fillPage(html, settings)
    for (const text of configuredTexts) expect(readVisibleText(filledPage), text).toContain(text)
    expect(filledPage).toContain('href="mailto:help@tern.example"')
    expect(filledPage).not.toMatch(/<html [^>]*>[\s\S]*\bhidden=""[^>]*data-with="support"/)
  })

  test('the compliance page says so if no license is set', () => {
    const noLicenseText = 'No money transmitter license is listed yet.'
    expect(readVisibleText(readBuiltPage('compliance'))).toContain(noLicenseText)
    expect(readVisibleText(fillPage(readBuiltPage('compliance'), settings))).not.toContain(noLicenseText)
  })

  test('the operator: each detail alone, and no row without any', () => {
    const findRow = (html: string) => /<div data-with="about"([^>]*)>/.exec(html)?.[1]
    const parts = {
      OPERATOR_NAME: 'Operated by',
      MONEY_TRANSMITTER_LICENSE: 'License',
      TEAM_BACKGROUND: 'Our team comes from',
    }
    expect(findRow(readBuiltPage('.'))).toContain('hidden')
    for (const [name, label] of Object.entries(parts)) {
      const filledPage = fillPage(readBuiltPage('.'), readPublicSettings({ [name]: 'Known' }))
      expect(findRow(filledPage)).toBe('')
      for (const otherText of Object.values(parts)) {
        const isShown = new RegExp(`<dt>${otherText}</dt>`).test(
          filledPage.replaceAll(/<div[^>]* hidden=""[\s\S]*?<\/div>/g, ''),
        )
        expect(isShown, `${otherText} with ${name}`).toBe(otherText === label)
      }
    }
  })

  test('application pages have the support contact at their root, and nothing without one', () => {
    const html = readBuiltPage('login')
    expect(fillPage(html, unsetSettings)).toBe(html)
    expect(fillPage(html, settings)).toMatch(/<html data-support="mailto:help@tern\.example" /)
    const url = readPublicSettings({ SUPPORT_CONTACT: 'https://help.example/?a=1&b="2"' })
    expect(fillPage(html, url)).toContain('data-support="https://help.example/?a=1&amp;b=%222%22"')
  })

  test('link to the public register only where its address is set', () => {
    const link = 'See it in the public register'
    expect(readVisibleText(readBuiltPage('compliance'))).not.toContain(link)
    const licensedSettings = readPublicSettings({ MONEY_TRANSMITTER_LICENSE: 'MT 1' })
    expect(readVisibleText(fillPage(readBuiltPage('compliance'), licensedSettings))).not.toContain(link)
    const filledPage = fillPage(readBuiltPage('compliance'), settings)
    expect(readVisibleText(filledPage)).toContain(link)
    expect(filledPage).toContain('href="https://register.example/?id=1&amp;name=%22T%22"')
  })

  test('link to security contact and documentation only where they are set', () => {
    const links = ['Report a vulnerability', 'Read how we test']
    for (const link of links) {
      expect(readVisibleText(readBuiltPage('security'))).not.toContain(link)
      expect(readVisibleText(fillPage(readBuiltPage('security'), settings))).toContain(link)
    }
    expect(fillPage(readBuiltPage('security'), settings)).toContain('href="https://docs.example/testing"')
  })

  test.each(['prices', 'how-it-works'])('%s: the card-money rule is that of the policy tables', (page) => {
    const fillCardMoneyText = (rule: CardMoneyRule) =>
      readVisibleText(fillCardMoney(readBuiltPage(page), rule, 'en')).replaceAll(/\s+/g, ' ')
    expect(readVisibleText(readBuiltPage(page))).not.toMatch(/\d+ days|free of charge/)
    expect(fillCardMoneyText(sevenDayRule)).toContain('withdraw it to a bank after 7 days, free of charge.')
    expect(fillCardMoneyText({ ...sevenDayRule, hours: 36 })).toContain('withdraw it to a bank after 36 hours, free')
    expect(fillCardMoneyText({ ...sevenDayRule, hours: 24 })).toContain('withdraw it to a bank after 1 day, free')
    const feeText = fillCardMoneyText({ hours: 240, basisPoints: 250, days: 30 })
    expect(feeText).toContain(
      'withdraw it to a bank after 10 days. Within 30 days of adding it, moving it to a bank costs 2.5%.',
    )
    expect(feeText).not.toContain('free of charge')
  })

  test('the security page has at most 600 words', () => {
    const mainElement = /<main[\s\S]*<\/main>/.exec(fillPage(readBuiltPage('security'), settings))?.[0] ?? ''
    const words = readVisibleText(mainElement.replaceAll('<', ' <'))
      .split(/\s+/)
      .filter((word) => /\w/.test(word))
    expect(words.length).toBeGreaterThan(200)
    expect(words.length).toBeLessThanOrEqual(600)
  })

  test.each(publicPages)('%s contains no internal words', (page) => {
    expect(readVisibleText(readBuiltPage(page))).not.toMatch(
      /whoever|whomever|somebody|of what|this installation|\.test\.ts|are invented|to come\b/i,
    )
  })

  test('name loaded lists with their dates, and mark the others as missing', () => {
    const findTableRows = (html: string) =>
      [...html.matchAll(/<tr>(<th scope="row">[\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
        row.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|'),
      )
    const html = readBuiltPage('compliance')
    expect(findTableRows(html)).toHaveLength(6)
    expect(findTableRows(html)).toContain('|United Nations: Security Council|Not loaded|–|–|')
    const rows = findTableRows(fillLists(html, [list('un', '2026-11-20', 1012)], 'en'))
    expect(rows).toContain('|United Nations: Security Council|Nov 20, 2026|Nov 21, 2026|1,012|')
    expect(rows).toContain('|People in public office|Not loaded|–|–|')
  })

  test('keep their scripts and styles, which their policies name by hash', () => {
    const findInlineBlocks = (html: string) => html.match(/<(script|style)[\s\S]*?<\/\1>/g)
    for (const page of ['compliance', 'security']) {
      expect(findInlineBlocks(fillPage(readBuiltPage(page), settings))).toEqual(findInlineBlocks(readBuiltPage(page)))
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
      keepsVerify: true,
      publicUrl: 'https://tern.example',
      hasSession: () => false,
      settings,
      readRules: () => Promise.resolve({ lists: [], cardMoney: sevenDayRule }),
      directory: folder,
    })
  })
  afterAll(async () => {
    await app.close()
    fs.rmSync(folder, { recursive: true })
  })
  const text = `<p data-with="license"><b data-value="license">${escapedLicense}</b></p>`

  test('is sent with its policy, in the requested encoding', async () => {
    const plainResponse = await app.inject({ url: '/' })
    expect(plainResponse.body).toBe(text)
    expect(plainResponse.headers).toMatchObject({
      'content-security-policy': 'default-src x',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    })
    const requestPage = (encoding: string) => app.inject({ url: '/', headers: { 'accept-encoding': encoding } })
    const brotliResponse = await requestPage('gzip, deflate, br')
    expect([
      brotliResponse.headers['content-encoding'],
      brotliDecompressSync(brotliResponse.rawPayload).toString(),
    ]).toEqual(['br', text])
    const gzipResponse = await requestPage('gzip')
    expect([gzipResponse.headers['content-encoding'], gunzipSync(gzipResponse.rawPayload).toString()]).toEqual([
      'gzip',
      text,
    ])
  })

  test('is not sent again while unchanged', async () => {
    const { etag } = (await app.inject({ url: '/' })).headers
    const revalidation = await app.inject({ url: '/', headers: { 'if-none-match': String(etag) } })
    expect([revalidation.statusCode, revalidation.body]).toEqual([304, ''])
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
  let [requestCount, time] = [0, 0]
  const filledPage = createFilledPages({
    client,
    files: ['index.html', 'lists.html'],
    language: 'en',
    settings: unsetSettings,
    readRules: async () => ({ lists: (await answers[requestCount++]?.()) ?? [], cardMoney: sevenDayRule }),
    now: () => time,
  })
  const read = async () => String((await filledPage.page('lists.html'))?.plain)
  expect([await filledPage.page('index.html'), requestCount]).toEqual([undefined, 0])
  const first = '<b data-value="list-un-since">Nov 20, 2026</b>'
  expect(await Promise.all([read(), read(), read()])).toEqual([first, first, first])
  expect(requestCount).toBe(1)
  time += 60_000
  expect([await read(), requestCount]).toEqual([first, 2])
  time += 60_000
  expect([await read(), requestCount]).toEqual([first.replace('20', '22'), 3])
  fs.rmSync(client, { recursive: true })
})
