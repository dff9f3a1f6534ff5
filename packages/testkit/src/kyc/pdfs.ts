// For tests: PDFs that take long to process.

import { deflateSync } from 'node:zlib'

const header =
  '%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n'
const first = 3

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => first + index)
const trailer = (count: number): string => `trailer\n<</Root 1 0 R/Size ${first + count}>>\n%%EOF\n`

/** Returns a PDF without pages, and with `count` empty objects of about 24 bytes. */
export function pdfOfEmptyObjects(count: number): Buffer {
  const objects = numbers(count).map((number) => `${number} 0 obj\n<<>>\nendobj\n`)
  return Buffer.from(header + objects.join('') + trailer(count))
}

/** Returns the same PDF with its objects in compressed streams of 5,000, which only a parser can count. */
export function pdfOfPackedObjects(count: number): Buffer {
  const perStream = 5000
  const streamStarts = numbers(count).filter((_, index) => index % perStream === 0)
  const streams = streamStarts.map((start, index) => {
    const offset = start - first
    const places = numbers(count).slice(offset, offset + perStream)
    const table = places.map((number, place) => `${number} ${place * 5}`).join(' ')
    const compressed = deflateSync(Buffer.from(`${table} ${'<<>> '.repeat(places.length)}`))
    const number = first + count + index
    const dictionary = `<</Type/ObjStm/N ${places.length}/First ${table.length + 1}/Filter/FlateDecode/Length ${compressed.length}>>`
    return Buffer.concat([
      Buffer.from(`${number} 0 obj\n${dictionary}\nstream\n`),
      compressed,
      Buffer.from('\nendstream\nendobj\n'),
    ])
  })
  return Buffer.concat([Buffer.from(header), ...streams, Buffer.from(trailer(count + streams.length))])
}
