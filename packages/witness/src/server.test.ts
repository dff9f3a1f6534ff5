import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeUtf8, toHex } from '@tern/transparency/bytes'
import { parseCheckpoint } from '@tern/transparency/checkpoint'
import { hashBytes } from '@tern/transparency/merkle'
import { parseVerifierKey, toVerifierKey } from '@tern/transparency/note-keys'
import { verifyCheckpoint } from '@tern/transparency/policy'
import { formatWitnessRequest, parseCosignature, parseWitnessSize } from '@tern/transparency/witness-request'
import { createLogKey, formatRequest, formatSignedHead, growLog, type SampleLog, signLog } from '../test/sample-log.ts'
import {
  addCheckpoint,
  callWitness,
  createWitnessFolder,
  endWitness,
  startWitness,
  type WitnessProcess,
} from '@tern/testkit/witness-process'

const key = createLogKey('log.example')
let folder: string
let witness: WitnessProcess

beforeAll(async () => {
  folder = createWitnessFolder([
    key,
    ...Array.from({ length: 30 }, (_, number) => createLogKey(`log${number}.example`)),
  ])
  witness = await startWitness(folder)
})

afterAll(async () => {
  await endWitness(witness, 'SIGKILL')
  fs.rmSync(path.dirname(folder), { recursive: true })
})

const restart = async (signal: NodeJS.Signals) => {
  const code = await endWitness(witness, signal)
  witness = await startWitness(folder)
  return code
}

const send = (log: SampleLog, oldSize: number, logKey = key) =>
  addCheckpoint(witness.url, formatRequest(log, { oldSize, key: logKey }))

/** Size that the witness answers to a request with an impossible old size. */
async function readSize(logKey = key): Promise<number> {
  const { status, body, type } = await send(growLog([], 1_000, 'size'), 999, logKey)
  expect({ status, type }).toEqual({ status: 409, type: 'text/x.tlog.size' })
  return parseWitnessSize(body)
}

test('a consistent checkpoint is cosigned, and published with the log’s signature', async () => {
  const log = growLog([], 5, 'main')
  const first = await send(log, 0)
  expect(first.status).toBe(200)
  const longer = growLog(log, 300, 'main')
  const second = await send(longer, 5)
  expect(second.status).toBe(200)
  const own = parseVerifierKey(callWitness(['show', folder]).stdout.split('\n')[0] ?? '')
  const checkpoint = parseCheckpoint(formatSignedHead(longer, key) + second.body)
  const policy = { logs: [toVerifierKey(key)], witnesses: [own], quorum: 1 }
  expect(verifyCheckpoint(checkpoint, policy)).toMatchObject({
    state: 'valid',
    witnesses: [{ name: 'witness.example/w1' }],
  })
  const published = await fetch(`${witness.url}/${toHex(hashBytes(encodeUtf8(key.name)))}/checkpoint`)
  expect(verifyCheckpoint(parseCheckpoint(await published.text()), policy).state).toBe('valid')
  const { time } = parseCosignature(second.body, { text: checkpoint.text, key: own })
  expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(600)
  // The same checkpoint again gets a newer time.
  expect((await send(longer, 305)).status).toBe(200)
})

test('requests that break the protocol get the status of its specification', async () => {
  const logKey = createLogKey('log0.example')
  const log = growLog([], 9, 'protocol')
  expect((await send(log, 0, logKey)).status).toBe(200)
  const body = formatRequest(growLog(log, 3, 'protocol'), { oldSize: 9, key: logKey })
  const status = async (changed: string) => (await addCheckpoint(witness.url, changed)).status
  expect(await status('')).toBe(400)
  expect(await status(body.replace('old 9', 'old 09'))).toBe(400)
  expect(await status(body.replace('old 9', 'size 9'))).toBe(400)
  expect(await status(body.slice(0, -1))).toBe(400)
  expect(
    await status(body.replace('old 9\n', `old 9\n${'A'.repeat(43)}=\n`.padEnd(64 * 45, `${'A'.repeat(43)}=\n`))),
  ).toBe(400)
  expect(await status(body.replace('old 9', 'old 13'))).toBe(400)
  expect(await status(formatRequest(log, { oldSize: 9, key: createLogKey('stranger.example') }))).toBe(404)
  const forged = { ...logKey, seed: hashBytes(encodeUtf8('thief')) }
  expect(await status(formatRequest(growLog(log, 3, 'protocol'), { oldSize: 9, key: forged }))).toBe(403)
  const otherId = { ...logKey, id: Uint8Array.of(1, 2, 3, 4) }
  expect(await status(formatRequest(growLog(log, 3, 'protocol'), { oldSize: 9, key: otherId }))).toBe(403)
  expect(await status(body.replace('old 9', 'old 8'))).toBe(409)
  expect(await status(body.replace('old 9\n', `old 9\n${'A'.repeat(43)}=\n`))).toBe(422)
  expect((await fetch(`${witness.url}/add-checkpoint`)).status).toBe(405)
  expect((await fetch(`${witness.url}/${'0'.repeat(64)}/checkpoint`)).status).toBe(404)
  expect((await fetch(witness.url)).status).toBe(404)
  expect(await readSize(logKey)).toBe(9)
  expect(await status(body)).toBe(200)
})

