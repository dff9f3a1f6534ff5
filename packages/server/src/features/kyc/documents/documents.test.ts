import { request as httpRequest } from 'node:http'
import { deflateSync } from 'node:zlib'
import { PDFDocument, PDFName, PDFRawStream, PDFString } from '@cantoo/pdf-lib'
import {
  deleteDocument,
  documentContent,
  buildDocumentForm,
  type IdentityDocument,
  listDocuments,
  maxDocumentsPerDay,
  uploadDocument,
} from '@tern/contract/kyc/documents'
import { dataAccesses } from '@tern/contract/privacy/privacy'
import { Transformer } from '@napi-rs/image'
import { imageDimensionsFromData } from 'image-dimensions'
import { describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, readRequirement } from '@tern/testkit/banking'
import { cleanPdf } from './clean-pdf.ts'
import { blackPng, drawPicture, createPhoto } from '@tern/testkit/kyc/pictures'

const world = await openTestApp()
const photo = await createPhoto('Secret Artist')

const passport: Record<string, string> = { documentType: 'passport' }
const buildDocumentUrl = (person: TestPerson, subpath: string) => `${world.url}/api/kyc/${person.id}/${subpath}`
const bearer = ({ token }: TestPerson) => ({ authorization: `Bearer ${token}` })

async function upload(
  person: TestPerson,
  content: Uint8Array | string,
  { type = 'image/jpeg', name = 'photo.jpg', fields = passport, id = person } = {},
): Promise<{ status: number; body: IdentityDocument & { code: string; reason?: string; detail: string } }> {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  const part = typeof content === 'string' ? content : Buffer.from(content)
  form.set('file', new File([part], name, { type }))
  const reply = await fetch(buildDocumentUrl(id, 'upload-document'), {
    method: 'POST',
    headers: bearer(person),
    body: form,
  })
  return { status: reply.status, body: (await reply.json()) as never }
}

const openDocument = (person: TestPerson, documentId: string, confirmation?: string) =>
  fetch(buildDocumentUrl(person, `documents/${documentId}/content`), {
    headers: { ...bearer(person), ...(confirmation === undefined ? {} : { 'step-up': confirmation }) },
  })

/** Loads a document, with a confirmation if required. */
async function loadContent(person: TestPerson, documentId: string) {
  let reply = await openDocument(person, documentId)
  if (reply.status === 403) {
    const { id } = readRequirement(await reply.json())
    await person.confirmAtOnce?.(id)
    reply = await openDocument(person, documentId, id)
  }
  return { reply, bytes: Buffer.from(await reply.arrayBuffer()) }
}
const loadRows = async ({ id }: TestPerson) =>
  (await world.database.pool.query<{ content: Buffer | null }>('select * from kyc_document where user_id = $1', [id]))
    .rows

const storedText = async ({ id }: TestPerson) => {
  const { rows } = await world.database.pool.query<{ text: string }>(
    "select (to_jsonb(kyc_document) - 'content')::text as text from kyc_document where user_id = $1",
    [id],
  )
  return rows.map(({ text }) => text).join('\n')
}

let personCount = 0
const enrollPerson = () => world.enroll(`holder${(personCount += 1)}`, null)

async function createPdf(change: (document: PDFDocument) => void = () => {}): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.addPage([300, 200]).drawText('Passport')
  document.setAuthor('Secret Author')
  change(document)
  return document.save({ useObjectStreams: false })
}

test('a document opens only with a fresh confirmation, each time, and the access is recorded', async () => {
  const person = await enrollPerson()
  const { body: frontDocument } = await upload(person, photo)
  const { body: backDocument } = await upload(person, photo, { fields: { ...passport, side: 'back' } })
  const loadAccesses = async () => (await person.call(dataAccesses, { query: {} })).accesses
  const openResponse = await openDocument(person, frontDocument.id)
  const requirement = readRequirement(await openResponse.json())
  expect(requirement).toMatchObject({ action: 'open_document' })
  expect((await openDocument(person, frontDocument.id, requirement.id)).status, 'not confirmed yet').toBe(403)
  await confirm(world, person, requirement)
  expect((await openDocument(person, backDocument.id, requirement.id)).status, 'confirmed for another document').toBe(
    403,
  )
  expect(await loadAccesses()).toEqual([])
  const reply = await openDocument(person, frontDocument.id, requirement.id)
  expect([reply.status, (await reply.arrayBuffer()).byteLength]).toEqual([200, frontDocument.size])
  expect(await loadAccesses()).toMatchObject([
    { role: 'you', operator: null, purpose: 'own_document', what: ['documents'] },
  ])
  expect((await openDocument(person, frontDocument.id, requirement.id)).status, 'used').toBe(403)
  expect(await loadAccesses()).toHaveLength(1)
})

