// For tests: pictures, some of which no camera produces.

import { crc32, deflateSync } from 'node:zlib'
import { Transformer } from '@napi-rs/image'

/** Returns a picture whose blue channel is a repeated gradient. */
export function drawPicture(width: number, height: number): Transformer {
  const pixels = Buffer.alloc(width * height * 4, 0xff)
  for (let place = 0; place < pixels.length; place += 4) pixels.set([0x33, 0x66, (place >> 4) & 0xff], place)
  return Transformer.fromRgbaPixels(pixels, width, height)
}

/** Returns a JPEG that its EXIF data rotates by 90 degrees; the EXIF data also contain `artist`. */
export async function createPhoto(artist: string): Promise<Buffer> {
  const jpeg = await drawPicture(600, 400).jpeg()
  const name = Buffer.from(`${artist}\0`)
  const fields = Buffer.from('0002011200030000000100060000013b000200000000', 'hex')
  fields[fields.length - 1] = name.length
  const exif = Buffer.concat([
    ...[Buffer.from('Exif\0\0MM\0*\0\0\0\b', 'latin1'), fields, Buffer.from('0000002600000000', 'hex'), name],
  ])
  const head = Buffer.from('ffe10000', 'hex')
  head.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const typedData = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(typedData))
  return Buffer.concat([length, typedData, check])
}

/** Returns a PNG of `side` × `side` black pixels, which is a small file. */
export function blackPng(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc((((side + 7) >> 3) + 1) * side))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    ...[encodeChunk('IHDR', header), encodeChunk('IDAT', rows), encodeChunk('IEND', Buffer.alloc(0))],
  ])
}
