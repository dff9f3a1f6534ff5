import { FormatError } from './format-error.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Decodes strictly: invalid UTF-8 is refused and a byte order mark is kept as a character. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new FormatError('text is not valid UTF-8')
  }
}

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => concatAll(parts)

/** Joins any number of parts; arguments of a call are limited. */
export function concatAll(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

export const areEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/** Orders byte strings like memcmp. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length)
  for (let index = 0; index < shorter; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Decodes lower-case hexadecimal digits. */
export function fromHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new FormatError('hexadecimal digits are invalid')
  const bytes = new Uint8Array(text.length / 2)
  for (let place = 0; place < bytes.length; place += 1)
    bytes[place] = Number.parseInt(text.slice(2 * place, 2 * place + 2), 16)
  return bytes
}

export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

/** Decodes standard Base64 with padding; accepts only the one canonical spelling of the bytes. */
export function fromBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw new FormatError('Base64 is invalid')
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  if (toBase64(bytes) !== text) throw new FormatError('Base64 is not canonical')
  return bytes
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes in Base32 (RFC 4648) without padding: the letters and digits of a QR code's alphanumeric mode. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += base32Digits.charAt((value >> bits) & 31)
    }
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + base32Digits.charAt((value << (5 - bits)) & 31) : text
}

/** Decodes upper-case Base32 without padding; accepts only the one canonical spelling of the bytes. */
export function fromBase32(text: string): Uint8Array {
  const bytes: number[] = []
  let value = 0
  let bits = 0
  for (const character of text) {
    const digit = base32Digits.indexOf(character)
    if (digit === -1) throw new FormatError('Base32 is invalid')
    value = (value << 5) | digit
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push(value >> bits)
    }
    value &= (1 << bits) - 1
  }
  if (bits >= 5 || value !== 0) throw new FormatError('Base32 is not canonical')
  return Uint8Array.from(bytes)
}

/** Parses a decimal number without leading zeroes that JavaScript represents exactly. */
export function parseSize(text: string): number {
  const value = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new FormatError('number is not a decimal below 2^53')
  return value
}