describe('a document', () => {
  test('is encrypted, re-encoded, listed, shown to its owner only, and deleted', async () => {
    const person = await enrollPerson()
    const { call } = person
    const params = { id: String(person.id) }
    const file = new Blob([Buffer.from(photo)], { type: 'image/jpeg' })
    const uploadedDocument = await call(uploadDocument, {
      params,
      upload: buildDocumentForm({ documentType: 'passport', side: 'front' }, file),
    })
    expect(uploadedDocument).toMatchObject({ document_type: 'passport', side: 'front', content_type: 'image/jpeg' })
    expect(await call(listDocuments, { params })).toEqual({ documents: [uploadedDocument] })
    const { reply, bytes } = await loadContent(person, uploadedDocument.id)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(bytes).toHaveLength(uploadedDocument.size)
    const { exif } = await new Transformer(bytes).metadata(true)
    // Rotated upright, without the camera's metadata.
    expect([imageDimensionsFromData(bytes), exif ?? null]).toMatchObject([{ width: 400, height: 600 }, null])
    expect(photo.includes('Secret Artist')).toBe(true)
    expect(bytes.includes('Secret Artist')).toBe(false)
    const [row] = await loadRows(person)
    expect(row?.content?.includes(bytes.subarray(100, 200))).toBe(false)

    const stranger = await enrollPerson()
    for (const path of [`documents/${uploadedDocument.id}/content`, 'documents']) {
      expect((await fetch(buildDocumentUrl(person, path), { headers: bearer(stranger) })).status).toBe(404)
      expect((await fetch(buildDocumentUrl(person, path))).status).toBe(401)
    }
    expect((await loadContent(stranger, uploadedDocument.id)).reply.status).toBe(404)
    const ownParams = { id: String(stranger.id), documentId: uploadedDocument.id }
    await expect(stranger.call(deleteDocument, { params: ownParams })).rejects.toMatchObject({ code: 'not_found' })
    await expect(stranger.call(documentContent, { params: ownParams })).rejects.toMatchObject({ code: 'not_found' })
    expect((await upload(stranger, photo, { id: person })).status).toBe(404)

    await call(deleteDocument, { params: { ...params, documentId: uploadedDocument.id } })
    expect(await call(listDocuments, { params })).toEqual({ documents: [] })
    expect((await loadContent(person, uploadedDocument.id)).reply.status).toBe(404)
    expect((await loadRows(person)).map(({ content }) => content)).toEqual([null])
  })

  test('stays once it has verified its owner', async () => {
    const person = await world.enroll('proven', 'Germany')
    const { body } = await upload(person, photo)
    const params = { id: String(person.id), documentId: body.id }
    await expect(person.call(deleteDocument, { params })).rejects.toMatchObject({ code: 'already_verified' })
    expect((await loadContent(person, body.id)).reply.status).toBe(200)
  })

  test('opens under its own row only, and stays while it is being checked', async () => {
    const person = await enrollPerson()
    const [firstDocument, secondDocument] = [
      (await upload(person, photo)).body,
      (await upload(person, blackPng(9))).body,
    ]
    const { pool } = world.database
    const exchange = 'update kyc_document set content = (select content from kyc_document where id = $2) where id = $1'
    await pool.query(exchange, [firstDocument.id, secondDocument.id])
    expect((await loadContent(person, firstDocument.id)).reply.status).toBe(500)
    const params = { id: String(person.id), documentId: secondDocument.id }
    for (const status of ['pending', 'in_review']) {
      await pool.query('update app_user set kyc_status = $2 where id = $1', [person.id, status])
      await expect(person.call(deleteDocument, { params })).rejects.toMatchObject({ code: 'verification_running' })
    }
    expect((await loadContent(person, secondDocument.id)).reply.status).toBe(200)
  })

  test('stays when the verification is revoked, unlike later ones', async () => {
    const person = await world.enroll('taken-back', 'Germany')
    const [earlierId, laterId] = [(await upload(person, photo)).body.id, (await upload(person, photo)).body.id]
    const { pool } = world.database
    await pool.query(`update kyc_document set created_at = created_at - interval '1 hour' where id = $1`, [earlierId])
    await pool.query(`update app_user set kyc_status = 'needs_information' where id = $1`, [person.id])
    const deleteUploaded = (documentId: string) =>
      person.call(deleteDocument, { params: { id: String(person.id), documentId } })
    const keptFileError = { code: 'already_verified', problem: { reason: 'file_is_kept' } }
    await expect(deleteUploaded(earlierId)).rejects.toMatchObject(keptFileError)
    expect((await loadContent(person, earlierId)).reply.status).toBe(200)
    await deleteUploaded(laterId)
    expect((await loadContent(person, laterId)).reply.status).toBe(404)
  })

  test('as PNG, WebP or large camera picture becomes a JPEG of at most 4000 pixels', { timeout: 600_000 }, async () => {
    const person = await enrollPerson()
    for (const picture of [await drawPicture(90, 60).png(), await drawPicture(90, 60).webp(), blackPng(6000)]) {
      const { status, body } = await upload(person, picture, { type: 'application/octet-stream' })
      expect([status, body.content_type]).toEqual([201, 'image/jpeg'])
    }
    const [largeDocument] = (await person.call(listDocuments, { params: { id: String(person.id) } })).documents
    const { bytes } = await loadContent(person, largeDocument?.id ?? '')
    expect(imageDimensionsFromData(bytes)).toMatchObject({ width: 4000, height: 4000 })
  })

  test('as a PDF keeps only its pages', async () => {
    const person = await enrollPerson()
    const pdfWithScript = Buffer.concat([await createPdf(), Buffer.from('<script>alert(1)</script>PK\u0003\u0004')])
    const { status, body } = await upload(person, pdfWithScript, { type: 'application/pdf' })
    expect([status, body.content_type]).toEqual([201, 'application/pdf'])
    const { bytes } = await loadContent(person, body.id)
    const cleanedPdf = await PDFDocument.load(bytes, { updateMetadata: false })
    expect([cleanedPdf.getPageCount(), cleanedPdf.getAuthor()]).toEqual([1, undefined])
    expect(bytes.includes('script')).toBe(false)
  })

  test('as a PDF keeps nothing outside its pages, nor a photo’s camera data', async () => {
    const names = ['Annots', 'Metadata', 'PieceInfo', 'AA'].map((name) => PDFName.of(name))
    const photoWithScript = Buffer.concat([photo, Buffer.from('<script>')])
    const file = await createPdf((document) => {
      const { node } = document.getPage(0)
      for (const name of names) node.set(name, document.context.obj([{ Contents: PDFString.of('Secret Author') }]))
    })
    const source = await PDFDocument.load(file, { updateMetadata: false })
    const colors = { ColorTransform: 1 }
    for (const [bytes, filter, parameters] of [
      [photoWithScript, 'DCTDecode', colors],
      [deflateSync(photoWithScript), ['FlateDecode', 'DCTDecode'], [null, colors]],
    ] as const) {
      const image = { Type: 'XObject', Subtype: 'Image', Width: 600, Height: 400, BitsPerComponent: 8 }
      const filterOptions = { Filter: filter as never, DecodeParms: parameters as never }
      const stream = source.context.stream(bytes, { ...image, ColorSpace: 'DeviceRGB', ...filterOptions })
      const { node } = source.getPage(0)
      node.setXObject(PDFName.of(`Photo${bytes.length}`), source.context.register(stream))
    }
    const originalPdf = Buffer.from(await source.save({ useObjectStreams: false }))
    expect(originalPdf.includes('Secret Artist')).toBe(true)
    const cleanResult = await cleanPdf(originalPdf)
    const bytes = Buffer.from('bytes' in cleanResult ? cleanResult.bytes : [])
    const cleanedPdf = await PDFDocument.load(bytes, { updateMetadata: false })
    for (const name of names) expect(cleanedPdf.getPage(0).node.get(name), name.toString()).toBeUndefined()
    const photos = cleanedPdf.context
      .enumerateIndirectObjects()
      .flatMap(([, object]) =>
        object instanceof PDFRawStream && object.dict.get(PDFName.of('Subtype')) === PDFName.of('Image')
          ? [{ photo: Buffer.from(object.contents), colors: object.dict.get(PDFName.of('DecodeParms'))?.toString() }]
          : [],
      )
    expect(photos).toHaveLength(2)
    for (const { photo, colors: storedColors } of photos) {
      expect(storedColors).toContain('/ColorTransform 1')
      expect(['Secret Artist', 'Exif', '<script>'].filter((text) => photo.includes(text))).toEqual([])
      // The picture data is unchanged, but no longer rotated, because the removed metadata contained the orientation.
      expect(await new Transformer(photo).rawPixels()).toEqual(await (await drawJpeg()).rawPixels())
    }
  })
})