test('an empty log has the root of the empty tree', async () => {
  const logKey = createLogKey('log1.example')
  expect((await send([], 0, logKey)).status).toBe(200)
  const checkpoint = signLog(growLog([], 3, 'first'), logKey)
  const withProof = formatWitnessRequest({ oldSize: 0, proof: [hashBytes(Uint8Array.of())], checkpoint })
  expect((await addCheckpoint(witness.url, withProof)).status).toBe(422)
  expect((await send(growLog([], 3, 'first'), 0, logKey)).status).toBe(200)
})

test('a request that is too long is cut off', async () => {
  await expect(addCheckpoint(witness.url, 'x'.repeat(300_000))).rejects.toThrow()
  expect((await fetch(witness.url)).status).toBe(404)
})

test('of 100 logs that fork, shrink or change what they had, 100 are refused, across restarts', async () => {
  let attempts = 0
  let refused = 0
  for (let round = 0; round < 10; round += 1) {
    const logKey = createLogKey(`log${10 + round}.example`)
    const size = [1, 2, 3, 7, 8, 100, 255, 256, 257, 300][round] ?? 1
    const log = growLog([], size, `honest ${round}`)
    expect((await send(log, 0, logKey)).status).toBe(200)
    if (round % 3 === 1) await restart('SIGTERM')
    if (round % 3 === 2) await restart('SIGKILL')
    const middle = Math.floor(size / 2)
    const changed = (place: number, count: number) =>
      growLog(log.with(place, hashBytes(encodeUtf8(`changed ${round}`))), count, `honest ${round}`)
    const shrunk = log.slice(0, Math.max(size - 1, 0))
    const honest = growLog(log, 5, `honest ${round}`)
    const honestProof = formatRequest(honest, { oldSize: size, key: logKey }).split('\n\n')[0] ?? ''
    const attacks = [
      formatRequest(changed(size - 1, 0), { oldSize: size, key: logKey }),
      formatRequest(changed(0, 1), { oldSize: size, key: logKey }),
      formatRequest(changed(middle, 64), { oldSize: size, key: logKey }),
      formatRequest(growLog([], size + 5, `other ${round}`), { oldSize: size, key: logKey }),
      formatRequest(growLog([], size + 5, `other ${round}`), { oldSize: 0, key: logKey }),
      formatRequest(shrunk, { oldSize: size - 1, key: logKey }),
      formatRequest(shrunk, { oldSize: size, key: logKey }),
      formatRequest(growLog(shrunk, 9, `rewritten ${round}`), { oldSize: size - 1, key: logKey }),
      `${honestProof}\n\n${formatSignedHead(changed(0, 5), logKey)}`,
      `old ${size}\n\n${formatSignedHead(growLog(log.toReversed(), 5, `x ${round}`), logKey)}`,
    ]
    for (const attack of attacks) {
      attempts += 1
      const { status, body } = await addCheckpoint(witness.url, attack)
      if ([400, 409, 422].includes(status) && !body.includes('—')) refused += 1
    }
    expect(await readSize(logKey)).toBe(size)
    expect((await send(honest, size, logKey)).status).toBe(200)
  }
  expect({ attempts, refused }).toEqual({ attempts: 100, refused: 100 })
})

