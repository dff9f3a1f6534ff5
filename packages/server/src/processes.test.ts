// App and worker as processes: how they log, tell their health and stop.

import { once } from 'node:events'
import fs from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../tools/testing/test-app.ts'
import { startNode } from '../../../tools/testing/test-nodes.ts'

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

test.each(['app', 'worker'] as const)('a full disk under the log of the %s ends nothing', async (role) => {
  const full = fs.openSync('/dev/full', 'w')
  const node = await startNode(world, { role, output: full, environment: { LOG_LEVEL: 'debug' } })
  fs.closeSync(full)
  for (let count = 0; count < 50; count += 1) expect(await statusOf(`${node.url}/healthz`)).toBe(200)
  expect(await statusOf(`${node.url}/readyz`)).toBe(200)
  expect([node.child.exitCode, node.child.signalCode]).toEqual([null, null])
  await node.close()
})

test('a stopping app goes on serving for its time while load balancers learn of it, then ends', async () => {
  const node = await startNode(world, { environment: { LAME_DUCK_SECONDS: '2' } })
  const startedAt = performance.now()
  const ended = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  await expect.poll(() => statusOf(`${node.url}/readyz`), { interval: 10 }).toBe(503)
  const answer = (await (await fetch(`${node.url}/readyz`)).json()) as { reason: string }
  expect(answer.reason).toBe('stopping')
  expect(await statusOf(`${node.url}/api/currency/rate/USD/EUR`)).toBe(200)
  expect(await ended).toEqual([0, null])
  expect(performance.now() - startedAt).toBeGreaterThan(1900)
})

test('the worker tells its health and metrics, and logs one JSON object a line', async () => {
  const folder = fs.mkdtempSync('/tmp/tern-worker-')
  const output = fs.openSync(`${folder}/log`, 'w')
  const node = await startNode(world, { role: 'worker', output, environment: { LOG_LEVEL: 'debug' } })
  fs.closeSync(output)
  expect(await statusOf(`${node.url}/healthz`)).toBe(200)
  expect(await (await fetch(`${node.url}/metrics`)).text()).toContain('tern_jobs{state="waiting"}')
  const ended = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  const lines = fs.readFileSync(`${folder}/log`, 'utf8').trim().split('\n')
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ name: 'worker', level: expect.any(Number) })
  fs.rmSync(folder, { recursive: true })
})
