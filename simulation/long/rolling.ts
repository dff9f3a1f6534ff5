// Restarts two apps behind nginx (docs/nginx.conf) in turn under load: no request may fail.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'
import { choosePort } from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { type Harness, startHarness } from './harness.ts'

export interface RollingReport {
  readonly requests: number
  readonly restarts: number
  /** Failed requests and violated checks; empty if sound. */
  readonly faults: readonly string[]
}

const configuration = new URL('../../docs/nginx.conf', import.meta.url)
const rounds = 3
const callers = 4
const minRequests = 1000
const sentMinor = 5
const readyTimeoutMs = 60_000

/** Starts nginx in front of the two apps with the documented configuration, except for its ports. */
async function startNginx([one, other]: readonly [string, string]) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-nginx-'))
  const port = await choosePort()
  const servers = fs
    .readFileSync(configuration, 'utf8')
    .replace('127.0.0.1:3000', `127.0.0.1:${new URL(one).port}`)
    .replace('127.0.0.1:3010', `127.0.0.1:${new URL(other).port}`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
  const text = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
    events {} http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; ${servers} }`
  fs.writeFileSync(path.join(folder, 'nginx.conf'), text)
  const child: ChildProcess = spawn('nginx', ['-c', path.join(folder, 'nginx.conf'), '-e', `${folder}/error.log`])
  await once(child, 'spawn')
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async close(): Promise<void> {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      fs.rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Returns how often nginx calls the apps for one order if both respond with 503, as they do while a provider is down.
 */
async function countRepetitions(): Promise<number> {
  let calls = 0
  const apps = [0, 1].map(() =>
    createServer((_request, answer) => {
      calls += 1
      answer.writeHead(503).end()
    }).listen(0, '127.0.0.1'),
  )
  await Promise.all(apps.map((app) => once(app, 'listening')))
  const [one = '', other = ''] = apps.map((app) => `http://127.0.0.1:${(app.address() as AddressInfo).port}`)
  const nginx = await startNginx([one, other])
  const order = () => fetch(`${nginx.url}/api/payment/deposit`, { method: 'POST' }).catch(() => undefined)
  try {
    for (let attempt = 0; attempt < 100 && (await order())?.status !== 503; attempt += 1) await delay(50)
    return calls
  } finally {
    await nginx.close()
    for (const app of apps) app.close()
  }
}

interface TrafficCounts {
  requests: number
  sent: number
  readonly faults: string[]
}

/** Sends requests of all kinds in turn until stopped. */
async function sendTraffic(
  url: string,
  sender: TestPerson,
  recipient: TestPerson,
  counts: TrafficCounts,
  signal: AbortSignal,
) {
  const authorization = `Bearer ${sender.token}`
  const kinds: [string, RequestInit][] = [
    ['/', {}],
    ['/login', {}],
    [`/api/wallet/user/${sender.id}`, { headers: { authorization } }],
    [`/api/transaction/user/${sender.id}`, { headers: { authorization } }],
    ['/api/payment/transfer', { method: 'POST' }],
  ]
  for (let turn = 0; !signal.aborted; turn += 1) {
    const [target, init] = kinds[turn % kinds.length] ?? ['/', {}]
    const isOrder = init.method === 'POST'
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const body = JSON.stringify({ recipient_id: recipient.id, amount: '0.05', source_currency: 'USD' })
    const answer = await fetch(url + target, isOrder ? { ...init, headers, body } : init).catch(
      (error: unknown) => error,
    )
    counts.requests += 1
    if (!(answer instanceof Response)) {
      counts.faults.push(`${target}: ${String(answer)}`)
      continue
    }
    const text = await answer.text()
    if (!answer.ok) counts.faults.push(`${target}: ${answer.status} ${text.slice(0, 200)}`)
    else if (isOrder) counts.sent += 1
  }
}

/** Sends SIGTERM to an app and waits until its replacement is ready. */
async function restart({ processes, isUp }: Harness, name: 'app_1' | 'app_2'): Promise<void> {
  const pid = processes[name].pid()
  if (pid !== undefined) process.kill(pid, 'SIGTERM')
  for (const end = Date.now() + readyTimeoutMs; Date.now() < end; await delay(50)) {
    const now = processes[name].pid()
    if (now !== undefined && now !== pid && (await isUp(name))) return
  }
  throw new Error(`${name} did not come up again`)
}

/** Restarts each app at least `rounds` times under load, and until `minRequests` are sent. Needs nginx. */
export async function runRolling(print: (sentence: string) => void): Promise<RollingReport> {
  if (spawnSync('nginx', ['-v']).status !== 0) {
    return { requests: 0, restarts: 0, faults: ['nginx is not installed (apt-get install nginx-light).'] }
  }
  const calls = await countRepetitions()
  if (calls !== 1) {
    return {
      requests: calls,
      restarts: 0,
      faults: [`an order that was answered with 503 reached the apps ${calls} times`],
    }
  }
  const harness = await startHarness('rolling', { LAME_DUCK_SECONDS: '1' })
  const nginx = await startNginx(harness.urls)
  try {
    await harness.waitUntilReady()
    const resident = (name: string) => enroll(harness.urls[0], name, 'United States', { database: harness.pool })
    const sender = await resident('alice')
    const recipient = await resident('bruno')
    await fund(sender, 50_000)
    // Without this, so many payments would exceed the daily number of free ones.
    await harness.pool.query('update fee_policy set free_movements_per_day = 1000000')
    const counts: TrafficCounts = { requests: 0, sent: 0, faults: [] }
    const stop = new AbortController()
    const traffic = Array.from({ length: callers }, () =>
      sendTraffic(nginx.url, sender, recipient, counts, stop.signal),
    )
    let restarts = 0
    while (restarts < 2 * rounds || counts.requests < minRequests) {
      await restart(harness, restarts % 2 === 0 ? 'app_1' : 'app_2')
      restarts += 1
      print(`${restarts} restarts, ${counts.requests} requests, ${counts.faults.length} failed`)
    }
    stop.abort()
    await Promise.all(traffic)
    const { checks } = await audit(harness.pool)
    const broken = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
    const { rows } = await harness.pool.query<{ count: string }>(
      `select count(*)::text as count from transaction where kind = 'SEND' and source_amount = $1`,
      [sentMinor],
    )
    const storedCount = Number(rows[0]?.count) // not money: a count
    if (storedCount !== counts.sent)
      broken.push(`${counts.sent} orders were accepted and ${storedCount} were carried out`)
    return { requests: counts.requests, restarts, faults: [...counts.faults, ...broken] }
  } finally {
    await nginx.close()
    await harness.close()
  }
}
