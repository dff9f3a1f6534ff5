import { buildDocumentForm } from '@tern/contract/kyc/documents'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { createGate, type GateInput, gateWorker } from '../../../platform/threads/test-tasks.ts'
import { fileThreads } from './clean-file.ts'
import { pdfOfEmptyObjects, pdfOfPackedObjects } from '@tern/testkit/kyc/pdfs'
import { createPhoto } from '@tern/testkit/kyc/pictures'

/** Far longer than any step takes. */
const timeoutMs = 120_000

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

/** Starts a task of a user that lasts until it is released. */
function startHeldTask({ id }: TestPerson) {
  const { input, hasBegun, open } = createGate()
  const task = fileThreads.run<GateInput, number>(BigInt(id), { module: gateWorker, input, timeLimitMs: timeoutMs })
  return { hasBegun, open, task }
}

test('three PDFs of many empty objects delay another user’s photo by one file at most', async () => {
  const [attacker, otherPerson] = [await world.enroll('attacker', null), await world.enroll('other', null)]
  // Two tasks of the attacker last until released. Only one runs at once, so they cannot occupy both threads.
  const [first, second] = [startHeldTask(attacker), startHeldTask(attacker)]
  await vi.waitUntil(first.hasBegun, { timeout: timeoutMs, interval: 5 })
  const [plainPdf, packedPdf] = [pdfOfEmptyObjects(150_000), pdfOfPackedObjects(30_000)]
  let answeredCount = 0
  const attack = [plainPdf, packedPdf, plainPdf].map(async (file) => {
    const answer = await upload(attacker, file)
    answeredCount += 1
    return answer
  })
  const photo = await createPhoto('Somebody')
  for (let uploadIndex = 0; uploadIndex < 3; uploadIndex += 1) {
    expect(await upload(otherPerson, photo)).toMatchObject({ status: 201, body: { content_type: 'image/jpeg' } })
  }
  expect([first.hasBegun(), second.hasBegun(), answeredCount]).toEqual([true, false, 0])
  first.open()
  second.open()
  await Promise.all([first.task, second.task])
  for (const answer of await Promise.all(attack)) {
    expect(answer).toMatchObject({ status: 422, body: { code: 'pdf_not_accepted', reason: 'pdf_too_complex' } })
  }
})

test('only the user with too many waiting files is refused, with the reason and a retry time', async () => {
  const [attacker, otherPerson] = [await world.enroll('hasty', null), await world.enroll('patient', null)]
  const heldTasks = Array.from({ length: 5 }, () => startHeldTask(attacker))
  const photo = await createPhoto('Somebody')
  const refusedUpload = await upload(attacker, photo)
  expect(refusedUpload).toMatchObject({ status: 429, body: { code: 'rate_limited', reason: 'files_of_yours' } })
  expect(refusedUpload.retryAfter).toMatch(/^\d+$/)
  expect((await upload(otherPerson, photo)).status).toBe(201)
  for (const task of heldTasks) task.open()
  await Promise.all(heldTasks.map(({ task }) => task))
  expect((await upload(attacker, photo)).status).toBe(201)
})
