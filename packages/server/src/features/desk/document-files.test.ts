import { randomUUID } from 'node:crypto'
import { Transformer } from '@napi-rs/image'
import { answerCheck } from '@tern/contract/compliance/checks'
import { deskRoles } from '@tern/contract/desk/roles'
import { kycStatus } from '@tern/contract/kyc'
import { submitKyc } from '@tern/contract/kyc/verification-form'
import { deleteDocument, buildDocumentForm, uploadDocument } from '@tern/contract/kyc/documents'
import { dataAccesses } from '@tern/contract/privacy/privacy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decideAt, findQueueEntry, openTestCase } from '@tern/testkit/compliance/cases'
import type { TestPerson } from '@tern/testkit/app'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import { confirmEmail } from '@tern/testkit/people'

let desk: TestDesk
let staff: Readonly<Record<string, TestOperator>>
let photo: Buffer
beforeAll(async () => {
  desk = await startTestDesk()
  staff = Object.fromEntries(
    await Promise.all(deskRoles.map(async (role) => [role, await desk.createOperator(role)] as const)),
  )
  photo = await Transformer.fromRgbaPixels(Buffer.alloc(40 * 30 * 4, 90), 40, 30).png()
})
afterAll(() => desk.world.close())

const query = async <R extends object>(sql: string, ...values: unknown[]): Promise<R[]> =>
  (await desk.world.database.pool.query<R>(sql, values)).rows

const upload = (person: TestPerson, side: 'front' | 'back' = 'front') =>
  person.call(uploadDocument, {
    params: { id: String(person.id) },
    upload: buildDocumentForm({ documentType: 'passport', side }, new File([Buffer.from(photo)], 'passport.jpg')),
  })

/** Creates a person who uploaded a document that a case requested, and returns the entry of the case. */
async function enrollWithDocument(name: string) {
  const person = await desk.world.enroll(name, 'United States')
  const documentBefore = await upload(person)
  const caseId = await openTestCase(desk.world, { userId: BigInt(person.id), kind: 'name_match', evidence: {} })
  await decideAt(staff.reviewer!, 'cases', await findQueueEntry(desk.world, caseId), 'ask_document')
  const [frontFile, backFile] = [await upload(person, 'front'), await upload(person, 'back')]
  await person.call(answerCheck, { params: { id: caseId }, body: { text: 'Here is my passport.' } })
  return { person, caseId, documentBefore, frontFile, backFile, entry: await findQueueEntry(desk.world, caseId) }
}

const requestFile = (queue: string, entry: string, fileId: string, headers: Record<string, string> = {}) =>
  fetch(`${desk.origin}/desk/api/queues/${queue}/${entry}/files/${fileId}`, { headers })
const openFileAs = (operator: TestOperator, queue: string, entry: string, fileId: string) =>
  requestFile(queue, entry, fileId, { cookie: operator.cookie })
const listFiles = async (queue: string, entry: string): Promise<{ id: string; label: string }[]> => {
  const { body } = await staff.lead!.call('GET', `/queues/${queue}/${entry}`)
  return body.sections
    .flatMap(({ facts }: { facts: { kind: string }[] }) => facts)
    .filter(({ kind }: { kind: string }) => kind === 'file')
}

