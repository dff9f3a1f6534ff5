// Tests of the counters of refused requests. They begin at zero, so that the first refusal raises a rate.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

const loadMetricsText = async (): Promise<string> => (await world.readAsOperator('/metrics')).text()

/** Returns the value of a series, by its name with labels; undefined if it is missing. */
async function readSeries(name: string): Promise<number | undefined> {
  const line = (await loadMetricsText()).split('\n').find((text) => text.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1)) // not money: a counter
}

/** Checks that `act` raises the counter from zero to one. */
async function expectFirst(name: string, act: () => Promise<unknown>): Promise<void> {
  expect(await readSeries(name), `${name} before`).toBe(0)
  await act()
  // The counter is raised after the answer has been sent.
  await expect.poll(() => readSeries(name), { message: `${name} after` }).toBe(1)
}

test('refused logins are counted by method and reason', async () => {
  const { email } = await world.enroll('ana', null)
  await expectFirst('tern_login_failures_total{method="password",reason="invalid_credentials"}', () =>
    world.raw('POST', '/user/login', { body: { email, password: 'not the password' } }),
  )
  await expectFirst('tern_login_failures_total{method="mailed_link",reason="link_invalid"}', () =>
    world.raw('POST', '/user/verify-login-link', { body: { token: 'x'.repeat(43) } }),
  )
  await expectFirst('tern_login_failures_total{method="password",reason="other"}', () =>
    world.raw('POST', '/user/login', { body: { email: 'not an address' } }),
  )
  expect(await loadMetricsText()).not.toContain(email)
})

test('refused confirmations are counted by method and reason', async () => {
  const { token } = await world.enroll('bruno', null)
  await expectFirst('tern_step_up_failures_total{method="code",reason="step_up_invalid"}', () =>
    world.raw('POST', `/auth/step-up/${crypto.randomUUID()}`, {
      token,
      body: { code: '123456', password: 'a password' },
    }),
  )
})

test('refused webhooks are counted by provider; a name from an address is no label', async () => {
  const post = (provider: string) => world.raw('POST', `/webhooks/${provider}`, { body: { type: 'payment' } })
  await expectFirst('tern_webhooks_refused_total{provider="sandbox",reason="signature_invalid"}', () => post('sandbox'))
  await expectFirst('tern_webhooks_refused_total{provider="unknown",reason="not_found"}', () => post('anything'))
  expect(await loadMetricsText()).not.toContain('anything')
})

test('calls beyond a rate limit are counted by its name', async () => {
  const name = 'tern_rate_limited_total{limit="payment-cancel"}'
  expect(await readSeries(name)).toBe(0)
  const { token } = await world.enroll('carla', 'DE')
  const cancel = () => world.raw('POST', `/payment/${crypto.randomUUID()}/cancel`, { token })
  const statuses: number[] = []
  while (!statuses.includes(429) && statuses.length < 100) statuses.push((await cancel()).status)
  expect(await readSeries(name)).toBe(1)
})

test('every kind of movement outcome, status and retry has a series from the start', async () => {
  const text = await loadMetricsText()
  for (const series of [
    'tern_movements_total{outcome="insufficient_funds"} 0',
    'tern_http_requests_total{class="5xx"} 0',
    'tern_ledger_batch_retries_total{cause="connection"} 0',
    'tern_mails_given_up_total{reason="outlived"} 0',
    'tern_provider_errors_total{kind="rates",provider="sandbox",call="latest"} 0',
  ]) {
    expect(text).toContain(`${series}\n`)
  }
})

test('the build is named by version, commit and Node.js version', async () => {
  expect(await loadMetricsText()).toMatch(
    /^tern_build_info\{version="\d+\.\d+\.\d+",commit="([0-9a-f]{40}|unknown)",node="24\.\d+\.\d+"\} 1$/m,
  )
})

test('durations have buckets up to a minute, and event streams are none', async () => {
  const { token } = await world.enroll('dora', null)
  const stream = await fetch(`${world.url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
  expect(stream.status).toBe(200)
  await expect.poll(() => readSeries('tern_event_streams')).toBe(1)
  await stream.body?.cancel()
  await expect.poll(() => readSeries('tern_event_streams')).toBe(0)
  const text = await loadMetricsText()
  expect(text).toMatch(/tern_http_request_duration_seconds_bucket\{le="60",method="POST",route="\/api\/user\/login"/)
  expect(text).not.toContain('route="/api/events"')
})
