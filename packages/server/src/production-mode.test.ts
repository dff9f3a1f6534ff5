import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requiredFiles } from '@tern/testkit/compliance/lists'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { type App, createApp } from './app.ts'
import { readConfig } from './platform/runtime/config.ts'

let database: TestDatabase
let app: App

beforeAll(async () => {
  database = await createTestDatabase()
  const config = readConfig({
    TERN_MODE: 'production',
    TERN_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: database.url,
    PUBLIC_URL: 'https://tern.example',
    LOG_LEVEL: 'silent',
    ECB_RATES_URL: 'off',
    BITSTAMP_URL: 'off',
    SECURITY_CONTACT: 'mailto:security@tern.example',
    // Left over from a trial; must be ignored.
    SANDBOX_SECRET: 'x'.repeat(40),
    SANDBOX_URL: 'http://localhost:3001',
  })
  app = await createApp(config, database.url)
  app.setReady()
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

test('nothing of the sandbox is reachable', async () => {
  for (const url of ['/gallery', '/gallery/', '/gallery/index.html']) {
    expect((await app.http.inject({ authority: 'tern.example', url })).statusCode).toBe(404)
  }
  for (const name of ['sandbox', 'stripe', 'none', 'undefined']) {
    const answer = await app.http.inject({
      authority: 'tern.example',
      method: 'POST',
      url: `/api/webhooks/${name}`,
      payload: {},
    })
    expect(answer.statusCode).toBe(404)
  }
  expect(app.product.providers.sandboxClock).toBeUndefined()
  expect((await app.http.inject({ authority: 'tern.example', url: '/api/auth/methods' })).json()).toEqual({
    google: false,
    external: false,
  })
})

test('it is ready without providers, and names unavailable functions', async () => {
  expect((await app.http.inject({ authority: 'tern.example', url: '/readyz' })).statusCode).toBe(200)
  const rate = await app.http.inject({ authority: 'tern.example', url: '/api/currency/rate/USD/EUR' })
  expect(rate.json()).toMatchObject({ status: 503, code: 'rates_unavailable' })
})

test('without lists it is ready with a warning, which disappears after the import', async () => {
  const loadReadiness = async () => (await app.http.inject({ authority: 'tern.example', url: '/readyz' })).json()
  expect(await loadReadiness()).toEqual({ status: 'ready', warnings: ['screening_lists_not_current'] })
  expect(await app.product.lists.hold(app.product.pool, [1n])).toBe(true)
  await app.product.compliance.importLists(requiredFiles())
  expect(await loadReadiness()).toEqual({ status: 'ready', warnings: [] })
  expect(await app.product.lists.hold(app.product.pool, [1n])).toBe(false)
})

test('/metrics and /api/docs: with neither an admin port nor a token, they do not exist', async () => {
  for (const url of ['/metrics', '/api/openapi.json', '/api/docs/', '/api/docs/json', '/api/docs/static/index.css']) {
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }]) {
      const answer = await app.http.inject({ authority: 'tern.example', url, headers })
      expect([url, answer.statusCode]).toEqual([url, 404])
      expect(answer.body).not.toMatch(/tern_|openapi|swagger/)
    }
  }
})

test('cookies are secure and bound to this host', async () => {
  const username = `u${randomUUID().slice(0, 8)}`
  const answer = await app.http.inject({
    authority: 'tern.example',
    method: 'POST',
    url: '/api/user/register/',
    payload: { email: `${username}@example.com`, username, password: 'a long pass phrase' },
  })
  expect(answer.statusCode).toBe(201)
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  expect(new Set(cookies.map((cookie) => cookie.split('=')[0]))).toEqual(new Set(['__Host-browser', '__Host-rt']))
  for (const cookie of cookies) {
    expect(cookie).toMatch(/^[^=]+=[^;]{40,}/)
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(attribute)
  }
  expect(answer.headers['strict-transport-security']).toContain('max-age=')
})

test('publishes the security contact (RFC 9116)', async () => {
  const answer = await app.http.inject({ authority: 'tern.example', url: '/.well-known/security.txt' })
  expect(answer.headers['content-type']).toContain('text/plain')
  expect(answer.body).toContain('Contact: mailto:security@tern.example\n')
  const expiresAt = new Date(/^Expires: (.+)$/m.exec(answer.body)?.[1] ?? '')
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now())
  expect(expiresAt.getTime()).toBeLessThan(Date.now() + 366 * 86_400_000)
})
