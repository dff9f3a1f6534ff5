// npm run bench -- fair [--rows 50000] [--only uploads,exports]
//
// One person requests as many files, exports, charts and figures at once as the rate limits allow. Meanwhile another
// process reads another person's wallet, call after call; the 95th percentile of those calls has a goal for each kind.

import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildDocumentForm } from '@tern/contract/kyc/documents'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { sendMoney } from '@tern/contract/transfers'
import { currencyCodes } from '@tern/money/currency'
import pg from 'pg'
import { enroll, fund, raiseLimits, type TestPerson } from '@tern/testkit/people'
import { allowUnproven } from '@tern/testkit/risk'
import { startTestProduct } from '@tern/testkit/product'
import { photoBy } from '@tern/testkit/kyc/pictures'
import { pdfOfPackedObjects } from '@tern/testkit/kyc/pdfs'
import { quantile } from './load.ts'
import type { WatchedCall } from './fairness-client.ts'

const { values: options } = parseArgs({
  options: {
    /** Transactions of the heavy user. */
    rows: { type: 'string', default: '50000' },
    /** Comma-separated names of kinds; defaults to all. */
    only: { type: 'string' },
  },
})

const goalMs = 300
const uploadGoalMs = 2000
const quietMs = 3000
const settleMs = 500

interface Scene {
  readonly url: string
  readonly pool: pg.Pool
  readonly greedy: TestPerson
  readonly other: TestPerson
  /** A transaction of the heavy user. */
  readonly transactionId: string
}

type Ask = (path: string, init?: RequestInit) => Promise<number>

/** Returns a function that calls the API as `person`, reads the whole response and returns its status. */
const asking =
  (url: string, { token }: TestPerson): Ask =>
  async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    const answer = await fetch(`${url}/api${path}`, { ...init, headers })
    await answer.arrayBuffer()
    return answer.status
  }

