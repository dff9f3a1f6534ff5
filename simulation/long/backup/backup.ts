// Backs up a database under load, restores it to a named second beside the running one, replaces the running one by its
// backup, and writes a resolution pack from that.

import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@tern/contract/protocol/client'
import { login } from '@tern/contract/sign-in'
import { createDataFolder, removeDataFolder, storeLogs } from '@tern/testkit/database-server'
import { enroll, fund, raiseLimits, type TestPerson } from '@tern/testkit/people'
import { allowUnconfirmed } from '@tern/testkit/risk'
import pg from 'pg'
import { audit } from '../../../packages/server/src/commands/audit/audit.ts'
import { commitMarginMs } from '../../../packages/server/src/commands/drill/drill.ts'
import { migrate } from '../../../packages/server/src/commands/migrate/migrate.ts'
import { choosePort } from '../../../packages/server/src/platform/database/embedded-postgres.ts'
import { roles, superviseProcess } from '../../harness/harness.ts'
import { checkPack } from './check-pack.ts'
import { type ArchivingCluster, findMissingProgram, startArchivingCluster } from './cluster.ts'

export interface BackupReport {
  /** Acknowledged sends before and after the second to which the drill went back. */
  readonly before: number
  readonly after: number
  /** Output of the drill. */
  readonly drill: string
  /** Seconds from the loss of the database to the first send on its backup. */
  readonly secondsToRecover: number
  readonly faults: readonly string[]
}

interface Send {
  readonly key: string
  readonly startedAt: number
  readonly answeredAt: number
}

const server = fileURLToPath(new URL('../../../packages/server/bin/tern.mjs', import.meta.url))
const sandboxProgram = fileURLToPath(new URL('../../../packages/sandbox/src/main.ts', import.meta.url))
const callers = 4
const sendsPerPhase = 300
const readyTimeoutMs = 120_000
// The clock of a commit and that of an answer may differ by as much.
const clockMarginMs = 1000
const undoSeconds = 5

export async function runBackup(print: (sentence: string) => void): Promise<BackupReport> {
  const missing = findMissingProgram()
  if (missing !== undefined) return { before: 0, after: 0, drill: '', secondsToRecover: 0, faults: [missing] }
  const cluster = await startArchivingCluster()
  const product = await startProduct(cluster)
  try {
    const report = await drillAndRecover(cluster, product, print)
    return { ...report, faults: [...report.faults, ...(await checkPack(cluster.superuserUrl))] }
  } finally {
    await product.close()
    await cluster.close()
  }
}

type RunningProduct = Awaited<ReturnType<typeof startProduct>>

/** Starts an app, a worker and a sandbox on the cluster. */
async function startProduct(cluster: ArchivingCluster) {
  await migrate(cluster.ownerUrl, { applicationRole: 'tern_app' })
  const dataDir = createDataFolder('product')
  const [port, sandboxPort] = [await choosePort(), await choosePort()]
  const url = `http://localhost:${port}`
  const secret = randomBytes(32).toString('base64url')
  const settings = {
    DATABASE_URL: cluster.applicationUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: url,
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_URL: `http://localhost:${sandboxPort}`,
    SANDBOX_SECRET: randomBytes(24).toString('base64url'),
    SANDBOX_WEBHOOK_URL: `${url}/api/webhooks/sandbox`,
    SANDBOX_MARKET: 'still',
    TERN_SECRET: secret,
    LOG_LEVEL: 'error',
  }
  const options = { settings, dataDir }
  const processes = [
    superviseProcess('sandbox', [sandboxProgram], options),
    superviseProcess('app', roles.app, options),
    superviseProcess('worker', roles.worker, options),
  ]
  const pool = new pg.Pool({ connectionString: cluster.superuserUrl, max: 2 })
  pool.on('error', () => {})
  await raiseLimits(pool)
  await allowUnconfirmed(pool, { dollars: 1_000_000 })
  await pool.query('update fee_policy set free_movements_per_day = 1000000')
  return {
    url,
    pool,
    secret,
    async close(): Promise<void> {
      await Promise.all(processes.map((each) => each.stop()))
      await pool.end()
      storeLogs(dataDir)
      await removeDataFolder(dataDir)
    },
  }
}