const drawJpeg = async () => new Transformer(await drawPicture(600, 400).jpeg())

/** Builds a PDF whose object stream unpacks to `bytes` zeros. `encodeContent` encodes it for further filters. */
function buildPdfBomb(
  bytes: number,
  filter = '/FlateDecode',
  encodeContent: (content: Buffer) => Buffer = (content) => content,
  { before = '', stream = 'stream\n' } = {},
): Buffer {
  const content = encodeContent(deflateSync(Buffer.alloc(bytes)))
  const dict = `<</Type/ObjStm/N 1/First 4/Filter ${filter}/Length ${content.length}>>`
  const header = `%PDF-1.7\n${before}1 0 obj\n${dict}\n${stream}`
  const pdfTail = '\nendstream\nendobj\n2 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 2 0 R>>\n%%EOF'
  return Buffer.concat([Buffer.from(header, 'latin1'), content, Buffer.from(pdfTail, 'latin1')])
}

/** Builds an object stream whose object 5 names the filters of another stream. */
function buildPackedFilters(): string {
  const content = deflateSync(Buffer.from('5 0 [/ASCIIHexDecode/FlateDecode]'))
  const header = `9 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length ${content.length}>>\nstream\n`
  return Buffer.concat([Buffer.from(header), content, Buffer.from('\nendstream\nendobj\n')]).toString('latin1')
}

