import { constants, inflateRawSync } from 'node:zlib'
import {
  ParseSpeeds,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFStream,
} from '@cantoo/pdf-lib'
import { removeMetadata } from './clean-jpeg.ts'
import type { CleanResult } from './clean-worker.ts'

const maxPages = 30
const maxObjects = 20_000
const maxStreams = 5000
const maxNesting = 60
// An A4 page scanned at 400 dpi in colour is 46 MB.
const largestStreamBytes = 64 * 1024 * 1024
const largestInAllBytes = 160 * 1024 * 1024
const maxFilters = 3

class PdfTooComplexError extends Error {}
class ActivePdfError extends Error {}

/**
 * Filters other than Flate that the parser would decode itself, without a measured size. Cameras and scanners use none.
 */
const refusedFilters = /\/(?:LZWDecode|ASCIIHexDecode|ASCII85Decode|RunLengthDecode|Crypt)\b/

/** Filters named indirectly, perhaps inside a packed object, where they cannot be checked before parsing. */
const hiddenFilters = /\/Filter(?:[\0\s]|%[^\r\n]*[\r\n])*(?:[-+.\d]|\[[^\]]*[%R])/

/** Counts the unpacked objects by their delimiting keywords. Throws PdfTooComplexError beyond the maximum. */
function countObjects(file: Buffer): void {
  let words = 0
  for (let at = file.indexOf('obj'); at !== -1; at = file.indexOf('obj', at + 1)) {
    words += 1
    if (words > 2 * maxObjects) throw new PdfTooComplexError()
  }
}

/**
 * Measures the unpacked size of every Flate stream before anything parses it: a parser would unpack a bomb to the end.
 * Throws PdfTooComplexError beyond the limits.
 */
function measureStreams(file: Buffer): void {
  const text = file.toString('latin1')
  // Names may contain hexadecimal escapes.
  const plain = text.replaceAll(/#([\da-f]{2})/gi, (_whole, code: string) =>
    Buffer.from(code, 'hex').toString('latin1'),
  )
  if (refusedFilters.test(plain) || hiddenFilters.test(plain)) throw new PdfTooComplexError()
  let [streams, total] = [0, 0]
  // As lenient as the parser, which accepts more than PDF allows.
  for (const { index, 0: keyword } of text.matchAll(/stream(?: \r\n|\r?\n?)/g)) {
    streams += 1
    if (streams > maxStreams) throw new PdfTooComplexError()
    let compressed: Buffer | undefined = file.subarray(index + keyword.length)
    for (let depth = 0; compressed !== undefined; depth += 1) {
      if (depth > maxFilters) throw new PdfTooComplexError()
      compressed = unpack(compressed)
      total += compressed?.length ?? 0
      if (total > largestInAllBytes) throw new PdfTooComplexError()
    }
  }
}

/**
 * Unpacked zlib stream; like parsers, accepts one without its end or with a wrong checksum. Undefined if the data is
 * not a zlib stream.
 */
function unpack(packed: Buffer): Buffer | undefined {
  const [method = 0, flags = 0] = packed
  if ((method & 15) !== 8 || (method * 256 + flags) % 31 !== 0) return undefined
  const bounds = { maxOutputLength: largestStreamBytes, finishFlush: constants.Z_SYNC_FLUSH }
  try {
    return inflateRawSync(packed.subarray(2), bounds)
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new PdfTooComplexError()
    return undefined
  }
}

const active = new Set(
  [
    'JS',
    'JavaScript',
    'Launch',
    'EmbeddedFile',
    'EmbeddedFiles',
    'EF',
    'XFA',
    'RichMedia',
    'Rendition',
    'Movie',
    'Sound',
  ]
    .concat(['SubmitForm', 'ImportData', 'GoToE', 'GoToR'])
    .map((name) => PDFName.of(name)),
)

/** Entries that are not on paper: metadata, comments and links, and actions on opening. */
const droppedNames = ['Metadata', 'PieceInfo', 'Annots', 'AA', 'OpenAction'].map((name) => PDFName.of(name))