test('of two forks sent at once exactly one is cosigned, also with kill -9 in between', async () => {
  const logKey = createLogKey('log20.example')
  let log = growLog([], 4, 'trunk')
  expect((await send(log, 0, logKey)).status).toBe(200)
  for (let round = 0; round < 6; round += 1) {
    const oldSize = log.length
    const forks = Array.from({ length: 8 }, (_, fork) => growLog(log, 1 + fork, `fork ${round} ${fork}`))
    const answers = forks.map((fork) => send(fork, oldSize, logKey).then(({ status }) => status))
    // Every second round the process is killed as soon as it has answered once; others lose their connection.
    if (round % 2 === 1) {
      await Promise.any(answers)
      await restart('SIGKILL')
    }
    const results = await Promise.allSettled(answers)
    const cosigned = forks.filter((_, fork) => {
      const result = results[fork]
      return result?.status === 'fulfilled' && result.value === 200
    })
    expect(cosigned.length).toBeLessThanOrEqual(1)
    if (round % 2 === 0) expect(cosigned).toHaveLength(1)
    const size = await readSize(logKey)
    const kept = forks.find((fork) => fork.length === size)
    // A killed witness may have stored a checkpoint whose cosignature never left, but never the reverse.
    if (cosigned[0] !== undefined) expect(kept).toBe(cosigned[0])
    if (kept === undefined) expect(size).toBe(oldSize)
    else log = kept
    for (const fork of forks) {
      if (fork !== kept) expect([400, 409, 422]).toContain((await send(growLog(fork, 9, 'later'), size, logKey)).status)
    }
  }
})

test('what was cosigned is on disk before the answer: kill -9 loses nothing', async () => {
  const logKey = createLogKey('log21.example')
  let log: SampleLog = []
  for (let round = 0; round < 5; round += 1) {
    const longer = growLog(log, 3, 'durable')
    expect((await send(longer, log.length, logKey)).status).toBe(200)
    await restart('SIGKILL')
    log = longer
    expect(await readSize(logKey)).toBe(log.length)
  }
})

test('a second witness does not start in the same folder', () => {
  const { status, stderr } = callWitness(['serve', folder, '--port', '0'])
  expect({ status, stderr }).toEqual({ status: 1, stderr: `Another witness uses ${folder}.\n` })
})

test('a stopped witness finishes its requests, ends with code 0 and frees its folder', async () => {
  const logKey = createLogKey('log22.example')
  const [answers, code] = await Promise.all([
    Promise.allSettled(Array.from({ length: 5 }, () => send(growLog([], 300, 'last'), 0, logKey))),
    restart('SIGTERM'),
  ])
  expect(code).toBe(0)
  // Requests that came too late were refused a connection; all others were answered.
  const isCosigned = answers.some((answer) => answer.status === 'fulfilled' && answer.value.status === 200)
  expect(await readSize(logKey)).toBe(isCosigned ? 300 : 0)
})

test('a state that is missing or damaged stops the witness instead of starting it from zero', async () => {
  await endWitness(witness, 'SIGTERM')
  const file = path.join(folder, 'state')
  const content = fs.readFileSync(file)
  const damages: Record<string, Buffer | undefined> = {
    missing: undefined,
    empty: Buffer.alloc(0),
    cut: content.subarray(0, content.length - 200),
    changed: Buffer.from(content.map((byte, place) => (place === 600 ? byte ^ 1 : byte))),
    zeroes: Buffer.alloc(content.length),
  }
  for (const [name, damaged] of Object.entries(damages)) {
    fs.rmSync(file, { force: true })
    if (damaged !== undefined) fs.writeFileSync(file, damaged)
    const { status, stderr } = callWitness(['serve', folder, '--port', '0'])
    expect({ name, status, stderr }).toEqual({
      name,
      status: 1,
      stderr: expect.stringContaining('cannot be trusted') as string,
    })
  }
  fs.writeFileSync(file, content)
  witness = await startWitness(folder)
  expect(await readSize()).toBe(305)
})

test('a witness that cannot store its state answers nothing and stops', async () => {
  const { child } = witness
  // A folder in the place of the new file makes every write fail, also for root.
  fs.mkdirSync(path.join(folder, 'state.new'))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  await expect(send(growLog([], 3, 'unstored'), 0, createLogKey('log23.example'))).rejects.toThrow()
  expect(await exited).toBe(1)
  fs.rmdirSync(path.join(folder, 'state.new'))
  witness = await startWitness(folder)
  expect(await readSize(createLogKey('log23.example'))).toBe(0)
})
