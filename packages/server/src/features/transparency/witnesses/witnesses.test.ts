import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { sendMoney } from '@tern/contract/transfers'
import { transactionProof } from '@tern/contract/transparency'
import { choosePort, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { raiseLimits } from '@tern/testkit/people'
import { verifierPath } from '@tern/testkit/python-verifier'
import {
  addLogs,
  createWitnessFolder,
  endWitness,
  readWitnessKey,
  startWitness,
  type WitnessProcess,
} from '@tern/testkit/witness-process'
import { parseCheckpoint } from '@tern/transparency/checkpoint'
import { formatVerifierKey, generateSigningKey, parseVerifierKey, toVerifierKey } from '@tern/transparency/note-keys'
import { type Policy, verifyCheckpoint } from '@tern/transparency/policy'
import { verifyReceiptText } from '@tern/transparency/verify-receipt'
import { clearOldRows } from '../../../platform/housekeeping.ts'
import { tables } from '../tables.ts'
import { createTransparency, type PublishedPolicy } from '../transparency.ts'
import type { Witness } from './send-checkpoint.ts'
import { endRefusal } from './witness-states.ts'

// Two witnesses run as processes of their own. The workers of a test share an adjustable clock.

interface TestWitness extends Witness {
  readonly folder: string
  process: WitnessProcess
}

async function prepareWitness(name: string) {
  const folder = createWitnessFolder([], name)
  return { folder, key: readWitnessKey(folder), port: await choosePort() }
}

const [first, second] = [await prepareWitness('first.example'), await prepareWitness('second.example/w')]
const describeWitness = ({ key, port }: typeof first) => `${formatVerifierKey(key)} http://127.0.0.1:${port}`

const world = await openTestApp({
  unconfirmedPayments: 'any',
  environment: { TRANSPARENCY_WITNESSES: `${describeWitness(first)};\n${describeWitness(second)}` },
})
const { product } = world.app
const { pool } = product
let alice: TestPerson
let bruno: TestPerson
let ada: TestWitness
let ben: TestWitness
// Noon, so that no test crosses the end of a day, after which the log has one entry more.
let clock = Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000

beforeAll(async () => {
  await raiseLimits(world.database.pool)
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 1_000_000)
  ada = await beginWitness(first)
  ben = await beginWitness(second)
})

afterAll(async () => {
  for (const { process, folder } of [ada, ben]) {
    await endWitness(process, 'SIGKILL')
    fs.rmSync(path.dirname(folder), { recursive: true })
  }
})

beforeEach(() => {
  clock += 60_000
})

async function beginWitness({ folder, key, port }: typeof first): Promise<TestWitness> {
  addLogs(folder, [parseVerifierKey((await readPolicy()).log)])
  const process = await startWitness(folder, port)
  return { folder, key, address: process.url, process }
}

async function restart(witness: TestWitness, changeFolder: () => void): Promise<void> {
  await endWitness(witness.process, 'SIGTERM')
  changeFolder()
  witness.process = await startWitness(witness.folder, Number(new URL(witness.address).port))
}

const read = (url: string) => world.app.http.inject({ method: 'GET', url })
const readPolicy = async () => (await read('/log/policy')).json<PublishedPolicy>()

async function loadPolicy(): Promise<Policy> {
  const { log, witnesses, quorum } = await readPolicy()
  return { logs: [parseVerifierKey(log)], witnesses: witnesses.map((key) => parseVerifierKey(key)), quorum }
}

