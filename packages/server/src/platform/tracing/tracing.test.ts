// Tests of traces, with a collector that receives OTLP over HTTP. The spans of one send lead from the request to the job
// that mails its recipient, through app and worker.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { login } from '@tern/contract/sign-in'
import { afterEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { send } from '@tern/testkit/compliance/cases'
import { readConfig, type TracingConfig } from '../runtime/config.ts'
import { startWorker } from '../../worker.ts'
import { startTracing } from './start.ts'
import { nameStatement } from './statements.ts'
import { tracing } from './tracing.ts'

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly boolValue?: boolean }
}

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
}

/** Starts a collector. `answer` may delay or refuse exports. */
async function startCollector(answer: (respond: (status: number) => void) => void = (respond) => respond(200)) {
  const spans: ReceivedSpan[] = []
  const texts: string[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      texts.push(text)
      const { resourceSpans } = JSON.parse(text) as {
        resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[]
      }
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      answer((status) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    texts,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const allTraces = { sampler: 'parentbased_always_on', ratio: 1, isSent: false } satisfies Omit<TracingConfig, 'url'>

afterEach(() => tracing()?.stop())

const startTestWorker = (world: TestApp) =>
  startWorker(
    readConfig({
      PUBLIC_URL: world.url,
      SANDBOX_URL: world.sandboxUrl,
      SANDBOX_SECRET: world.sandboxSecret,
      TERN_SECRET: world.secret,
      LOG_LEVEL: 'silent',
    }),
    world.database.applicationUrl,
  )

async function enrollPair(world: TestApp): Promise<[alice: TestPerson, bruno: TestPerson]> {
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 100_00)
  return [alice, bruno]
}

const attribute = ({ attributes }: ReceivedSpan, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

const nanos = (time: string): bigint => BigInt(time)

describe('one send', () => {
  test('shows every step with its time, from the request to the mail of the recipient', async () => {
    const collector = await startCollector()
    startTracing({ ...allTraces, url: collector.url }, 'app')
    const world = await startTestApp()
    const worker = await startTestWorker(world)
    const [alice, bruno] = await enrollPair(world)

    /** Returns the spans of the newest send once they include its mail; undefined if a step has no span. */
    async function traceSend(): Promise<ReceivedSpan[]> {
      const sentFrom = BigInt(Date.now()) * 1_000_000n
      await send(alice, bruno)
      const findSpans = () => {
        const request = collector.spans.find(
          ({ name, startTimeUnixNano }) =>
            name === 'POST /api/payment/transfer' && nanos(startTimeUnixNano) >= sentFrom - 5_000_000n,
        )
        return collector.spans.filter(({ traceId }) => traceId === request?.traceId)
      }
      await expect
        .poll(() => findSpans().map(({ name }) => name), { interval: 200 })
        .toEqual(expect.arrayContaining(['POST /api/payment/transfer', 'notification', 'write mail', 'send_mail']))
      return findSpans()
    }
    const spans = await traceSend()

    const find = (name: string): ReceivedSpan => {
      const found = spans.find((span) => span.name === name)
      if (!found) throw new Error(`no span "${name}" among ${spans.map((span) => span.name).join(', ')}`)
      return found
    }
    const findParent = ({ parentSpanId }: ReceivedSpan) => spans.find(({ spanId }) => spanId === parentSpanId)
    // A poster that is not alone does not wait for locked accounts.
    const statement = spans.find(({ name }) => /^move_money(_at_once)?$/.test(name))?.name ?? 'move_money'
    const parents = {
      guard: 'POST /api/payment/transfer',
      move: 'POST /api/payment/transfer',
      'wait for the batch': 'move',
      batch: 'move',
      [statement]: 'batch',
      notification: 'move',
      'write mail': 'move',
      send_mail: 'write mail',
      'sandbox send': 'send_mail',
    }
    for (const [name, parent] of Object.entries(parents)) {
      expect([name, findParent(find(name))?.name]).toEqual([name, parent])
    }
    expect(find('POST /api/payment/transfer').parentSpanId).toBeFalsy()
    for (const span of spans) {
      expect(nanos(span.endTimeUnixNano), span.name).toBeGreaterThanOrEqual(nanos(span.startTimeUnixNano))
    }
    const [request, wait, batch, notification, job] = [
      'POST /api/payment/transfer',
      'wait for the batch',
      'batch',
      'notification',
      'send_mail',
    ].map(find) as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan]
    expect(nanos(wait.endTimeUnixNano)).toBeLessThanOrEqual(nanos(batch.startTimeUnixNano) + 1_000_000n)
    expect(nanos(batch.endTimeUnixNano)).toBeLessThanOrEqual(nanos(request.endTimeUnixNano) + 2_000_000n)
    expect(nanos(notification.endTimeUnixNano)).toBeGreaterThan(nanos(batch.startTimeUnixNano))
    expect(nanos(job.startTimeUnixNano)).toBeGreaterThanOrEqual(nanos(findParent(job)?.startTimeUnixNano ?? '0'))
    expect(attribute(request, 'http.response.status_code')).toBe(200)
    expect(attribute(find(statement), 'db.system.name')).toBe('postgresql')
    expect(
      spans.some(({ name }) => /^POST (localhost|127\.0\.0\.1)$/.test(name)),
      'the call by fetch',
    ).toBe(true)

    await worker.close()
    await world.close()
    await tracing()?.stop()
    await collector.stop()
  })

  test('in a batch of many has the time of the batch, linked with the statement', async () => {
    const collector = await startCollector()
    startTracing({ ...allTraces, url: collector.url }, 'app')
    const world = await startTestApp({ unconfirmedPayments: 'any' })
    const [alice, bruno] = await enrollPair(world)
    await Promise.all(Array.from({ length: 12 }, () => send(alice, bruno, '1.00')))
    await world.close()
    await tracing()?.stop()
    const moves = new Set(collector.spans.filter(({ name }) => name === 'move').map(({ spanId }) => spanId))
    const batches = collector.spans.filter(({ name }) => name === 'batch')
    const isShared = (span: ReceivedSpan) => attribute(span, 'tern.batch.shared') === true
    const shared = batches.filter((span) => isShared(span))
    const owners = batches.filter((span) => !isShared(span))
    expect(shared.length).toBeGreaterThan(0)
    for (const span of shared) {
      const owner = owners.find(({ spanId }) => spanId === span.links?.[0]?.spanId)
      expect(owner?.links?.map(({ spanId }) => spanId)).toContain(span.parentSpanId)
      expect(moves).toContain(span.parentSpanId)
    }
    await collector.stop()
  })
})

test('spans contain no names, addresses, amounts, tokens, codes or keys', async () => {
  const collector = await startCollector()
  startTracing({ ...allTraces, url: collector.url }, 'app')
  const world = await startTestApp()
  const worker = await startTestWorker(world)
  const [alice, bruno] = await enrollPair(world)
  const key = crypto.randomUUID()
  expect((await send(alice, bruno, '31.41', key)).status).toBe('COMPLETED')
  await alice.call(login, { body: { email: alice.email, password: alice.password } })
  await world.raw('GET', `/user/search?query=${bruno.username}`, { token: alice.token })
  await world.raw('POST', '/user/send-login-link', { body: { email: alice.email } })
  await world.raw('POST', '/user/verify-login-link', { body: { token: 'secret-token-of-a-link-0123456789' } })
  await world.raw('GET', `/transaction/user/${alice.id}`, { token: alice.token })
  await expect
    .poll(() => collector.spans.map(({ name }) => name), { interval: 200 })
    .toEqual(expect.arrayContaining(['send_mail', 'POST /api/user/login', 'POST /api/user/verify-login-link']))
  await worker.close()
  await world.close()
  await tracing()?.stop()
  const text = collector.texts.join('\n')
  expect(collector.spans.length).toBeGreaterThan(50)
  const personal = [
    ...[alice, bruno].flatMap(({ email, username, token, password }) => [email, username, token, password]),
    ...['31.41', 'secret-token-of-a-link', key, world.secret, world.sandboxSecret],
  ]
  for (const value of personal) expect(text, `spans contain ${value}`).not.toContain(value)
  expect(text).not.toMatch(/[\w.]+@[\w.]+\.\w+/)
  for (const { name } of collector.spans) expect(name, 'no literals of statements').not.toMatch(/['"$]|\d{4}/)
  await collector.stop()
})

test('statements are named by their prepared name or first words, never by values', () => {
  expect(nameStatement({ name: 'move_money', text: 'select 1' })).toBe('move_money')
  expect(nameStatement("select id from app_user where email = 'ana@example.com'")).toBe('select app_user')
  expect(nameStatement({ text: 'insert into mail (id) values ($1)' })).toBe('insert mail')
  expect(nameStatement('  update only payout set amount = 5')).toBe('update payout')
  expect(nameStatement('select create_pending_transactions($1, $2)')).toBe('select create_pending_transactions')
  expect(nameStatement("with a as (select 'from secret') select 5 from quote")).not.toContain("'")
  expect(nameStatement('commit')).toBe('commit')
})

test('a caller chooses neither the trace nor the sampling: its traceparent is a link', async () => {
  const collector = await startCollector()
  startTracing({ ...allTraces, sampler: 'parentbased_always_on', url: collector.url }, 'app')
  const world = await startTestApp()
  const traceId = 'a'.repeat(32)
  await fetch(`${world.url}/healthz`, { headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-00` } })
  await fetch(`${world.url}/healthz`, { headers: { traceparent: 'nonsense' } })
  await world.close()
  await tracing()?.stop()
  const health = collector.spans.filter(({ name }) => name === 'GET /healthz')
  expect(health).toHaveLength(2)
  expect(health.map(({ traceId: own }) => own)).not.toContain(traceId)
  expect(health.flatMap(({ links = [] }) => links.map((link) => link.traceId))).toEqual([traceId])

  startTracing({ ...allTraces, sampler: 'parentbased_always_off', url: collector.url }, 'app')
  const unsampled = await startTestApp()
  const countBefore = collector.spans.length
  await fetch(`${unsampled.url}/healthz`, { headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` } })
  await unsampled.close()
  await tracing()?.stop()
  expect(collector.spans.length).toBe(countBefore)
  await collector.stop()
})

test.each([false, true])('traceparent is sent to providers only if configured (%s)', async (isSent) => {
  const collector = await startCollector()
  const headers: (string | undefined)[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers.traceparent as string | undefined)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const started = startTracing({ ...allTraces, isSent, url: collector.url }, 'app')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?secret=1`
  await started.span('outside', { isRoot: true }, async () => (await fetch(url)).text())
  await started.stop()
  const call = collector.spans.find(({ name }) => name === 'GET 127.0.0.1')
  expect(headers).toEqual([isSent ? `00-${call?.traceId}-${call?.spanId}-01` : undefined])
  expect(collector.texts.join('')).not.toContain('secret=1')
  server.close()
  await collector.stop()
})

describe('a collector', () => {
  test.each([
    ['that is down', undefined],
    ['that answers 500', (respond: (status: number) => void) => respond(500)],
    ['that never answers', () => {}],
  ])('%s fails and delays no request', async (_title, answer) => {
    const collector = await startCollector(answer)
    if (answer === undefined) await collector.stop()
    startTracing({ ...allTraces, url: collector.url }, 'app')
    const world = await startTestApp({ unconfirmedPayments: 'any' })
    const [alice, bruno] = await enrollPair(world)
    for (let count = 0; count < 20; count += 1) expect((await send(alice, bruno, '1.00')).status).toBe('COMPLETED')
    await world.close()
    const stoppedAt = performance.now()
    await tracing()?.stop()
    expect(performance.now() - stoppedAt).toBeLessThan(30_000)
    if (answer !== undefined) {
      expect(collector.texts.length).toBeGreaterThan(0)
      await collector.stop()
    }
  })
})

test('without a collector nothing is traced, and the SDK is not loaded', () => {
  expect(readConfig({ TERN_SECRET: 'x'.repeat(40), SANDBOX_SECRET: 'y'.repeat(40) }).tracing).toBeUndefined()
  expect(tracing()).toBeUndefined()
  const modules = ['app', 'worker', 'main'].map((name) => new URL(`../../${name}.ts`, import.meta.url).href)
  const program = `
    import { registerHooks } from 'node:module'
    const packages = new Set()
    registerHooks({
      load(url, context, next) {
        const [, name] = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url) ?? []
        if (name) packages.add(name)
        return next(url, context)
      },
    })
    for (const module of ${JSON.stringify(modules)}) await import(module)
    console.log([...packages].join(' '))
    process.exit()`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  // prom-client loads the interface, which does nothing by itself.
  expect(output.trim()).toBe('@opentelemetry/api')
})
