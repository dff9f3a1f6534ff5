import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { choosePort, startTestApp, type TestApp } from '@tern/testkit/app'
import { createMetrics } from '../runtime/metrics.ts'
import { serveOperators } from './admin.ts'

let world: TestApp
let adminPort: number

beforeAll(async () => {
  adminPort = await choosePort()
  world = await startTestApp({
    environment: { ADMIN_PORT: String(adminPort), ALLOWED_HOSTS: 'wallet.example' },
  })
})
afterAll(() => world.close())

/** Returns the status of a request with a foreign Host header, which `fetch` cannot set. */
async function requestStatus(host: string, path: string, at = world.url): Promise<number> {
  const request = httpRequest(new URL(path, at), { headers: { host } }).end()
  const [response] = await once(request, 'response')
  response.resume()
  return response.statusCode
}

test.each([
  '/metrics',
  '/api/openapi.json',
  '/api/docs/',
  '/api/docs/static/index.css',
  '/api/docs/json',
  '/api/docs/yaml',
  '/METRICS',
  '/metrics/',
  '//metrics',
  '/%6detrics',
])('%s is not found on the public port without a token', async (path) => {
  const publicResponse = await fetch(world.url + path)
  expect([401, 404]).toContain(publicResponse.status)
  expect(await publicResponse.text()).not.toMatch(/tern_|openapi|swagger/)
  const unauthorizedResponse = await fetch(world.url + path, { headers: { authorization: 'Bearer not-the-token' } })
  expect([401, 404]).toContain(unauthorizedResponse.status)
})

