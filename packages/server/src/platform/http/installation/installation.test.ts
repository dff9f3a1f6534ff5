import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillPage, type Installation } from './installation.ts'
import { servePages } from '../pages.ts'

const unset: Installation = { license: undefined, hasSecurityContact: false }
const registerUrl = 'https://register.example/?id=1&name="T"'
const licensed: Installation = {
  license: { text: 'MT 1234 <b>, Bank & Payments Authority', registerUrl },
  hasSecurityContact: true,
}
const escaped = 'MT 1234 &lt;b&gt;, Bank &amp; Payments Authority'

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
