// npm run bench -- fair [--rows 50000] [--only uploads,exports]
//
// For each kind of expensive request, one user sends as many at once as the rate limits allow. Meanwhile another
// process reads a second user's wallet at a steady rate; the 95th percentile of its response times has a goal.

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
import { allowUnconfirmed } from '@tern/testkit/risk'
import { startTestProduct } from '@tern/testkit/product'
import { createPhoto } from '@tern/testkit/kyc/pictures'
import { pdfOfPackedObjects } from '@tern/testkit/kyc/pdfs'
import { quantile } from './load.ts'
import type { WatchedCall } from './fairness-client.ts'

const { values: options } = parseArgs({
  options: {
    /** Number of transactions of the heavy user. */
    rows: { type: 'string', default: '50000' },
    /** Comma-separated names of `kinds`; defaults to all. */
    only: { type: 'string' },
  },
})

const goalMs = 300
const uploadGoalMs = 2000
const quietMs = 3000
const settleMs = 500

interface FairnessSetup {
  readonly url: string
  readonly pool: pg.Pool
  readonly heavyUser: TestPerson
  readonly otherUser: TestPerson
  /** Transaction of the heavy user. */
  readonly transactionId: string
}

type SendRequest = (path: string, init?: RequestInit) => Promise<number>

/** Returns a function that calls the API as `person`, reads the whole response and returns its status. */
const createSendRequest =
  (url: string, { token }: TestPerson): SendRequest =>
  async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    const answer = await fetch(`${url}/api${path}`, { ...init, headers })
    await answer.arrayBuffer()
    return answer.status
  }

