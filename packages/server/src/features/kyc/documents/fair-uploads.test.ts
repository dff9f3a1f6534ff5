import { buildDocumentForm } from '@tern/contract/kyc/documents'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { createGate, type GateInput, gateWorker } from '../../../platform/threads/test-tasks.ts'
import { fileThreads } from './cleaning.ts'
import { pdfOfEmptyObjects, pdfOfPackedObjects } from '@tern/testkit/kyc/pdfs'
import { photoBy } from '@tern/testkit/kyc/pictures'

/** Timeout for hangs only. */
const longMs = 120_000

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

interface Answer {
  readonly status: number
  readonly body: { readonly code?: string; readonly reason?: string; readonly content_type?: string }
  readonly retryAfter: string | null
}

async function upload({ id, token }: TestPerson, file: Uint8Array): Promise<Answer> {
  const reply = await fetch(`${world.url}/api/kyc/${id}/upload-document`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: buildDocumentForm({ documentType: 'passport' }, new Blob([Buffer.from(file)])),
  })
  return {
    status: reply.status,
    body: (await reply.json()) as Answer['body'],
    retryAfter: reply.headers.get('retry-after'),
  }
}

/** File whose processing lasts until released. */
function hold({ id }: TestPerson) {
  const { input, hasBegun, open } = createGate()
  const done = fileThreads.run<GateInput, number>(BigInt(id), { module: gateWorker, input, timeLimitMs: longMs })
  return { hasBegun, open, done }
}

test('four PDFs of 150,000 empty objects delay another user’s photo by one file at most', async () => {
  const [attacker, other] = [await world.enroll('attacker', null), await world.enroll('other', null)]
  // Two files of the attacker never end; without round-robin they would occupy both threads.
  const [first, second] = [hold(attacker), hold(attacker)]
  await vi.waitUntil(first.hasBegun, { timeout: longMs, interval: 5 })
  const [plain, packed] = [pdfOfEmptyObjects(150_000), pdfOfPackedObjects(30_000)]
  let answered = 0
  const attack = [plain, packed, plain].map(async (file) => {
    const answer = await upload(attacker, file)
    answered += 1
    return answer
  })
  const photo = await photoBy('Somebody')
  for (let sent = 0; sent < 3; sent += 1) {
    expect(await upload(other, photo)).toMatchObject({ status: 201, body: { content_type: 'image/jpeg' } })
  }
  expect([first.hasBegun(), second.hasBegun(), answered]).toEqual([true, false, 0])
  first.open()
  second.open()
  await Promise.all([first.done, second.done])
  for (const answer of await Promise.all(attack)) {
    expect(answer).toMatchObject({ status: 422, body: { code: 'pdf_not_accepted', reason: 'pdf_too_complex' } })
  }
})

test('only the user with too many waiting files is refused, with the reason and a retry time', async () => {
  const [attacker, other] = [await world.enroll('hasty', null), await world.enroll('patient', null)]
  const held = Array.from({ length: 5 }, () => hold(attacker))
  const photo = await photoBy('Somebody')
  const refused = await upload(attacker, photo)
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', reason: 'files_of_yours' } })
  expect(refused.retryAfter).toMatch(/^\d+$/)
  expect((await upload(other, photo)).status).toBe(201)
  for (const file of held) file.open()
  await Promise.all(held.map(({ done }) => done))
  expect((await upload(attacker, photo)).status).toBe(201)
})