test('the operator who decides a case can open its uploads, and both logs record it', async () => {
  const { person, entry, frontFile, backFile } = await enrollWithDocument('agnes')
  expect((await listFiles('cases', entry)).map(({ id, label }) => [id, label])).toEqual([
    [frontFile.id, 'file_front'],
    [backFile.id, 'file_back'],
  ])
  const fileResponse = await openFileAs(staff.reviewer!, 'cases', entry, frontFile.id)
  expect(fileResponse.status).toBe(200)
  expect(Object.fromEntries(fileResponse.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  const bytes = Buffer.from(await fileResponse.arrayBuffer())
  expect([bytes.length, [...bytes.subarray(0, 3)]]).toEqual([frontFile.size, [0xff, 0xd8, 0xff]])
  const [storedFile] = await query<{ content: Buffer }>('select content from kyc_document where id = $1', frontFile.id)
  expect(storedFile!.content.includes(bytes.subarray(0, 16)), 'stored encrypted').toBe(false)
  expect(
    await query(`select actor, queue, after from desk_log where act = 'read_file' and subject = $1`, entry),
  ).toEqual([{ actor: staff.reviewer!.name, queue: 'cases', after: frontFile.id }])
  const [latestAccess] = (await person.call(dataAccesses, { query: {} })).accesses
  expect(latestAccess).toMatchObject({ role: 'reviewer', purpose: 'case', what: ['documents'] })
})

test('no one else can open them', async () => {
  const { person, entry, frontFile } = await enrollWithDocument('bertha')
  for (const [role, operator] of Object.entries(staff)) {
    const { status } = await openFileAs(operator, 'cases', entry, frontFile.id)
    expect([role, status]).toEqual([role, role === 'reviewer' || role === 'lead' ? 200 : 403])
  }
  const customerHeaders = {
    authorization: `Bearer ${person.token}`,
    cookie: `rt=${person.token}; desk=${person.token}`,
  }
  for (const headers of [{}, customerHeaders])
    expect((await requestFile('cases', entry, frontFile.id, headers)).status).toBe(401)
  const foreignHeaders = { cookie: staff.lead!.cookie, 'sec-fetch-site': 'same-site' }
  expect((await requestFile('cases', entry, frontFile.id, foreignHeaders)).status).toBe(403)
  const publicResponse = await fetch(`${desk.world.url}/desk/api/queues/cases/${entry}/files/${frontFile.id}`, {
    headers: { cookie: staff.lead!.cookie },
  })
  expect(publicResponse.status).toBe(404)
  const logRows = await query<{ actor: string }>(
    `select actor from desk_log where act = 'read_file' and subject = $1 order by number`,
    entry,
  )
  expect(
    logRows.map(({ actor }) => actor),
    'only who saw it',
  ).toEqual([staff.reviewer!.name, staff.lead!.name])
})

test('only files that belong to the entry open, and only while it waits', async () => {
  const first = await enrollWithDocument('clemens')
  const second = await enrollWithDocument('dorothea')
  const requestOpenStatus = async (queue: string, entry: string, id: string) =>
    (await openFileAs(staff.lead!, queue, entry, id)).status
  for (const id of [first.documentBefore.id, second.frontFile.id, randomUUID()]) {
    expect(await requestOpenStatus('cases', first.entry, id)).toBe(404)
  }
  expect(await requestOpenStatus('cases', second.entry, first.frontFile.id)).toBe(404)
  expect(await requestOpenStatus('cases', randomUUID(), first.frontFile.id)).toBe(404)
  for (const queue of ['objections', 'verifications', 'disputes', 'holds', 'exceptions', 'payouts']) {
    expect([queue, await requestOpenStatus(queue, first.entry, first.frontFile.id)]).toEqual([queue, 404])
  }
  expect(
    await query(`select from desk_log where act = 'read_file' and subject = any($1)`, [first.entry, second.entry]),
  ).toEqual([])
  await decideAt(staff.reviewer!, 'cases', first.entry, 'clear')
  await decideAt(staff.lead!, 'cases', first.entry, 'clear')
  expect(await requestOpenStatus('cases', first.entry, first.frontFile.id)).toBe(404)
})

test('an objection shows them too; deleted files are counted and cannot be opened', async () => {
  const { person, caseId, frontFile, backFile } = await enrollWithDocument('emil')
  await query(
    `insert into compliance_objection (id, case_id, user_id, text, made_at, decide_by)
     values ($1, $2, $3, 'I am somebody else.', $4, $4::timestamptz + interval '1 day')`,
    ...[randomUUID(), caseId, person.id, desk.world.app.product.now()],
  )
  const entry = await findQueueEntry(desk.world, caseId)
  expect((await openFileAs(staff.lead!, 'objections', entry, frontFile.id)).status).toBe(200)
  await query(`update app_user set kyc_status = 'needs_information' where id = $1`, person.id)
  await person.call(deleteDocument, { params: { id: String(person.id), documentId: frontFile.id } })
  expect((await openFileAs(staff.lead!, 'objections', entry, frontFile.id)).status).toBe(404)
  expect((await listFiles('objections', entry)).map(({ id }) => id)).toEqual([backFile.id])
  const { body } = await staff.lead!.call('GET', `/queues/objections/${entry}`)
  expect(JSON.stringify(body.sections)).toContain('{"label":"files_deleted","kind":"text","text":"1"}')
})

test('a form in review shows the photos of its document, and no other', async () => {
  const person = await desk.world.enroll('frieda', null)
  await confirmEmail(person.id, desk.world.database.pool)
  const { id: photoId } = await upload(person)
  const licence = await person.call(uploadDocument, {
    params: { id: String(person.id) },
    upload: buildDocumentForm(
      { documentType: 'drivers_license', side: 'front' },
      new File([Buffer.from(photo)], 'a.jpg'),
    ),
  })
  await person.call(submitKyc, {
    params: { id: String(person.id) },
    body: {
      ...{
        email: person.email,
        firstName: 'Frieda',
        lastName: 'Review',
        dateOfBirth: '1988-06-14',
        country: 'Germany',
      },
      ...{ nationality: 'Germany', documentType: 'passport', documentNumber: 'P7654321', currencyPreference: 'EUR' },
      ...{ streetAddress: '1 Weg', city: 'Leipzig', state: 'Sachsen', postalCode: '04109', idNumber: '65929970489' },
    },
  })
  const loadStatus = async () => (await person.call(kycStatus, { params: { id: String(person.id) } })).status
  await expect.poll(loadStatus).toBe('in_review')
  const [form] = await query<{ id: string }>('select id from kyc_submission where user_id = $1', person.id)
  expect((await listFiles('verifications', form!.id)).map(({ id }) => id)).toEqual([photoId])
  expect((await openFileAs(staff.reviewer!, 'verifications', form!.id, photoId)).status).toBe(200)
  expect((await openFileAs(staff.payments!, 'verifications', form!.id, photoId)).status).toBe(403)
  expect((await openFileAs(staff.lead!, 'verifications', form!.id, licence.id)).status).toBe(404)
})
