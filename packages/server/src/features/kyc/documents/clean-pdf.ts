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
// A page of A4 scanned at 400 dpi in colour takes 46 MB.
const largestStreamBytes = 64 * 1024 * 1024
const largestInAllBytes = 160 * 1024 * 1024
const maxFilters = 3

class PdfTooComplexError extends Error {}
class ActivePdfError extends Error {}

/** Filters besides Flate that the parser decodes without a limit of size. Cameras and scanners do not use them. */
const refusedFilters = /\/(?:LZWDecode|ASCIIHexDecode|ASCII85Decode|RunLengthDecode|Crypt)\b/

/** Filters named by reference, possibly inside a packed object, which cannot be checked before parsing. */
const hiddenFilters = /\/Filter(?:[\0\s]|%[^\r\n]*[\r\n])*(?:[-+.\d]|\[[^\]]*[%R])/

/** Throws PdfTooComplexError if a file has too many objects, counted by their `obj` and `endobj` keywords. */
function countObjects(file: Buffer): void {
  let words = 0
  for (let at = file.indexOf('obj'); at !== -1; at = file.indexOf('obj', at + 1)) {
    words += 1
    if (words > 2 * maxObjects) throw new PdfTooComplexError()
  }
}

/**
 * Throws PdfTooComplexError if Flate streams are too large unpacked. Called before parsing, because the parser would
 * unpack a decompression bomb completely.
 */
function measureStreams(file: Buffer): void {
  const text = file.toString('latin1')
  // Decodes hexadecimal escapes, which names may contain.
  const plain = text.replaceAll(/#([\da-f]{2})/gi, (_whole, code: string) =>
    Buffer.from(code, 'hex').toString('latin1'),
  )
  if (refusedFilters.test(plain) || hiddenFilters.test(plain)) throw new PdfTooComplexError()
  let [streams, total] = [0, 0]
  // Accepts the same deviations from the PDF standard as the parser.
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
 * Unpacks a zlib stream. Like parsers, accepts one that is truncated or has a wrong checksum. Undefined if the data is
 * not zlib. Throws PdfTooComplexError beyond the limit.
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

const activeNames = new Set(
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

/** Entries that are not printed: metadata, annotations with their links, and actions on opening. */
const droppedNames = ['Metadata', 'PieceInfo', 'Annots', 'AA', 'OpenAction'].map((name) => PDFName.of(name))

/**
 * Throws ActivePdfError for active content, recognized by the names of actions and of the entries that contain them;
 * PdfTooComplexError for objects nested too deeply. Deletes entries that are not printed.
 */
function removeActiveParts(object: PDFObject, depth = 0): void {
  if (depth > maxNesting) throw new PdfTooComplexError()
  if (object instanceof PDFName && activeNames.has(object)) throw new ActivePdfError()
  if (object instanceof PDFStream) return removeActiveParts(object.dict, depth + 1)
  if (object instanceof PDFArray) for (const item of object.asArray()) removeActiveParts(item, depth + 1)
  if (!(object instanceof PDFDict)) return
  for (const [name, value] of object.entries()) {
    if (activeNames.has(name)) throw new ActivePdfError()
    removeActiveParts(value, depth + 1)
  }
  for (const name of droppedNames) object.delete(name)
}

const [flate, dct] = [PDFName.of('FlateDecode'), PDFName.of('DCTDecode')]

/** Returns the JPEG in a stream, without its metadata; undefined if the stream is not a JPEG. */
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

/** Removes metadata from all JPEGs; their picture data is unchanged. */
function stripPhotos({ context }: PDFDocument): void {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    const photo = object instanceof PDFRawStream ? extractPhoto(object) : undefined
    if (!(object instanceof PDFRawStream) || !photo) continue
    const { dict } = object
    dict.set(PDFName.of('Filter'), dct)
    // One entry per filter. The last filter is the one that remains.
    const parameters = dict.lookup(PDFName.of('DecodeParms'))
    if (parameters instanceof PDFArray) dict.set(PDFName.of('DecodeParms'), parameters.get(parameters.size() - 1))
    context.assign(ref, PDFRawStream.of(dict, photo))
  }
}

/** Copies the pages into a new file, so that nothing else of the file is kept. */
async function rebuildPdf(file: Buffer): Promise<Uint8Array> {
  const source = await PDFDocument.load(file, {
    updateMetadata: false,
    throwOnInvalidObject: true,
    // The thread has no other work that the parser could delay.
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
 * Reduces a PDF to its pages. Refuses files that are encrypted, contain scripts, files or actions, are too large
 * unpacked, or have too many pages or objects. Runs in a thread with a time limit.
 */
export async function cleanPdf(file: Buffer): Promise<CleanResult> {
  try {
    countObjects(file)
    measureStreams(file)
    const cleanedBytes = await rebuildPdf(file)
    return { contentType: 'application/pdf', bytes: cleanedBytes }
  } catch (error) {
    if (error instanceof PdfTooComplexError) return { refusal: 'pdf_not_accepted', reason: 'pdf_too_complex' }
    if (error instanceof ActivePdfError) return { refusal: 'pdf_not_accepted', reason: 'pdf_active' }
    if (error instanceof Error && /encrypted|password/i.test(error.message)) {
      return { refusal: 'pdf_not_accepted', reason: 'pdf_encrypted' }
    }
    return { refusal: 'file_not_readable' }
  }
}