test('with the token they are served on the public port; browsers prompt for it', async () => {
  expect(await (await world.readAsOperator('/metrics')).text()).toContain('tern_http_request_duration_seconds')
  expect((await world.readAsOperator('/api/openapi.json')).status).toBe(200)
  const docsResponse = await fetch(`${world.url}/api/docs/`)
  expect([docsResponse.status, docsResponse.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Tern"'])
})

test('the admin port serves them only', async () => {
  const getStatus = async (path: string) => (await fetch(`http://127.0.0.1:${adminPort}${path}`)).status
  for (const path of ['/metrics', '/api/openapi.json', '/api/docs/', '/healthz', '/readyz']) {
    expect([path, await getStatus(path)]).toEqual([path, 200])
  }
  for (const path of ['/', '/login', '/api/currency/rate/USD/EUR', '/api/user/user']) {
    expect([path, await getStatus(path)]).toEqual([path, 404])
  }
})

test('an unknown Host is refused, except for load balancer checks', async () => {
  for (const path of ['/', '/api/currency/rate/USD/EUR', '/login']) {
    expect([path, await requestStatus('attacker.example', path)]).toEqual([path, 421])
    expect([path, await requestStatus(`localhost.attacker.example:${new URL(world.url).port}`, path)]).toEqual([
      path,
      421,
    ])
  }
  expect(await requestStatus('WALLET.example', '/login')).toBe(200)
  const admin = `http://127.0.0.1:${adminPort}`
  expect(await requestStatus('attacker.example', '/metrics', admin)).toBe(421)
  expect(await requestStatus('10.0.0.7:9000', '/metrics', admin)).toBe(200)
  expect(await requestStatus('10.0.0.7:3000', '/healthz')).toBe(200)
  expect(await requestStatus('10.0.0.7:3000', '/readyz')).toBe(200)
})

test('a process without pages answers only to its own names', async () => {
  const admin = { port: await choosePort(), host: '127.0.0.1' }
  const stop = await serveOperators(
    {
      publicUrl: 'https://tern.example',
      operations: {
        ...{ admin, adminToken: undefined, allowedHosts: [], lameDuckMs: 0 },
        deskUrl: `http://localhost:${admin.port}`,
      },
    },
    {
      metrics: createMetrics(),
      leadership: { leads: () => Promise.resolve(false) },
      health: { findReadinessProblem: () => Promise.resolve(undefined), warnings: () => Promise.resolve([]) },
      log: pino({ level: 'silent' }),
    },
  )
  const at = `http://127.0.0.1:${admin.port}`
  expect(await requestStatus('attacker.example', '/metrics', at)).toBe(421)
  expect(await requestStatus(`localhost:${admin.port}`, '/metrics', at)).toBe(200)
  expect(await requestStatus('10.0.0.7:9000', '/readyz', at)).toBe(200)
  const { headers } = await fetch(`${at}/metrics`)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('strict-transport-security')).toContain('max-age=63072000')
  const malformed = await fetch(`${at}/%E0%A4%A`)
  expect([malformed.status, malformed.headers.get('x-content-type-options')]).toEqual([400, 'nosniff'])
  await stop()
})

test('every answer carries the id of its request, and a problem names the same', async () => {
  const page = await fetch(`${world.url}/login`)
  expect(page.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  const problem = await fetch(`${world.url}/api/user/user`)
  const { requestId } = (await problem.json()) as { requestId: string }
  expect(problem.headers.get('x-request-id')).toBe(requestId)
  expect(requestId).not.toBe(page.headers.get('x-request-id'))
})

/** Returns a value in `/metrics` by name and labels; undefined if missing. */
async function readMetric(name: string): Promise<number | undefined> {
  const line = (await (await world.readAsOperator('/metrics')).text())
    .split('\n')
    .find((metricLine) => metricLine.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1)) // not money: a gauge
}

test('gauges report jobs, payouts, exceptions, rates and the last audit', async () => {
  const { pool } = world.database
  expect(await readMetric('tern_database_pool_connections{pool="main",state="idle"}')).toBeGreaterThan(0)
  expect(await readMetric('tern_payouts{status="pending"}')).toBe(0)
  expect(await readMetric('tern_rates_age_seconds')).toBeGreaterThanOrEqual(0)
  expect(await readMetric('tern_audit_age_seconds')).toBeNaN()

  await pool.query(`select graphile_worker.add_job('nothing', '{}')`)
  await pool.query(
    `insert into reconciliation_exception (id, kind, provider, subject, detail, opened_at)
     values (gen_random_uuid(), 'missing_internal', 'sandbox', 'movement', 'missing_internal', now())`,
  )
  await pool.query(
    `insert into audit_run (id, finished_at, checks, broken) values (gen_random_uuid(), now() - interval '1 hour', 40, 2)`,
  )
  expect(await readMetric('tern_screening_list_stale{source="un"}')).toBe(1)
  expect(await readMetric('tern_screening_list_age_seconds{source="un"}')).toBeNaN()
  await pool.query(
    `insert into screening_list (source, version, sha256, files, entries, imported_at, checked_at)
     values ('un', 1, repeat('0', 64), '{}', 1, now() - interval '1 hour', now() - interval '1 hour')`,
  )
  expect(await readMetric('tern_screening_list_stale{source="un"}')).toBe(0)
  expect(await readMetric('tern_screening_list_age_seconds{source="un"}')).toBeCloseTo(3600, -1)
  expect(await readMetric('tern_jobs{state="waiting"}')).toBe(1)
  expect(await readMetric('tern_reconciliation_exceptions{state="new"}')).toBe(1)
  expect(await readMetric('tern_audit_age_seconds')).toBeCloseTo(3600, -1)
  expect(await readMetric('tern_audit_broken_checks')).toBe(2)
})

test('calls to a provider without a certain answer are counted', async () => {
  const silentServer = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  await once(silentServer, 'listening')
  const otherApp = await startTestApp({
    environment: { SANDBOX_URL: `http://127.0.0.1:${(silentServer.address() as AddressInfo).port}` },
  })
  const text = await (await otherApp.readAsOperator('/metrics')).text()
  expect(text).toMatch(/^tern_provider_errors_total\{kind="rates",provider="sandbox",call="latest"\} [1-9]/m)
  await otherApp.close()
  silentServer.close()
})