const times = (count: number, work: (index: number) => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Downloads one export; its step-up is confirmed directly in the database. */
async function exportAll(
  { url, pool, heavyUser }: FairnessSetup,
  sendRequest: SendRequest,
  format: string,
): Promise<number> {
  const path = `/user/privacy/export?format=${format}`
  const headers = { authorization: `Bearer ${heavyUser.token}` }
  const response = await fetch(`${url}/api${path}`, { headers })
  const { confirmation } = (await response.json()) as { confirmation?: { id: string } }
  if (confirmation === undefined) throw new Error('an export was given without a confirmation')
  await pool.query('update step_up_confirmation set confirmed_at = now() where id = $1', [confirmation.id])
  return sendRequest(path, { headers: { 'step-up': confirmation.id } })
}

const uploadPath = ({ id }: TestPerson) => `/kyc/${id}/upload-document`

const buildForm = (file: Uint8Array, type: string): FormData =>
  buildDocumentForm({ documentType: 'passport' }, new Blob([Buffer.from(file)], { type }))

/** Concurrent requests of the heavy user: as many as the limits per minute or day allow. */
const kinds: Readonly<Record<string, (setup: FairnessSetup, sendRequest: SendRequest) => Promise<number[]>>> = {
  uploads({ heavyUser }, sendRequest) {
    const slow = pdfOfPackedObjects(150_000)
    return times(20, () =>
      sendRequest(uploadPath(heavyUser), { method: 'POST', body: buildForm(slow, 'application/pdf') }),
    )
  },
  receipts: ({ transactionId }, sendRequest) =>
    times(30, () => sendRequest(`/transaction/${transactionId}/receipt.pdf`)),
  exports: (setup, sendRequest) => times(5, (index) => exportAll(setup, sendRequest, index % 2 === 0 ? 'json' : 'csv')),
  charts(_setup, sendRequest) {
    const others = currencyCodes.filter((code) => code !== 'USD')
    return times(240, (index) => sendRequest(`/currency/history/${others[index % others.length]}/USD?range=1y`))
  },
  proofs: ({ transactionId }, sendRequest) =>
    times(30, () => sendRequest(`/prices/proof/${deriveReference(transactionId)}`)),
  index: (_setup, sendRequest) =>
    times(120, (index) => sendRequest(index % 2 === 0 ? '/prices/index' : '/prices/index.csv')),
  tracking: (_setup, sendRequest) =>
    times(120, () => sendRequest(`/tracking/${randomBytes(16).toString('base64url')}`)),
}

const client = fileURLToPath(new URL('fairness-client.ts', import.meta.url))

/** Records the second user's calls until `end` is called. */
function watchOtherUser({ url, otherUser }: FairnessSetup): { end: () => Promise<WatchedCall[]> } {
  const child = spawn(process.execPath, [client], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.write(`${JSON.stringify({ url: `${url}/api/wallet/${otherUser.id}`, token: otherUser.token })}\n`)
  return {
    async end() {
      child.stdin.end()
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`the client ended with ${String(code)}`)
      return JSON.parse(await output) as WatchedCall[]
    },
  }
}

const formatMs = (ms: number): string => `${ms.toFixed(0)} ms`.padStart(8) // not money: a time

const formatCounts = (statuses: readonly number[]): string =>
  [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => `${all.length} × ${status}`).join(', ')

/** Prints the second user's response times during the load; returns whether they met the goal. */
function report(name: string, calls: readonly WatchedCall[], durationMs: number, statuses: readonly number[]): boolean {
  const sorted = calls.map((call) => call.durationMs).toSorted((a, b) => a - b)
  const p95 = quantile(sorted, 0.95)
  console.log(
    `${name.padEnd(10)} p50${formatMs(quantile(sorted, 0.5))}  p95${formatMs(p95)}  most${formatMs(sorted.at(-1) ?? Number.NaN)}` +
      `  of ${String(sorted.length).padStart(4)} calls in ${formatMs(durationMs)}   ${formatCounts(statuses)}`,
  )
  return p95 <= goalMs && calls.every(({ status }) => status === 200)
}

/** Uploads a photo as the second user; returns whether it is accepted in time. */
async function uploadPhoto({ url, otherUser }: FairnessSetup): Promise<boolean> {
  const startedAt = performance.now()
  const photo = buildForm(await createPhoto('Somebody'), 'image/jpeg')
  const status = await createSendRequest(url, otherUser)(uploadPath(otherUser), { method: 'POST', body: photo })
  const durationMs = performance.now() - startedAt
  console.log(
    `           the photo of the other person: ${status} after${formatMs(durationMs)} (goal ≤ ${uploadGoalMs} ms)`,
  )
  return status === 201 && durationMs <= uploadGoalMs
}

/** Measures the second user's calls under the load of one kind; returns whether they meet the goal. */
async function measure(setup: FairnessSetup, name: string): Promise<boolean> {
  const { end } = watchOtherUser(setup)
  await delay(settleMs)
  const startedAt = performance.now()
  const at = Date.now()
  const kind = kinds[name]
  if (kind === undefined) throw new Error(`there is no kind ${name}`)
  const work = kind(setup, createSendRequest(setup.url, setup.heavyUser))
  let isWithinLimit = true
  if (name === 'uploads') {
    await delay(settleMs)
    isWithinLimit = await uploadPhoto(setup)
  }
  const statuses = await work
  const durationMs = performance.now() - startedAt
  const endedAt = Date.now()
  const callsDuring = (await end()).filter((call) => call.at >= at && call.at <= endedAt)
  return report(name, callsDuring, durationMs, statuses) && isWithinLimit
}

/** Fills a user's history with copies of one transaction. */
async function fillHistory(pool: pg.Pool, { id }: TestPerson, transactionId: string): Promise<void> {
  await pool.query(
    `insert into transaction select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'posting_id',
         gen_random_uuid(), 'created_at', t.created_at - n * interval '1 minute',
         'description', case n % 3 when 0 then 'Rent ' || n when 1 then 'Dinner' else '' end))).*
       from transaction t, generate_series(1, $3) as n where t.user_id = $1 and t.id = $2`,
    [id, transactionId, Number(options.rows)],
  )
}

async function prepare(url: string, pool: pg.Pool): Promise<FairnessSetup> {
  const heavyUser = await enroll(url, 'greedy', 'United States', { database: pool })
  const otherUser = await enroll(url, 'other', 'Germany', { database: pool })
  await raiseLimits(pool)
  await allowUnconfirmed(pool, { dollars: 1_000_000 })
  await fund(heavyUser, 100_000)
  const body = { recipient_id: otherUser.id, amount: '1.00', source_currency: 'USD', description: 'Rent' } as const
  const { transaction_id: transactionId } = await heavyUser.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await fillHistory(pool, heavyUser, transactionId)
  return { url, pool, heavyUser, otherUser, transactionId }
}

const { address, remove } = await startTestProduct()
const pool = new pg.Pool({ connectionString: address.E2E_DATABASE_URL, max: 2 })
try {
  const setup = await prepare(address.E2E_URL, pool)
  const { end } = watchOtherUser(setup)
  await delay(quietMs)
  report('quiet', await end(), quietMs, [])
  const missedGoals: string[] = []
  for (const name of options.only?.split(',') ?? Object.keys(kinds)) {
    if (!(await measure(setup, name))) missedGoals.push(name)
  }
  console.log(
    `goal: p95 ≤ ${goalMs} ms and no call refused${missedGoals.length > 0 ? `; missed: ${missedGoals.join(', ')}` : ''}`,
  )
  if (missedGoals.length > 0) process.exitCode = 1
} finally {
  await pool.end()
  await remove()
}
