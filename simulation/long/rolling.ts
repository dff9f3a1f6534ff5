// Restarts two apps behind nginx, then behind HAProxy, in turn under load: no request may fail. The proxies run the
// documented configurations (deploy/nginx, deploy/haproxy) with TLS.

import { randomUUID } from 'node:crypto'
import https from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Call,
  callHttps,
  isInstalled,
  proxyNames,
  type RunningProxy,
  startProxy,
} from '../../deploy/checks/proxies.ts'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { type Harness, startHarness } from './harness.ts'

export interface RollingReport {
  readonly requests: number
  readonly restarts: number
  /** Failed requests and violated checks; empty if sound. */
  readonly faults: readonly string[]
}

const rounds = 3
const callers = 4
const minRequests = 1000
const sentMinor = 5
const readyTimeoutMs = 60_000

interface TrafficCounts {
  requests: number
  sent: number
  readonly faults: string[]
}

/** Sends requests of all kinds in turn until stopped. */
async function sendTraffic(
  { url, ca }: RunningProxy,
  sender: TestPerson,
  recipient: TestPerson,
  counts: TrafficCounts,
  signal: AbortSignal,
) {
  const authorization = `Bearer ${sender.token}`
  const agent = new https.Agent({ keepAlive: true })
  const kinds: [string, Call][] = [
    ['/', {}],
    ['/login', {}],
    [`/api/wallet/user/${sender.id}`, { headers: { authorization } }],
    [`/api/transaction/user/${sender.id}`, { headers: { authorization } }],
    ['/api/payment/transfer', { method: 'POST' }],
  ]
  for (let turn = 0; !signal.aborted; turn += 1) {
    const [target, call] = kinds[turn % kinds.length] ?? ['/', {}]
    const isOrder = call.method === 'POST'
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const body = JSON.stringify({ recipient_id: recipient.id, amount: '0.05', source_currency: 'USD' })
    const parameters = { ca, agent, ...call, ...(isOrder ? { headers, body } : {}) }
    const answer = await callHttps(url + target, parameters).catch((error: unknown) => String(error))
    counts.requests += 1
    if (typeof answer === 'string') counts.faults.push(`${target}: ${answer}`)
    else if (answer.status >= 400) counts.faults.push(`${target}: ${answer.status} ${answer.text.slice(0, 200)}`)
    else if (isOrder) counts.sent += 1
  }
  agent.destroy()
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

/** Restarts each app at least `rounds` times under load, and until `minRequests` are sent, behind each proxy. */
export async function runRolling(print: (sentence: string) => void): Promise<RollingReport> {
  const missing = proxyNames.filter((name) => !isInstalled(name))
  if (missing.length > 0) {
    return { requests: 0, restarts: 0, faults: [`Not installed: ${missing.join(', ')} (apt-get install).`] }
  }
  const harness = await startHarness('rolling', { settings: { LAME_DUCK_SECONDS: '3' } })
  try {
    await harness.waitUntilReady()
    const resident = (name: string) => enroll(harness.urls[0], name, 'United States', { database: harness.pool })
    const sender = await resident('alice')
    const recipient = await resident('bruno')
    await fund(sender, 50_000)
    // Without this, so many payments would exceed the daily number of free ones.
    await harness.pool.query('update fee_policy set free_movements_per_day = 1000000')
    const counts: TrafficCounts = { requests: 0, sent: 0, faults: [] }
    let restarts = 0
    for (const name of proxyNames) {
      const proxy = await startProxy(name, harness.urls)
      const startedAt = counts.requests
      const printCounts = (sentence: string) => print(`${name}: ${sentence}, ${counts.faults.length} failed`)
      const restartAll = async () => {
        for (let round = 0; round < 2 * rounds || counts.requests - startedAt < minRequests; round += 1) {
          await restart(harness, round % 2 === 0 ? 'app_1' : 'app_2')
          restarts += 1
          printCounts(`${round + 1} restarts, ${counts.requests - startedAt} requests`)
        }
      }
      try {
        await waitUntilReachable(proxy)
        await whileTrafficRuns((signal) => sendTraffic(proxy, sender, recipient, counts, signal), restartAll)
      } finally {
        await proxy.close()
      }
    }
    return { requests: counts.requests, restarts, faults: [...counts.faults, ...(await findBreaches(harness, counts))] }
  } finally {
    await harness.close()
  }
}

/** Waits until the proxy passes requests to a ready app. */
export async function waitUntilReachable({ url, ca }: RunningProxy): Promise<void> {
  for (const end = Date.now() + readyTimeoutMs; ; await delay(50)) {
    const answer = await callHttps(`${url}/readyz`, { ca }).catch(() => undefined)
    if (answer?.status === 200) return
    if (Date.now() > end) throw new Error(`${url} did not become reachable`)
  }
}

/** Runs `work` while each caller runs `traffic`, which ends with the signal. */
async function whileTrafficRuns(
  traffic: (signal: AbortSignal) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const running = Array.from({ length: callers }, () => traffic(stop.signal))
  try {
    await work()
  } finally {
    stop.abort()
    await Promise.all(running)
  }
}

/** Checks the books, and that every accepted order was carried out once. */
async function findBreaches({ pool }: Harness, { sent }: TrafficCounts): Promise<string[]> {
  const { checks } = await audit(pool)
  const broken = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
  const { rows } = await pool.query<{ count: string }>(
    `select count(*)::text as count from transaction where kind = 'SEND' and source_amount = $1`,
    [sentMinor],
  )
  const storedCount = Number(rows[0]?.count) // not money: a count
  return storedCount === sent ? broken : [...broken, `${sent} orders were accepted and ${storedCount} were carried out`]
}
