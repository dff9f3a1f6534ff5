// Building blocks of the binary formats: big-endian numbers of fixed length, texts after their length in two bytes.

import { concat, decodeUtf8, encodeUtf8, fromHex, toHex } from './bytes.ts'
import { FormatError } from './format-error.ts'

export function formatNumber(value: number | bigint, length: 1 | 2 | 8): Uint8Array {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!isWhole || value < 0 || value >= 256 ** length) throw new RangeError('number is out of range')
  if (length === 1) return Uint8Array.of(Number(value))
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  if (length === 2) view.setUint16(0, Number(value))
  else view.setBigUint64(0, BigInt(value))
  return bytes
}

/** Puts the length of bytes before them, in two bytes. */
export const formatCounted = (bytes: Uint8Array): Uint8Array => concat(formatNumber(bytes.length, 2), bytes)

export function formatText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new RangeError('text is not valid Unicode')
  return formatCounted(encodeUtf8(text))
}

/** Whole numbers as decimal digits, with a minus sign if negative and without leading zeroes. */
export const formatInteger = (value: bigint): Uint8Array => formatText(value.toString())

export function formatUuid(uuid: string): Uint8Array {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(uuid))
    throw new RangeError('id is not a lower-case UUID')
  return fromHex(uuid.replaceAll('-', ''))
}

/** Position in bytes that are being read. */
export interface ByteReader {
  readonly bytes: Uint8Array
  at: number
}

export function readBytes(reader: ByteReader, length: number): Uint8Array {
  const end = reader.at + length
  if (end > reader.bytes.length) throw new FormatError('bytes are cut off')
  const part = reader.bytes.slice(reader.at, end)
  reader.at = end
  return part
}

export const readBigint = (reader: ByteReader, length: 1 | 2 | 8): bigint =>
  BigInt(`0x${toHex(readBytes(reader, length))}`)

export const readByte = (reader: ByteReader): number => readBytes(reader, 1)[0] ?? 0

export const readCounted = (reader: ByteReader): Uint8Array => readBytes(reader, Number(readBigint(reader, 2)))

export const readText = (reader: ByteReader): string => decodeUtf8(readCounted(reader))

export function readInteger(reader: ByteReader): bigint {
  const text = readText(reader)
  if (!/^(?:0|-?[1-9][0-9]{0,39})$/.test(text)) throw new FormatError('amount is no whole number')
  return BigInt(text)
}

export function readUuid(reader: ByteReader): string {
  const digits = toHex(readBytes(reader, 16))
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Reads a number of eight bytes that JavaScript represents exactly. */
export function readSize(reader: ByteReader): number {
  const size = Number(readBigint(reader, 8))
  if (!Number.isSafeInteger(size)) throw new FormatError('number is not below 2^53')
  return size
}

export function requireEnd({ bytes, at }: ByteReader): void {
  if (at !== bytes.length) throw new FormatError('bytes follow the end')
}