const times = (count: number, work: (index: number) => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Downloads one export, confirmed as by its account holder. */
async function exportAll({ url, pool, greedy }: Scene, ask: Ask, format: string): Promise<number> {
  const path = `/user/privacy/export?format=${format}`
  const headers = { authorization: `Bearer ${greedy.token}` }
  const response = await fetch(`${url}/api${path}`, { headers })
  const { confirmation } = (await response.json()) as { confirmation?: { id: string } }
  if (confirmation === undefined) throw new Error('an export was given without a confirmation')
  await pool.query('update step_up_confirmation set confirmed_at = now() where id = $1', [confirmation.id])
  return ask(path, { headers: { 'step-up': confirmation.id } })
}

const uploadPath = ({ id }: TestPerson) => `/kyc/${id}/upload-document`

const buildForm = (file: Uint8Array, type: string): FormData =>
  buildDocumentForm({ documentType: 'passport' }, new Blob([Buffer.from(file)], { type }))

/** Concurrent requests of the heavy user: as many as the limits per minute or day allow. */
const kinds: Readonly<Record<string, (scene: Scene, ask: Ask) => Promise<number[]>>> = {
  uploads({ greedy }, ask) {
    const slow = pdfOfPackedObjects(150_000)
    return times(20, () => ask(uploadPath(greedy), { method: 'POST', body: buildForm(slow, 'application/pdf') }))
  },
  receipts: ({ transactionId }, ask) => times(30, () => ask(`/transaction/${transactionId}/receipt.pdf`)),
  exports: (scene, ask) => times(5, (index) => exportAll(scene, ask, index % 2 === 0 ? 'json' : 'csv')),
  charts(_scene, ask) {
    const others = currencyCodes.filter((code) => code !== 'USD')
    return times(240, (index) => ask(`/currency/history/${others[index % others.length]}/USD?range=1y`))
  },
  proofs: ({ transactionId }, ask) => times(30, () => ask(`/prices/proof/${deriveReference(transactionId)}`)),
  index: (_scene, ask) => times(120, (index) => ask(index % 2 === 0 ? '/prices/index' : '/prices/index.csv')),
  tracking: (_scene, ask) => times(120, () => ask(`/tracking/${randomBytes(16).toString('base64url')}`)),
}

const client = fileURLToPath(new URL('fairness-client.ts', import.meta.url))

/** Records the other person's calls from now until `end` is called. */
function watch({ url, other }: Scene): { end: () => Promise<WatchedCall[]> } {
  const child = spawn(process.execPath, [client], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.write(`${JSON.stringify({ url: `${url}/api/wallet/${other.id}`, token: other.token })}\n`)
  return {
    async end() {
      child.stdin.end()
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`the client ended with ${String(code)}`)
      return JSON.parse(await output) as WatchedCall[]
    },
  }
}

const inMs = (ms: number): string => `${ms.toFixed(0)} ms`.padStart(8) // not money: a time

const formatCounts = (statuses: readonly number[]): string =>
  [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => `${all.length} × ${status}`).join(', ')

/** Prints the other person's calls during the load; returns whether they met the goal. */
function report(name: string, calls: readonly WatchedCall[], tookMs: number, statuses: readonly number[]): boolean {
  const sorted = calls.map((call) => call.tookMs).toSorted((a, b) => a - b)
  const p95 = quantile(sorted, 0.95)
  console.log(
    `${name.padEnd(10)} p50${inMs(quantile(sorted, 0.5))}  p95${inMs(p95)}  most${inMs(sorted.at(-1) ?? Number.NaN)}` +
      `  of ${String(sorted.length).padStart(4)} calls in ${inMs(tookMs)}   ${formatCounts(statuses)}`,
  )
  return p95 <= goalMs && calls.every(({ status }) => status === 200)
}

/** Uploads one photo of the other person; returns whether it is accepted in time. */
async function uploadPhoto({ url, other }: Scene): Promise<boolean> {
  const began = performance.now()
  const photo = buildForm(await photoBy('Somebody'), 'image/jpeg')
  const status = await asking(url, other)(uploadPath(other), { method: 'POST', body: photo })
  const tookMs = performance.now() - began
  console.log(`           the photo of the other person: ${status} after${inMs(tookMs)} (goal ≤ ${uploadGoalMs} ms)`)
  return status === 201 && tookMs <= uploadGoalMs
}

/** Measures one person's calls while another sends many requests of one kind; returns whether they meet the goal. */
async function measure(scene: Scene, name: string): Promise<boolean> {
  const { end } = watch(scene)
  await delay(settleMs)
  const began = performance.now()
  const at = Date.now()
  const kind = kinds[name]
  if (kind === undefined) throw new Error(`there is no kind ${name}`)
  const work = kind(scene, asking(scene.url, scene.greedy))
  let isInTime = true
  if (name === 'uploads') {
    await delay(settleMs)
    isInTime = await uploadPhoto(scene)
  }
  const statuses = await work
  const tookMs = performance.now() - began
  const until = Date.now()
  const during = (await end()).filter((call) => call.at >= at && call.at <= until)
  return report(name, during, tookMs, statuses) && isInTime
}

/** Creates many transactions of one person by copying one. */
async function fill(pool: pg.Pool, { id }: TestPerson, transactionId: string): Promise<void> {
  await pool.query(
    `insert into transaction select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'posting_id',
         gen_random_uuid(), 'created_at', t.created_at - n * interval '1 minute',
         'description', case n % 3 when 0 then 'Rent ' || n when 1 then 'Dinner' else '' end))).*
       from transaction t, generate_series(1, $3) as n where t.user_id = $1 and t.id = $2`,
    [id, transactionId, Number(options.rows)],
  )
}

async function prepare(url: string, pool: pg.Pool): Promise<Scene> {
  const greedy = await enroll(url, 'greedy', 'United States', { database: pool })
  const other = await enroll(url, 'other', 'Germany', { database: pool })
  await raiseLimits(pool)
  await allowUnproven(pool, { dollars: 1_000_000 })
  await fund(greedy, 100_000)
  const body = { recipient_id: other.id, amount: '1.00', source_currency: 'USD', description: 'Rent' } as const
  const { transaction_id: transactionId } = await greedy.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await fill(pool, greedy, transactionId)
  return { url, pool, greedy, other, transactionId }
}

const { address, remove } = await startTestProduct()
const pool = new pg.Pool({ connectionString: address.E2E_DATABASE_URL, max: 2 })
try {
  const scene = await prepare(address.E2E_URL, pool)
  const { end } = watch(scene)
  await delay(quietMs)
  report('quiet', await end(), quietMs, [])
  const missed: string[] = []
  for (const name of options.only?.split(',') ?? Object.keys(kinds)) {
    if (!(await measure(scene, name))) missed.push(name)
  }
  console.log(
    `goal: p95 ≤ ${goalMs} ms and no call refused${missed.length > 0 ? `; missed: ${missed.join(', ')}` : ''}`,
  )
  if (missed.length > 0) process.exitCode = 1
} finally {
  await pool.end()
  await remove()
}