describe('a PDF is refused', () => {
  const names = ['JS', 'JavaScript', 'Launch', 'EmbeddedFile', 'EmbeddedFiles', 'EF', 'XFA', 'RichMedia', 'Rendition']
  const actions = [...names, 'Movie', 'Sound', 'SubmitForm', 'ImportData', 'GoToE', 'GoToR']
  test.each(actions)('that has %s, anywhere in it', async (name) => {
    const buildPdf = (change: (document: PDFDocument) => void) => createPdf(change)
    const files = await Promise.all([
      buildPdf((document) =>
        document.getPage(0).node.set(PDFName.of('Annots'), document.context.obj([[{ A: { S: name } }]])),
      ),
      buildPdf((document) => void document.context.register(document.context.obj({ [name]: 1 }))),
      buildPdf((document) => void document.context.register(document.context.stream('', { [name]: 1 }))),
    ])
    for (const file of files) {
      expect(await cleanPdf(Buffer.from(file))).toEqual({ refusal: 'pdf_not_accepted', reason: 'pdf_active' })
    }
  })

  const compressZeros = (megabytes: number) => deflateSync(Buffer.alloc(megabytes * 1024 * 1024))
  const buildStreams = (content: Buffer, count = 1) =>
    Buffer.concat(Array.from({ length: count }, () => [Buffer.from('stream\n'), content]).flat())
  const appendToPdf = async (content: Buffer) => Buffer.concat([await createPdf(), content])
  test.each<[string, () => Promise<Uint8Array>]>([
    [
      'too many objects',
      () => createPdf(({ context }) => void Array.from({ length: 20_001 }, () => context.register(context.obj(1)))),
    ],
    ['too many streams', () => appendToPdf(Buffer.from('stream\n'.repeat(5001)))],
    [
      'arrays in one another',
      () => createPdf(({ context }) => void context.register(context.obj(JSON.parse('['.repeat(80) + ']'.repeat(80))))),
    ],
    ['streams that are large together', () => appendToPdf(buildStreams(compressZeros(50), 4))],
    ['the same without their ends', () => appendToPdf(buildStreams(compressZeros(50).subarray(0, -4), 4))],
    [
      'a stream packed five times',
      () =>
        appendToPdf(
          buildStreams([1, 2, 3, 4].reduce((compressed) => deflateSync(compressed), deflateSync(Buffer.alloc(99)))),
        ),
    ],
    ['a bomb behind a space', async () => buildPdfBomb(90_000_000, undefined, undefined, { stream: 'stream \r\n' })],
    [
      'a bomb whose filters are packed',
      async () => {
        const toHex = (content: Buffer) => Buffer.from(content.toString('hex'))
        return buildPdfBomb(90_000_000, '5 0 R', toHex, { before: buildPackedFilters() })
      },
    ],
    [
      'a bomb one of whose filters is packed',
      async () => buildPdfBomb(90_000_000, '[ 5 0 R ]', undefined, { before: buildPackedFilters() }),
    ],
  ])('that has %s', async (_case, buildFile) => {
    expect(await cleanPdf(Buffer.from(await buildFile()))).toEqual({
      refusal: 'pdf_not_accepted',
      reason: 'pdf_too_complex',
    })
  })
})