async function drillAndRecover(
  cluster: ArchivingCluster,
  product: RunningProduct,
  print: (sentence: string) => void,
): Promise<BackupReport> {
  const faults: string[] = []
  await waitUntilReady(product.url)
  const resident = (name: string) => enroll(product.url, name, 'United States', { database: product.pool })
  const alice = await resident('alice')
  await fund(alice, 5_000_000)
  const people = { sender: alice as People['sender'], recipient: await resident('bruno') }

  const early = await sendMany(product, people, { meanwhile: () => cluster.backrest('backup', '--type=full') })
  print(`${early.length} sends during a full backup`)
  const before = [...early, ...(await sendMany(product, people))]
  // The drill counts only what is older, since a posting gets its time before it commits.
  await delay(commitMarginMs + clockMarginMs)
  const moment = new Date(Math.ceil(Date.now() / 1000) * 1000)
  await delay(moment.getTime() - Date.now() + clockMarginMs)
  const after = await sendMany(product, people)
  await cluster.archiveEverything()

  const target = moment.toISOString()
  const drill = await runDrill(cluster, product, ['--to', target])
  print(drill.text)
  if (drill.code !== 0) faults.push(`the drill to ${target} failed`)
  const compared = Number(/, (\d+) postings/.exec(drill.text)?.[1]) // not money: a count
  if (!(compared >= before.length)) faults.push(`the drill compared ${compared} of ${before.length} sends`)
  const latest = await runDrill(cluster, product, [])
  if (latest.code !== 0) faults.push(`the drill to the end of the archive failed: ${latest.text}`)
  faults.push(...(await checkDamageIsFound(cluster, product)))

  people.sender = await logInAgain(product, people.sender)
  const pending = await send(product, people, { undo_seconds: undoSeconds })
  const archived = await send(product, people)
  await cluster.archiveEverything()
  const lostAt = Date.now()
  await cluster.kill()
  fs.rmSync(cluster.data, { recursive: true })
  fs.mkdirSync(cluster.data, { mode: 0o700 })
  if (cluster.account.uid !== undefined && cluster.account.gid !== undefined)
    fs.chownSync(cluster.data, cluster.account.uid, cluster.account.gid)
  await cluster.backrest('restore')
  await cluster.start()
  await waitUntilReady(product.url)
  const first = await sendUntilAccepted(product, people)
  const secondsToRecover = Math.round((Date.now() - lostAt) / 1000) // not money: seconds
  print(`${secondsToRecover} s from the loss of the database to the first send on its backup`)

  const sends = [...before, ...after, pending, archived, first]
  faults.push(...(await checkSends(product, sends)))
  faults.push(...(await checkRetry(product, people, archived)))
  faults.push(...(await checkSettles(product)))
  const { checks } = await audit(product.pool)
  faults.push(...checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`))
  return { before: before.length, after: after.length, drill: drill.text, secondsToRecover, faults }
}

interface People {
  readonly sender: Pick<TestPerson, 'id' | 'email' | 'password' | 'token'>
  readonly recipient: TestPerson
}

/** Returns the person with a new access token, which lasts five minutes. */
async function logInAgain({ url }: RunningProduct, person: People['sender']): Promise<People['sender']> {
  const { call } = createClient({ baseUrl: `${url}/api`, accessToken: () => undefined })
  const { email, password } = person
  const answer = await call(login, { body: { email, password } })
  if (!('access_token' in answer)) throw new Error('the login asks for another step')
  return { ...person, token: answer.access_token }
}

async function postSend({ url }: RunningProduct, { sender, recipient }: People, key: string, fields = {}) {
  return fetch(`${url}/api/payment/transfer`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sender.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ recipient_id: recipient.id, amount: '0.05', source_currency: 'USD', ...fields }),
  })
}

async function send(product: RunningProduct, people: People, fields = {}): Promise<Send> {
  const key = randomUUID()
  const startedAt = Date.now()
  const answer = await postSend(product, people, key, fields)
  if (!answer.ok) throw new Error(`a send was answered with ${answer.status} ${await answer.text()}`)
  return { key, startedAt, answeredAt: Date.now() }
}

/** Sends `sendsPerPhase` payments, and more until `meanwhile` is done. */
async function sendMany(
  product: RunningProduct,
  people: People,
  { meanwhile }: { meanwhile?: () => unknown } = {},
): Promise<Send[]> {
  const sends: Send[] = []
  const work = Promise.resolve(meanwhile?.())
  let isWorking = true
  void work.finally(() => (isWorking = false)).catch(() => {})
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (sends.length < sendsPerPhase || isWorking) sends.push(await send(product, people))
    }),
  )
  await work
  return sends
}

/** Retries one send, under one key, until the product answers it. */
async function sendUntilAccepted(product: RunningProduct, people: People): Promise<Send> {
  const key = randomUUID()
  const startedAt = Date.now()
  for (const end = startedAt + readyTimeoutMs; Date.now() < end; await delay(100)) {
    const answer = await postSend(product, people, key).catch(() => undefined)
    if (answer?.ok) return { key, startedAt, answeredAt: Date.now() }
  }
  throw new Error('The product did not send again.')
}

async function runDrill(
  cluster: ArchivingCluster,
  { secret }: RunningProduct,
  parameters: readonly string[],
): Promise<{ code: number | null; text: string }> {
  const { stanza, configFile, account, environment } = cluster
  const command = [server, 'drill', '--stanza', stanza, '--config', configFile, ...parameters]
  const child = spawn(process.execPath, command, {
    ...account,
    env: { ...environment, DATABASE_URL: cluster.applicationUrl, TERN_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text: text.trim() }
}

/** Changes an old balance in the running database, which the drill must find, and changes it back. */
async function checkDamageIsFound(cluster: ArchivingCluster, product: RunningProduct): Promise<string[]> {
  const change = async (sign: '+' | '-') => {
    const client = await product.pool.connect()
    try {
      await client.query('set session_replication_role = replica')
      await client.query(
        `update ledger.entry e set balance = e.balance ${sign} 1
           from ledger.account a where a.id = e.account_id and a.version = e.version and a.kind = 'wallet'`,
      )
    } finally {
      client.release(true)
    }
  }
  await change('+')
  const { code, text } = await runDrill(cluster, product, [])
  await change('-')
  return code === 1 && text.includes('DIFFERS') ? [] : [`a drill against changed books ended with ${code}: ${text}`]
}

/** Every acknowledged send is there once. */
async function checkSends({ pool }: RunningProduct, sends: readonly Send[]): Promise<string[]> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from transaction where kind = 'SEND' and source_currency = 'USD'`,
  )
  const stored = Number(rows[0]?.count) // not money: a count
  return stored === sends.length ? [] : [`${sends.length} sends were acknowledged, ${stored} are there`]
}