async function send(): Promise<string> {
  const body = { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

/** A worker of the product with its own settings. */
const createWorker = (witnesses: readonly Witness[] = [ada, ben], quorum = 0) =>
  createTransparency({ ...product, config: { transparency: { witnesses, quorum } }, realNow: () => new Date(clock) })

type Worker = ReturnType<typeof createWorker>

/** Posts a send, and waits until the log has signed it. */
async function grow(worker: Worker): Promise<string> {
  const id = await send()
  await vi.waitFor(
    async () => {
      await worker.append(pool)
      const { rows } = await pool.query<{ isWhole: boolean }>(
        `select (select max(size) from transparency_checkpoint) = size
            and (select count(*) from transparency_leaf where posting_id is not null)
              = (select count(*) from ledger.posting where refusal is null) as "isWhole" from transparency_position`,
      )
      expect(rows[0]?.isWhole).toBe(true)
    },
    { timeout: 300_000, interval: 100 },
  )
  return id
}

/** Lets all witnesses be asked once more. */
async function cosign(worker: Worker): Promise<void> {
  clock += 10_000
  await worker.cosign(pool)
}

async function growAndCosign(worker: Worker): Promise<string> {
  await worker.ensureWitnesses(pool)
  const id = await grow(worker)
  await cosign(worker)
  return id
}

const readSize = async () =>
  (await pool.query<{ size: bigint }>('select size from transparency_position')).rows[0]?.size ?? 0n

async function readState(worker: Worker, witness: Witness) {
  const state = (await worker.readWitnessStates(pool)).find(({ name }) => name === witness.key.name)
  if (!state) throw new Error('the worker does not know the witness')
  return { size: state.size, failure: state.failure, isRefused: state.isRefused }
}

const cosigned = async () => ({ size: await readSize(), failure: undefined, isRefused: false })

/** Names of the witnesses whose cosignatures the published checkpoint carries. */
async function readPublishedNames(): Promise<string[]> {
  const verdict = verifyCheckpoint(parseCheckpoint((await read('/log/checkpoint')).payload), {
    ...(await loadPolicy()),
    quorum: 0,
  })
  if (verdict.state === 'invalid') throw new Error(verdict.reason)
  return verdict.witnesses.map(({ name }) => name)
}

async function loadReceipt(id: string) {
  const { state, proofs } = await alice.call(transactionProof, { params: { id } })
  const { file, witnesses } = proofs.find((proof) => proof.is_receipt) ?? {}
  return { state, file, witnesses }
}

async function readMetrics(name: string): Promise<string[]> {
  const text = await (await world.readAsOperator('/metrics')).text()
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
}

test('receipts and the published checkpoint carry the cosignatures of both witnesses', async () => {
  const worker = createWorker()
  const id = await growAndCosign(worker)
  expect(await readState(worker, ada)).toEqual(await cosigned())
  expect(await readState(worker, ben)).toEqual(await cosigned())
  const policy = await loadPolicy()
  expect(policy).toMatchObject({ quorum: 2, witnesses: [{ name: 'first.example' }, { name: 'second.example/w' }] })
  expect(verifyCheckpoint(parseCheckpoint((await read('/log/checkpoint')).payload), policy).state).toBe('valid')
  const { file = '', witnesses } = await loadReceipt(id)
  expect(witnesses).toEqual(['first.example', 'second.example/w'])
  expect(verifyReceiptText(file, policy)).toMatchObject({
    state: 'valid',
    facts: { reference: id },
    witnesses: [{ name: 'first.example' }, { name: 'second.example/w' }],
  })
  const keys = policy.witnesses.flatMap((key) => ['--witness', formatVerifierKey(key)])
  const log = formatVerifierKey(policy.logs[0]!)
  const text = execFileSync('python3', [verifierPath, '--log', log, ...keys, '--quorum', '2', '-'], {
    encoding: 'utf8',
    input: file,
  })
  for (const fact of [id, 'first.example', 'second.example/w']) expect(text).toContain(fact)
  expect(await readMetrics('tern_log_refused_by_witness')).toEqual([
    'tern_log_refused_by_witness{witness="first.example"} 0',
    'tern_log_refused_by_witness{witness="second.example/w"} 0',
  ])
})

test('witnesses that are asked seconds apart cosign the same checkpoint', async () => {
  const worker = createWorker()
  await growAndCosign(worker)
  clock = Math.ceil(clock / 5000) * 5000 + 10_000
  await grow(worker)
  const size = await readSize()
  clock += 5500
  await createWorker([ada]).cosign(pool)
  await grow(worker)
  clock += 2000
  await createWorker([ben]).cosign(pool)
  for (const witness of [ada, ben]) expect((await readState(worker, witness)).size).toBe(size)
  expect(await readPublishedNames()).toEqual(['first.example', 'second.example/w'])
})

test('the last checkpoint with a quorum is published, or the very last one if the witnesses are far behind', async () => {
  const worker = createWorker()
  await growAndCosign(worker)
  const size = await readSize()
  await grow(worker)
  const readPublishedSize = async () => BigInt(parseCheckpoint((await read('/log/checkpoint')).payload).size)
  expect(await readPublishedSize()).toBe(size)
  clock += 660_000
  await grow(worker)
  expect(await readPublishedSize()).toBe(size + 2n)
  expect(await readPublishedNames()).toEqual([])
})

test('the gauges count postings that are not in the log yet', async () => {
  const worker = createWorker()
  await grow(worker)
  expect(await readMetrics('tern_log_unlogged_postings')).toEqual(['tern_log_unlogged_postings 0'])
  expect(await readMetrics('tern_log_lag_seconds')).toEqual(['tern_log_lag_seconds 0'])
  await send()
  await send()
  expect(await readMetrics('tern_log_unlogged_postings')).toEqual(['tern_log_unlogged_postings 2'])
})

test('of old checkpoints, the last one of each witness is kept', async () => {
  const worker = createWorker()
  await growAndCosign(worker)
  await growAndCosign(worker)
  const kept = await readSize()
  await growAndCosign(createWorker([ben]))
  await world.database.pool.query(
    `alter table transparency_checkpoint disable trigger checkpoint_is_kept;
     update transparency_checkpoint set signed_at = signed_at - interval '100 days';
     alter table transparency_checkpoint enable trigger checkpoint_is_kept`,
  )
  await clearOldRows(pool, tables, product)
  const { rows } = await pool.query<{ size: bigint; count: bigint }>(
    `select size, (select count(*) from transparency_cosignature s where s.size = c.size) as count
       from transparency_checkpoint c order by size`,
  )
  expect(rows).toEqual([
    { size: kept, count: 2n },
    { size: kept + 1n, count: 1n },
  ])
})

test('a receipt waits a minute for its quorum, then states the witnesses that it has', async () => {
  await growAndCosign(createWorker())
  const alone = createWorker([ada], 1)
  const id = await growAndCosign(alone)
  // The application counts both witnesses, by the real clock.
  expect(await loadReceipt(id)).toEqual({ state: 'not_yet' })
  const late = createWorker([ada, ben], 2)
  const own = { userId: BigInt(alice.id), id }
  expect(await late.findReceiptProof(pool, own)).toBeUndefined()
  clock += 60_000
  const verdict = verifyReceiptText((await late.findReceiptProof(pool, own)) ?? '', {
    ...(await loadPolicy()),
    quorum: 0,
  })
  expect(verdict).toMatchObject({ state: 'valid', witnesses: [{ name: 'first.example' }] })
  // Once the second witness has seen the posting, the receipt carries both.
  await cosign(late)
  const complete = verifyReceiptText((await late.findReceiptProof(pool, own)) ?? '', await loadPolicy())
  expect(complete).toMatchObject({ state: 'valid', witnesses: [{}, {}] })
})

test('a witness that restarts with an older or an empty state is led to the current tree', async () => {
  const worker = createWorker()
  await growAndCosign(worker)
  const state = path.join(ada.folder, 'state')
  const older = fs.readFileSync(state)
  await growAndCosign(worker)
  await restart(ada, () => fs.writeFileSync(state, older))
  await growAndCosign(worker)
  expect(await readState(worker, ada)).toEqual(await cosigned())
  const empty = createWitnessFolder([], 'first.example')
  const unsigned = fs.readFileSync(path.join(empty, 'state'))
  fs.rmSync(path.dirname(empty), { recursive: true })
  await restart(ada, () => fs.writeFileSync(state, unsigned))
  await growAndCosign(worker)
  expect(await readState(worker, ada)).toEqual(await cosigned())
  expect(await readPublishedNames()).toEqual(['first.example', 'second.example/w'])
})

test('an unchanged log is cosigned again every ten minutes only', async () => {
  const worker = createWorker()
  await growAndCosign(worker)
  const readTime = async () => (await worker.readWitnessStates(pool))[0]?.cosignedAt?.getTime() ?? 0
  const before = await readTime()
  await cosign(worker)
  expect(await readTime()).toBe(before)
  clock += 600_000
  await cosign(worker)
  expect(await readTime()).toBeGreaterThan(before)
})

/** Starts a server that answers as `handle` says; counts the requests. */
async function startServer(handle: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
  let count = 0
  const server = http.createServer((request, response) => {
    count += 1
    handle(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const createStranger = (name: string, { address }: Pick<Witness, 'address'>): Witness => ({
  key: toVerifierKey(generateSigningKey({ name, type: 4 })),
  address,
})

test.each([
  ['never answers', () => {}],
  ['sends a byte at a time', (response: http.ServerResponse) => void trickle(response)],
])('a witness that %s delays neither the log nor the others, and is asked again later', async (what, answer) => {
  const server = await startServer((_, response) => answer(response))
  try {
    const slow = createStranger(`slow.example/${what.length}`, server)
    const worker = createWorker([slow, ada])
    await worker.ensureWitnesses(pool)
    await grow(worker)
    clock += 10_000
    let isPending = true
    const pending = worker.cosign(pool).finally(() => (isPending = false))
    await vi.waitFor(async () => expect(await readState(worker, ada)).toEqual(await cosigned()), { timeout: 9000 })
    await growAndCosign(createWorker([ada]))
    expect(await readState(worker, ada)).toEqual(await cosigned())
    expect(isPending).toBe(true)
    await pending
    expect(await readState(worker, slow)).toEqual({ size: 0n, failure: 'unreachable', isRefused: false })
    expect(server.count()).toBe(1)
    clock += 1000
    await worker.cosign(pool)
    expect(server.count()).toBe(1)
  } finally {
    server.close()
  }
})

async function trickle(response: http.ServerResponse): Promise<void> {
  response.writeHead(200)
  while (!response.destroyed) {
    response.write('x')
    await delay(200)
  }
}

test.each([
  [
    'redirects elsewhere',
    'unreachable',
    (response: http.ServerResponse) => response.writeHead(307, { location: `${ada.address}/add-checkpoint` }).end(),
  ],
  ['sends a megabyte', 'unreachable', (response: http.ServerResponse) => response.end('x'.repeat(1_000_000))],
  ['fails', 'status_503', (response: http.ServerResponse) => response.writeHead(503).end('busy\n')],
  ['states no size', 'malformed_answer', (response: http.ServerResponse) => response.writeHead(409).end('many\n')],
  ['changes its size', 'changing_size', (response: http.ServerResponse) => response.writeHead(409).end('1\n')],
] as const)('a witness that %s counts as %s', async (what, failure, answer) => {
  const server = await startServer((_, response) => void answer(response))
  try {
    const odd = createStranger(`odd.example/${what.length}`, server)
    const worker = createWorker([odd])
    await growAndCosign(worker)
    expect(await readState(worker, odd)).toMatchObject({ failure, isRefused: false })
  } finally {
    server.close()
  }
})

test('a witness with another key than the settings name is refused, and no cosignature is stored', async () => {
  const wrong = createStranger('first.example', ada)
  const worker = createWorker([wrong])
  await growAndCosign(worker)
  expect(await readState(worker, wrong)).toEqual({ size: 0n, failure: 'wrong_key', isRefused: true })
  await growAndCosign(createWorker())
  expect(await readPublishedNames()).toEqual(['first.example', 'second.example/w'])
})

test('a witness that does not know the log, or knows another key, is asked again only once an operator says so', async () => {
  const { logs } = await loadPolicy()
  const other = toVerifierKey(generateSigningKey({ name: logs[0]!.name, type: 1 }))
  for (const [known, failure] of [
    [[], 'unknown_log'],
    [[other], 'forbidden'],
  ] as const) {
    const folder = createWitnessFolder(known, `new.example/${failure}`)
    const process = await startWitness(folder)
    const fresh: TestWitness = { folder, key: readWitnessKey(folder), address: process.url, process }
    try {
      const worker = createWorker([fresh])
      await growAndCosign(worker)
      expect(await readState(worker, fresh)).toEqual({ size: 0n, failure, isRefused: true })
      await restart(fresh, () => fs.writeFileSync(path.join(folder, 'logs'), `${formatVerifierKey(logs[0]!)}\n`))
      clock += 3_600_000
      await growAndCosign(worker)
      expect(await readState(worker, fresh)).toMatchObject({ failure, isRefused: true })
      expect(await endRefusal(pool, fresh)).toBe(true)
      await cosign(worker)
      expect(await readState(worker, fresh)).toEqual(await cosigned())
      expect(await endRefusal(pool, fresh)).toBe(false)
    } finally {
      await endWitness(fresh.process, 'SIGKILL')
      fs.rmSync(path.dirname(folder), { recursive: true })
    }
  }
})

test('of several workers, one asks a witness, once for each checkpoint', async () => {
  const server = await startServer((request, response) => forward(request, response, ben))
  try {
    const counted = { ...ben, address: server.address }
    const workers = Array.from({ length: 4 }, () => createWorker([counted]))
    await grow(workers[0]!)
    clock += 10_000
    await Promise.all(workers.flatMap((worker) => [worker.cosign(pool), worker.cosign(pool)]))
    expect(server.count()).toBe(1)
    expect(await readState(workers[0]!, ben)).toEqual(await cosigned())
  } finally {
    server.close()
  }
})

test('a witness that a worker asked before it ended is asked by another one, half a minute later', async () => {
  let isHanging = true
  const server = await startServer((request, response) => {
    if (!isHanging) forward(request, response, ben)
  })
  try {
    const worker = createWorker([{ ...ben, address: server.address }])
    await grow(worker)
    clock += 10_000
    const abandoned = worker.cosign(pool)
    await vi.waitFor(() => expect(server.count()).toBe(1), { timeout: 9000 })
    isHanging = false
    clock += 29_000
    await createWorker([{ ...ben, address: server.address }]).cosign(pool)
    expect(server.count()).toBe(1)
    clock += 2000
    await createWorker([{ ...ben, address: server.address }]).cosign(pool)
    expect(server.count()).toBe(2)
    expect((await readState(worker, ben)).size).toBe(await readSize())
    server.close()
    await abandoned
  } finally {
    server.close()
  }
})

function forward(request: http.IncomingMessage, response: http.ServerResponse, { address }: Witness): void {
  const onward = http.request(`${address}${request.url}`, { method: request.method }, (answer) => {
    response.writeHead(answer.statusCode ?? 500)
    answer.pipe(response)
  })
  request.pipe(onward)
}

/** Rewrites the history: forgets the log, and logs all postings again with new salts. */
const rewriteLog = () =>
  world.database.pool.query(`
    alter table transparency_leaf disable trigger log_is_kept; delete from transparency_leaf;
    alter table transparency_tile disable trigger log_is_kept; delete from transparency_tile;
    alter table transparency_position disable trigger log_never_shrinks;
    delete from transparency_view; delete from transparency_edge; delete from transparency_checkpoint;
    update transparency_position set size = 0, is_queued = false;
    alter table transparency_leaf enable trigger log_is_kept;
    alter table transparency_tile enable trigger log_is_kept;
    alter table transparency_position enable trigger log_never_shrinks`)

test('a rewritten log raises an alarm, and no witness cosigns it', async () => {
  const worker = createWorker()
  await growAndCosign(worker)
  const before = await readSize()
  await rewriteLog()
  // Makes up for a day seal, which the rewritten log does not repeat.
  for (let round = 0; round < 3; round += 1) await grow(worker)
  await growAndCosign(worker)
  expect(await readSize()).toBeGreaterThan(before)
  for (const witness of [ada, ben])
    expect(await readState(worker, witness)).toEqual({ size: before, failure: 'fork', isRefused: true })
  expect(await readPublishedNames()).toEqual([])
  expect(await readMetrics('tern_log_refused_by_witness')).toEqual([
    'tern_log_refused_by_witness{witness="first.example"} 1',
    'tern_log_refused_by_witness{witness="second.example/w"} 1',
  ])
  // Asked again, as by an operator who forgot what the witness had seen: the witness knows its own size.
  await pool.query(`update transparency_witness set size = 0, next_at = '-infinity'`)
  await growAndCosign(worker)
  expect(await readState(worker, ada)).toEqual({ size: 0n, failure: 'fork', isRefused: true })
})

test('a log that lost what a witness has seen raises an alarm', async () => {
  const server = await startServer((_, response) => response.writeHead(409).end('9000000\n'))
  try {
    const ahead = createStranger('ahead.example', server)
    const worker = createWorker([ahead])
    await growAndCosign(worker)
    expect(await readState(worker, ahead)).toEqual({ size: 0n, failure: 'shrunk', isRefused: true })
  } finally {
    server.close()
  }
})
