// Logging, health checks and shutdown of app and worker as processes.

import { once } from 'node:events'
import fs from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { type NodeOptions, startNode, type TestNode } from '@tern/testkit/nodes'

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

/** Starts a process and stops it at the end of the test, even if the test fails. */
async function start(options: NodeOptions = {}): Promise<TestNode> {
  const node = await startNode(world, options)
  onTestFinished(() => node.close())
  return node
}

/** Returns the status of a request with a foreign Host header, which `fetch` cannot set. */
async function requestStatus(host: string, url: string): Promise<number | undefined> {
  const request = httpRequest(url, { headers: { host } }).end()
  const [response] = await once(request, 'response')
  response.resume()
  return response.statusCode
}

const loadStatus = async (url: string): Promise<number> => (await fetch(url)).status

test.each(['app', 'worker'] as const)('a full disk under the log of the %s stops no process', async (role) => {
  const fullDevice = fs.openSync('/dev/full', 'w')
  const node = await start({ role, output: fullDevice, environment: { LOG_LEVEL: 'debug' } })
  fs.closeSync(fullDevice)
  for (let count = 0; count < 50; count += 1) expect(await loadStatus(`${node.url}/healthz`)).toBe(200)
  expect(await loadStatus(`${node.url}/readyz`)).toBe(200)
  expect([node.child.exitCode, node.child.signalCode]).toEqual([null, null])
})

test('a stopping app serves for the configured delay while load balancers notice, then ends', async () => {
  const node = await start({ environment: { LAME_DUCK_SECONDS: '6' } })
  const startedAt = performance.now()
  const processExit = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  await expect.poll(() => loadStatus(`${node.url}/readyz`), { interval: 10 }).toBe(503)
  const answer = (await (await fetch(`${node.url}/readyz`)).json()) as { reason: string }
  expect(answer.reason).toBe('stopping')
  expect(await loadStatus(`${node.url}/api/currency/rate/USD/EUR`)).toBe(200)
  expect(await processExit).toEqual([0, null])
  expect(performance.now() - startedAt).toBeGreaterThan(5900)
})

test('the worker serves health and metrics, and logs one JSON object per line', async () => {
  const folder = fs.mkdtempSync('/tmp/tern-worker-')
  const output = fs.openSync(`${folder}/log`, 'w')
  const node = await start({ role: 'worker', output, environment: { LOG_LEVEL: 'debug' } })
  fs.closeSync(output)
  expect(await loadStatus(`${node.url}/healthz`)).toBe(200)
  expect(await (await fetch(`${node.url}/metrics`)).text()).toContain('tern_jobs{state="waiting"}')
  expect(await requestStatus('attacker.example', `${node.url}/metrics`)).toBe(421)
  expect(await requestStatus('10.0.0.7', `${node.url}/metrics`)).toBe(200)
  expect(await requestStatus('10.0.0.7', `${node.url}/readyz`)).toBe(200)
  const processExit = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  expect(await processExit).toEqual([0, null])
  const lines = fs.readFileSync(`${folder}/log`, 'utf8').trim().split('\n')
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ name: 'worker', level: expect.any(Number) })
  fs.rmSync(folder, { recursive: true })
})

test('the log names each request by the id in its response', async () => {
  const folder = fs.mkdtempSync('/tmp/tern-app-')
  const output = fs.openSync(`${folder}/log`, 'w')
  const node = await start({ output, environment: { LOG_LEVEL: 'debug' } })
  fs.closeSync(output)
  const answer = await fetch(`${node.url}/api/user/user?secret=typed`)
  const { requestId } = (await answer.json()) as { requestId: string }
  expect(answer.headers.get('x-request-id')).toBe(requestId)
  const readLogLines = () => fs.readFileSync(`${folder}/log`, 'utf8').match(/^\{.*/gm) ?? []
  const loadRequestLines = () =>
    readLogLines().flatMap((line) => {
      const logLine = JSON.parse(line) as { reqId?: string; msg: string }
      return logLine.reqId === requestId ? [logLine] : []
    })
  await expect.poll(() => loadRequestLines().map(({ msg }) => msg)).toEqual(['incoming request', 'request completed'])
  expect(loadRequestLines()[0]).toMatchObject({ req: { method: 'GET', path: '/api/user/user' } })
  expect(readLogLines().join()).not.toContain('typed')
  fs.rmSync(folder, { recursive: true })
})
