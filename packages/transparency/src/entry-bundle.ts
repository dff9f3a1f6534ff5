// Entry bundles (c2sp.org/tlog-tiles): entries, each after its length in two bytes, big endian.

import { concat } from './bytes.ts'
import { FormatError } from './format-error.ts'
import { tileWidth } from './tile-paths.ts'

const longestEntry = 65_535

export function formatEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length < 1 || entries.length > tileWidth) throw new RangeError('a bundle has 1 to 256 entries')
  return concat(...entries.flatMap((entry) => [formatLength(entry.length), entry]))
}

function formatLength(length: number): Uint8Array {
  if (length > longestEntry) throw new RangeError('entry is too long')
  return Uint8Array.of(length >> 8, length & 0xff)
}

export function parseEntryBundle(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = []
  let at = 0
  while (at < bundle.length) {
    const start = at + 2
    const end = start + (((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0))
    if (end > bundle.length) throw new FormatError('entry bundle is cut off')
    entries.push(bundle.slice(start, end))
    at = end
  }
  if (entries.length < 1 || entries.length > tileWidth)
    throw new FormatError('entry bundle has a wrong number of entries')
  return entries
}
