// Proofs and roots from tiles (c2sp.org/tlog-tiles). A caller lists the tiles that a result needs, loads them, and
// passes them in a map by path; each tile is the concatenation of its hashes.

import { FormatError } from './format-error.ts'
import { emptyRoot, hashChildren, hashLength, isTreeSize, splitSize } from './merkle.ts'
import { formatTilePath, type Tile, tileWidth } from './tile-paths.ts'

export interface HashTile extends Tile {
  readonly level: number
}

/** Contents of tiles by path. */
export type Tiles = ReadonlyMap<string, Uint8Array>

/** The leaves from start up to, excluding, end. */
interface Range {
  readonly start: number
  readonly end: number
}

interface IndexAndSize {
  readonly index: number
  readonly size: number
}

interface TwoSizes {
  readonly size1: number
  readonly size2: number
}

/** Number of hashes in the tiles of a level. */
const countHashes = (size: number, level: number): number => Math.floor(size / tileWidth ** level)

/** Returns the tile at a place as it is in a tree of the given size. */
export function selectTile({ level, index, size }: { level: number; index: number; size: number }): HashTile {
  const width = Math.min(tileWidth, countHashes(size, level) - index * tileWidth)
  if (width < 1) throw new RangeError('tree has no such tile')
  return { level, index, width }
}

/** Lists the partial tiles of a tree, lowest first. */
export function listPartialTiles(size: number): HashTile[] {
  requireSize(size)
  const tiles: HashTile[] = []
  for (let level = 0; countHashes(size, level) > 0; level += 1) {
    const width = countHashes(size, level) % tileWidth
    if (width > 0) tiles.push({ level, index: Math.floor(countHashes(size, level) / tileWidth), width })
  }
  return tiles
}

/** Lists the tiles from which the root of a tree is computed. */
export const listRootTiles = (size: number): HashTile[] => listTiles([{ start: 0, end: requireSize(size) }], size)

export const buildRoot = ({ size, tiles }: { size: number; tiles: Tiles }): Uint8Array =>
  size === 0 ? emptyRoot : hashRange({ start: 0, end: requireSize(size) }, size, tiles)

/** Lists the tiles from which an inclusion proof is built. */
export const listInclusionTiles = ({ index, size }: IndexAndSize): HashTile[] =>
  listTiles(listInclusionRanges({ index, size }), size)

/** Builds the inclusion proof of a leaf (RFC 6962, section 2.1.1). */
export const buildInclusionProof = ({ index, size, tiles }: IndexAndSize & { tiles: Tiles }): Uint8Array[] =>
  listInclusionRanges({ index, size }).map((range) => hashRange(range, size, tiles))

/** Lists the tiles from which a consistency proof is built. */
export const listConsistencyTiles = ({ size1, size2 }: TwoSizes): HashTile[] =>
  listTiles(listConsistencyRanges({ size1, size2 }), size2)

/** Builds the proof that a tree begins with a smaller one (RFC 6962, section 2.1.2); empty if size1 is 0 or size2. */
export const buildConsistencyProof = ({ size1, size2, tiles }: TwoSizes & { tiles: Tiles }): Uint8Array[] =>
  listConsistencyRanges({ size1, size2 }).map((range) => hashRange(range, size2, tiles))

function requireSize(size: number): number {
  if (!isTreeSize(size)) throw new RangeError('tree size is out of range')
  return size
}

function listInclusionRanges({ index, size }: IndexAndSize): Range[] {
  requireSize(size)
  if (!isTreeSize(index) || index >= size) throw new RangeError('index is outside the tree')
  const ranges: Range[] = []
  let start = 0
  let end = size
  while (end - start > 1) {
    const middle = start + splitSize(end - start)
    if (index < middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  return ranges.toReversed()
}

function listConsistencyRanges({ size1, size2 }: TwoSizes): Range[] {
  requireSize(size2)
  if (!isTreeSize(size1) || size1 > size2) throw new RangeError('first tree is larger than the second')
  if (size1 === 0 || size1 === size2) return []
  const ranges: Range[] = []
  let start = 0
  let end = size2
  while (size1 < end) {
    const middle = start + splitSize(end - start)
    if (size1 <= middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  // The verifier knows the root of the first tree, which is this range if it starts at 0.
  if (start > 0) ranges.push({ start, end })
  return ranges.toReversed()
}

interface Subtree {
  readonly height: number
  readonly index: number
}

/** Divides a range of a proof into complete subtrees, from left to right. */
function divideRange({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = []
  let from = start
  while (from < end) {
    let height = 0
    let count = 1
    while (from % (count * 2) === 0 && from + count * 2 <= end) {
      height += 1
      count *= 2
    }
    subtrees.push({ height, index: from / count })
    from += count
  }
  return subtrees
}

/** Tile that contains the hashes below a complete subtree, and their places in it. */
function locate({ height, index }: Subtree, size: number): { tile: HashTile; from: number; count: number } {
  const level = Math.floor(height / 8)
  const count = 2 ** (height % 8)
  const first = index * count
  const tile = selectTile({ level, index: Math.floor(first / tileWidth), size })
  return { tile, from: first % tileWidth, count }
}

function listTiles(ranges: readonly Range[], size: number): HashTile[] {
  const tiles = new Map<string, HashTile>()
  for (const range of ranges) {
    for (const subtree of divideRange(range)) {
      const { tile } = locate(subtree, size)
      tiles.set(formatTilePath(tile), tile)
    }
  }
  return [...tiles.values()]
}

function hashRange(range: Range, size: number, tiles: Tiles): Uint8Array {
  const hashes = divideRange(range).map((subtree) => hashSubtree(subtree, size, tiles))
  return hashes.reduceRight((right, left) => hashChildren(left, right))
}

function hashSubtree(subtree: Subtree, size: number, tiles: Tiles): Uint8Array {
  const { tile, from, count } = locate(subtree, size)
  const path = formatTilePath(tile)
  const content = tiles.get(path)
  if (content === undefined) throw new RangeError(`${path} is missing`)
  if (content.length !== tile.width * hashLength) throw new FormatError(`${path} has a wrong length`)
  return hashRow(content.subarray(from * hashLength, (from + count) * hashLength))
}

/** Root of the complete subtree above a row of hashes, whose number is a power of two. */
export function hashRow(row: Uint8Array): Uint8Array {
  if (row.length === hashLength) return row.slice()
  const middle = row.length / 2
  return hashChildren(hashRow(row.subarray(0, middle)), hashRow(row.subarray(middle)))
}