describe('a refused file is not stored', () => {
  const buildPdfWithAction = (name: string, action: Record<string, unknown>) =>
    createPdf((document) => document.catalog.set(PDFName.of(name), document.context.obj(action as never)))
  test.each<[string, string, () => Uint8Array | string | Promise<Uint8Array>, string?]>([
    ['an empty file', 'file_empty', () => ''],
    ['an SVG', 'file_type_not_accepted', () => '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'],
    ['a page', 'file_type_not_accepted', () => '<!doctype html><script>alert(1)</script>'],
    ['a program called PNG', 'file_type_not_accepted', () => Buffer.from('MZ\u0090\u0000\u0003 a program', 'latin1')],
    ['a GIF', 'file_type_not_accepted', () => Buffer.from('GIF89a')],
    ['a ZIP', 'file_type_not_accepted', () => Buffer.from('PK\u0003\u0004')],
    ['the first bytes of a JPEG', 'file_not_readable', () => photo.subarray(0, 40)],
    ['half a PNG', 'file_not_readable', async () => (await drawPicture(90, 60).png()).subarray(0, 600)],
    ['a page that begins like a JPEG', 'file_not_readable', () => Buffer.from('\u00ff\u00d8\u00ff<script>', 'latin1')],
    ['a PNG bomb', 'image_too_large', () => blackPng(20_000)],
    ['no PDF behind its first bytes', 'file_not_readable', () => '%PDF-1.7 <script>alert(1)</script>'],
    ['a zip bomb in a PDF', 'pdf_not_accepted', () => buildPdfBomb(500_000_000), 'pdf_too_complex'],
    [
      'a zip bomb packed twice',
      'pdf_not_accepted',
      () => buildPdfBomb(500_000_000, '[/FlateDecode/FlateDecode]', (content) => deflateSync(content)),
      'pdf_too_complex',
    ],
    [
      'a zip bomb in hexadecimal',
      'pdf_not_accepted',
      () =>
        buildPdfBomb(90_000_000, '[/ASCIIHex#44ecode/FlateDecode]', (content) => Buffer.from(content.toString('hex'))),
      'pdf_too_complex',
    ],
    [
      'a PDF of too many pages',
      'pdf_not_accepted',
      () => createPdf((document) => void Array.from({ length: 40 }, () => document.addPage())),
      'pdf_too_complex',
    ],
    [
      'a PDF with a script',
      'pdf_not_accepted',
      () => buildPdfWithAction('OpenAction', { S: 'JavaScript', JS: PDFString.of('app.alert(1)') }),
      'pdf_active',
    ],
    [
      'a PDF that starts a program',
      'pdf_not_accepted',
      () => buildPdfWithAction('AA', { O: { S: 'Launch' } }),
      'pdf_active',
    ],
    [
      'a PDF with a file in it',
      'pdf_not_accepted',
      () =>
        createPdf((document) => {
          document.catalog.set(PDFName.of('Names'), document.context.obj({ EmbeddedFiles: { Names: [] } }))
        }),
      'pdf_active',
    ],
    [
      'an encrypted PDF',
      'pdf_not_accepted',
      () =>
        createPdf((document) => (document.context.trailerInfo.Encrypt = document.context.obj({ Filter: 'Standard' }))),
      'pdf_encrypted',
    ],
  ])('%s: %s', { timeout: 600_000 }, async (_case, code, buildFile, reason) => {
    const person = await enrollPerson()
    const file = await buildFile()
    const { body } = await upload(person, file, { type: 'image/png', name: 'passport.png' })
    expect([body.code, body.reason]).toEqual([code, reason])
    expect(body.detail.length).toBeGreaterThan(20)
    expect(await loadRows(person)).toEqual([])
  })

  test('of 50 MB, refused halfway, without being buffered', { timeout: 600_000 }, async () => {
    const person = await enrollPerson()
    const memoryBefore = process.memoryUsage().rss
    const boundary = 'x'
    const header = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n`
    let sentBytes = 0
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { ...bearer(person), 'content-type': `multipart/form-data; boundary=${boundary}` }
      const call = httpRequest(buildDocumentUrl(person, 'upload-document'), { method: 'POST', headers }, (reply) => {
        reply.resume()
        resolve(reply.statusCode ?? 0)
      })
      call.on('error', reject)
      call.write(header)
      const chunk = Buffer.alloc(256 * 1024)
      const send = () => {
        if (sentBytes >= 50 * 1024 * 1024 || call.destroyed) return void call.end()
        sentBytes += chunk.length
        call.write(chunk, () => setImmediate(send))
      }
      send()
    })
    expect(status).toBe(413)
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(120 * 1024 * 1024)
    expect(await loadRows(person)).toEqual([])
  })

  test.each<[string, Record<string, string>, string]>([
    ['without its type', {}, 'documentType'],
    ['of a type nobody knows', { documentType: 'library_card' }, 'documentType'],
    ['of a side it has not', { ...passport, side: 'inside' }, 'side'],
  ])('one %s', async (_case, fields, field) => {
    const person = await enrollPerson()
    const { status, body } = await upload(person, photo, { fields })
    expect([status, body]).toMatchObject([422, { code: 'invalid_request', errors: [{ field }] }])
    expect(await loadRows(person)).toEqual([])
  })

  test('in a form without a file, a broken form, or no form', async () => {
    const person = await enrollPerson()
    const send = async (type: string, body: string) => {
      const headers = { ...bearer(person), 'content-type': type }
      const reply = await fetch(buildDocumentUrl(person, 'upload-document'), { method: 'POST', headers, body })
      return ((await reply.json()) as { code: string }).code
    }
    const field = '--x\r\ncontent-disposition: form-data; name="documentType"\r\n\r\npassport\r\n'
    expect(await send('multipart/form-data; boundary=x', `${field}--x--\r\n`)).toBe('file_missing')
    expect(await send('multipart/form-data; boundary=x', field)).toBe('malformed_body')
    expect(await send('multipart/form-data', field)).toBe('malformed_body')
    expect(await send('application/json', '{}')).toBe('file_missing')
  })
})

describe('stripped', () => {
  test('are bytes behind a picture, and its name', async () => {
    const person = await enrollPerson()
    const polyglotFile = Buffer.concat([photo, Buffer.from('<script>alert(1)</script>PK\u0003\u0004')])
    for (const name of ['../../etc/passwd', 'C:\\evil.exe', 'a.svg', '\u202egpj.exe', 'x'.repeat(300)]) {
      const { status, body } = await upload(person, polyglotFile, { type: 'text/html', name })
      expect(status, JSON.stringify(body)).toBe(201)
      const { bytes } = await loadContent(person, body.id)
      expect(bytes.includes('script') || bytes.includes('PK\u0003\u0004')).toBe(false)
      expect(await storedText(person)).not.toContain(name.slice(0, 5))
    }
  })
})

test('concurrent uploads are counted one by one; deleting frees no quota', { timeout: 600_000 }, async () => {
  const person = await enrollPerson()
  const smallPicture = blackPng(9)
  const { body } = await upload(person, smallPicture)
  await person.call(deleteDocument, { params: { id: String(person.id), documentId: body.id } })
  await world.database.pool.query(
    `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, content, created_at)
     select gen_random_uuid(), $1, 'passport', 'image/jpeg', 1, '\\x00', now() from generate_series(1, $2)`,
    [person.id, maxDocumentsPerDay - 3],
  )
  const replies = await Promise.all(Array.from({ length: 7 }, () => upload(person, smallPicture)))
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 429, 429, 429, 429, 429])
  expect(await loadRows(person)).toHaveLength(maxDocumentsPerDay)
  await world.database.pool.query(
    `update kyc_document set created_at = created_at - interval '1 day' where user_id = $1`,
    [person.id],
  )
  expect((await upload(person, smallPicture)).status, 'on the next day').toBe(201)
})

test('refused uploads are limited too', async () => {
  const person = await enrollPerson()
  // More than twice the limit per minute, so that it is exceeded wherever a minute begins.
  const codes = new Set<string>()
  for (let uploadIndex = 0; uploadIndex < 41; uploadIndex += 1) codes.add((await upload(person, '')).body.code)
  expect(codes).toEqual(new Set(['file_empty', 'rate_limited']))
})
