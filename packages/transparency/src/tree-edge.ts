// Growth of a log. The right edge of a tree, its partial tiles, is all that appending needs: at most 255 hashes for each
// eight levels.

import { concat, concatAll } from './bytes.ts'
import { FormatError } from './format-error.ts'
import { emptyRoot, hashChildren, hashLength } from './merkle.ts'
import { type HashTile, hashRow, listPartialTiles, type Tiles } from './tiles.ts'
import { formatTilePath, tileWidth } from './tile-paths.ts'

export interface TreeEdge {
  readonly size: number
  /** Hashes of the partial tile of each level, lowest first; empty where a level has none. */
  readonly levels: readonly Uint8Array[]
}

export interface FilledTile extends HashTile {
  readonly hashes: Uint8Array
}

export const emptyEdge: TreeEdge = { size: 0, levels: [] }

/** Restores the edge of a tree from its partial tiles, which listPartialTiles names. */
export function buildEdge({ size, tiles }: { size: number; tiles: Tiles }): TreeEdge {
  const levels: Uint8Array[] = []
  for (const tile of listPartialTiles(size)) {
    const path = formatTilePath(tile)
    const hashes = tiles.get(path)
    if (hashes === undefined) throw new RangeError(`${path} is missing`)
    if (hashes.length !== tile.width * hashLength) throw new FormatError(`${path} has a wrong length`)
    while (levels.length < tile.level) levels.push(new Uint8Array(0))
    levels.push(hashes)
  }
  return { size, levels }
}

/** Appends leaves; returns the new edge and the tiles that became full, in order. */
export function appendLeaves(
  edge: TreeEdge,
  leafHashes: readonly Uint8Array[],
): { readonly edge: TreeEdge; readonly fullTiles: readonly FilledTile[] } {
  const size = edge.size + leafHashes.length
  if (!Number.isSafeInteger(size)) throw new RangeError('tree size is out of range')
  const levels: Uint8Array[] = []
  const fullTiles: FilledTile[] = []
  let added = concatAll(leafHashes)
  let before = edge.size
  for (let level = 0; level < edge.levels.length || added.length > 0; level += 1) {
    const row = concat(edge.levels[level] ?? new Uint8Array(0), added)
    const firstIndex = Math.floor(before / tileWidth)
    const count = Math.floor(row.length / (tileWidth * hashLength))
    const parents: Uint8Array[] = []
    for (let place = 0; place < count; place += 1) {
      const hashes = row.slice(place * tileWidth * hashLength, (place + 1) * tileWidth * hashLength)
      fullTiles.push({ level, index: firstIndex + place, width: tileWidth, hashes })
      parents.push(hashRow(hashes))
    }
    levels.push(row.slice(count * tileWidth * hashLength))
    added = concatAll(parents)
    before = firstIndex
  }
  return { edge: { size, levels }, fullTiles }
}

/** Returns the partial tiles of a tree with their hashes. */
export const listEdgeTiles = ({ size, levels }: TreeEdge): FilledTile[] =>
  listPartialTiles(size).map(({ level, index, width }) => ({
    level,
    index,
    width,
    hashes: levels[level] ?? new Uint8Array(0),
  }))

export function computeEdgeRoot({ size, levels }: TreeEdge): Uint8Array {
  if (size === 0) return emptyRoot
  let root: Uint8Array | undefined
  for (const level of levels) {
    let end = level.length / hashLength
    for (let count = 1; end > 0; count *= 2) {
      if (end % (count * 2) === 0) continue
      const hash = hashRow(level.subarray((end - count) * hashLength, end * hashLength))
      root = root === undefined ? hash : hashChildren(hash, root)
      end -= count
    }
  }
  return root ?? emptyRoot
}