/** A send that was acknowledged before the loss is answered again, and not carried out again. */
async function checkRetry(product: RunningProduct, people: People, { key }: Send): Promise<string[]> {
  const { balance: before } = await readBalance(product, people)
  const answer = await postSend(product, people, key)
  const { balance } = await readBalance(product, people)
  return answer.ok && balance === before
    ? []
    : [`a repeated send was answered with ${answer.status}, balance ${before} to ${balance}`]
}

async function readBalance({ pool }: RunningProduct, { sender }: People): Promise<{ balance: string }> {
  const { rows } = await pool.query<{ balance: string }>(
    `select sum(a.balance)::text as balance from ledger.account a join wallet w on a.name like 'wallet:' || w.id || ':%'
      where w.user_id = $1`,
    [sender.id],
  )
  return { balance: String(rows[0]?.balance) }
}

/** A send on hold when the database was lost is settled by the worker. */
async function checkSettles({ pool }: RunningProduct): Promise<string[]> {
  for (const end = Date.now() + readyTimeoutMs; Date.now() < end; await delay(200)) {
    const { rows } = await pool.query(`select from transaction where kind = 'SEND' and status = 'PENDING'`)
    if (rows.length === 0) return []
  }
  return ['a send on hold was not settled after the restore']
}

async function waitUntilReady(url: string): Promise<void> {
  for (const end = Date.now() + readyTimeoutMs; Date.now() < end; await delay(100)) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
    if (answer?.ok) return
  }
  throw new Error('The product did not become ready.')
}