/** Refuses active content, by names of actions and of their carriers; removes entries that are not on paper. */
function removeActiveParts(object: PDFObject, depth = 0): void {
  if (depth > maxNesting) throw new PdfTooComplexError()
  if (object instanceof PDFName && active.has(object)) throw new ActivePdfError()
  if (object instanceof PDFStream) return removeActiveParts(object.dict, depth + 1)
  if (object instanceof PDFArray) for (const item of object.asArray()) removeActiveParts(item, depth + 1)
  if (!(object instanceof PDFDict)) return
  for (const [name, value] of object.entries()) {
    if (active.has(name)) throw new ActivePdfError()
    removeActiveParts(value, depth + 1)
  }
  for (const name of droppedNames) object.delete(name)
}

const [flate, dct] = [PDFName.of('FlateDecode'), PDFName.of('DCTDecode')]

/** Photo in a stream, without its metadata; undefined if there is none. */
function extractPhoto({ dict, contents }: PDFRawStream): Buffer | undefined {
  const filter = dict.lookup(PDFName.of('Filter'))
  const filters = filter instanceof PDFArray ? filter.asArray() : [filter]
  if (filters.at(-1) !== dct) return undefined
  let photo: Buffer | undefined = Buffer.from(contents)
  for (const filterName of filters.slice(0, -1)) {
    if (filterName !== flate) throw new PdfTooComplexError()
    photo = photo && unpack(photo)
  }
  const cleanPhoto = photo && removeMetadata(photo)
  if (!cleanPhoto) throw new Error('a picture cannot be read')
  return cleanPhoto
}

/** Removes camera metadata from pictures, which are copied unchanged. */
function stripPhotos({ context }: PDFDocument): void {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    const photo = object instanceof PDFRawStream ? extractPhoto(object) : undefined
    if (!(object instanceof PDFRawStream) || !photo) continue
    const { dict } = object
    dict.set(PDFName.of('Filter'), dct)
    // One entry per filter, the last of which is the photo's own.
    const parameters = dict.lookup(PDFName.of('DecodeParms'))
    if (parameters instanceof PDFArray) dict.set(PDFName.of('DecodeParms'), parameters.get(parameters.size() - 1))
    context.assign(ref, PDFRawStream.of(dict, photo))
  }
}

/** Copies the pages into a new file: nothing outside of them is kept. */
async function rebuildPdf(file: Buffer): Promise<Uint8Array> {
  const source = await PDFDocument.load(file, {
    updateMetadata: false,
    throwOnInvalidObject: true,
    // The thread has nothing else to do.
    parseSpeed: ParseSpeeds.Fastest,
  })
  const objects = source.context.enumerateIndirectObjects()
  if (objects.length > maxObjects || source.getPageCount() > maxPages) throw new PdfTooComplexError()
  for (const [, object] of objects) removeActiveParts(object)
  stripPhotos(source)
  const cleanDocument = await PDFDocument.create({ updateMetadata: false })
  for (const page of await cleanDocument.copyPages(source, source.getPageIndices())) cleanDocument.addPage(page)
  return cleanDocument.save({ addDefaultPage: false, updateFieldAppearances: false })
}

/**
 * Reduces a PDF to its pages. Refuses encrypted files, those with scripts, files or actions, and those that unpack to
 * too much or have too many pages. Runs in a thread with a time limit.
 */
export async function cleanPdf(file: Buffer): Promise<CleanResult> {
  try {
    countObjects(file)
    measureStreams(file)
    const source = await rebuildPdf(file)
    return { contentType: 'application/pdf', bytes: source }
  } catch (error) {
    if (error instanceof PdfTooComplexError) return { refusal: 'pdf_not_accepted', reason: 'pdf_too_complex' }
    if (error instanceof ActivePdfError) return { refusal: 'pdf_not_accepted', reason: 'pdf_active' }
    if (error instanceof Error && /encrypted|password/i.test(error.message)) {
      return { refusal: 'pdf_not_accepted', reason: 'pdf_encrypted' }
    }
    return { refusal: 'file_not_readable' }
  }
}
