import { expect, test } from 'vitest'
import { buildNaiveConsistency, buildNaiveInclusion, createLeafHashes } from '../test/naive-tree.ts'
import { computeRoot, verifyConsistency, verifyInclusion } from './merkle.ts'
import {
  buildConsistencyProof,
  buildInclusionProof,
  buildRoot,
  type HashTile,
  listConsistencyTiles,
  listInclusionTiles,
  listPartialTiles,
  listRootTiles,
} from './tiles.ts'
import { formatTilePath, parseTilePath } from './tile-paths.ts'
import { appendLeaves, buildEdge, computeEdgeRoot, emptyEdge, type FilledTile, listEdgeTiles } from './tree-edge.ts'

const store = (tiles: Map<string, Uint8Array>, filled: readonly FilledTile[]) => {
  for (const tile of filled) tiles.set(formatTilePath(tile), tile.hashes)
}

/** Grows a log in steps, and keeps every tile that each step publishes. */
function grow(leaves: readonly Uint8Array[], sizes: readonly number[]) {
  const tiles = new Map<string, Uint8Array>()
  let edge = emptyEdge
  for (const size of sizes) {
    const step = appendLeaves(edge, leaves.slice(edge.size, size))
    edge = step.edge
    store(tiles, step.fullTiles)
    store(tiles, listEdgeTiles(edge))
  }
  return { tiles, edge }
}

const select = (tiles: ReadonlyMap<string, Uint8Array>, needed: readonly HashTile[]) =>
  new Map(
    needed.map((tile) => {
      const path = formatTilePath(tile)
      const content = tiles.get(path)
      if (content === undefined) throw new Error(`${path} was never published`)
      return [path, content]
    }),
  )

const sizes = [1, 2, 3, 5, 7, 8, 100, 255, 256, 257, 511, 512, 513, 700, 1000]
const leaves = createLeafHashes(1000)
const { tiles } = grow(leaves, sizes)

test('roots from tiles and from the edge equal those of RFC 6962', () => {
  let edge = emptyEdge
  expect(computeEdgeRoot(edge)).toEqual(computeRoot([]))
  for (const size of sizes) {
    edge = appendLeaves(edge, leaves.slice(edge.size, size)).edge
    const root = computeRoot(leaves.slice(0, size))
    expect(computeEdgeRoot(edge)).toEqual(root)
    expect(buildRoot({ size, tiles: select(tiles, listRootTiles(size)) })).toEqual(root)
    const restored = buildEdge({ size, tiles: select(tiles, listPartialTiles(size)) })
    expect(computeEdgeRoot(restored)).toEqual(root)
  }
})

test('leaves appended one by one and all at once make the same tiles', () => {
  const single = grow(
    leaves,
    Array.from({ length: 1000 }, (_, index) => index + 1),
  )
  const together = grow(leaves, [1000])
  for (const [path, content] of together.tiles) expect(single.tiles.get(path)).toEqual(content)
  expect(computeEdgeRoot(together.edge)).toEqual(computeEdgeRoot(single.edge))
  const fullTiles = [...single.tiles.keys()].filter((path) => !path.includes('.p/'))
  expect(fullTiles.toSorted()).toEqual(['tile/0/000', 'tile/0/001', 'tile/0/002'])
})

test('every inclusion proof from tiles equals that of RFC 6962 and verifies', () => {
  for (const size of [1, 2, 3, 7, 8, 100, 256, 257, 513, 1000]) {
    const root = computeRoot(leaves.slice(0, size))
    for (let index = 0; index < size; index += size < 300 ? 1 : 37) {
      const proof = buildInclusionProof({ index, size, tiles: select(tiles, listInclusionTiles({ index, size })) })
      expect(proof).toEqual(buildNaiveInclusion(leaves.slice(0, size), index))
      const leafHash = leaves[index] ?? new Uint8Array(0)
      expect(verifyInclusion({ index, size, leafHash, proof, root })).toBe(true)
    }
  }
})

test('every consistency proof from tiles equals that of RFC 6962 and verifies', () => {
  for (const size2 of [1, 2, 3, 7, 8, 100, 257, 513]) {
    const root2 = computeRoot(leaves.slice(0, size2))
    for (let size1 = 1; size1 <= size2; size1 += size2 < 110 ? 1 : 19) {
      const proof = buildConsistencyProof({
        size1,
        size2,
        tiles: select(tiles, listConsistencyTiles({ size1, size2 })),
      })
      expect(proof).toEqual(buildNaiveConsistency(leaves.slice(0, size2), size1))
      const root1 = computeRoot(leaves.slice(0, size1))
      expect(verifyConsistency({ size1, size2, root1, root2, proof })).toBe(true)
    }
  }
})

test('tiles of a third level are filled, found and proved', () => {
  const hashes = Array.from({ length: 65_536 + 300 }, (_, index) => leaves[index % 1000] ?? new Uint8Array(0))
  const large = grow(hashes, [70, 65_000, hashes.length])
  const size = hashes.length
  expect(listPartialTiles(size).map((tile) => formatTilePath(tile))).toEqual([
    'tile/0/257.p/44',
    'tile/1/001.p/1',
    'tile/2/000.p/1',
  ])
  const root = computeRoot(hashes)
  expect(computeEdgeRoot(large.edge)).toEqual(root)
  for (const index of [0, 69, 255, 256, 65_535, 65_536, size - 1]) {
    const needed = listInclusionTiles({ index, size })
    expect(needed.length).toBeLessThanOrEqual(6)
    const proof = buildInclusionProof({ index, size, tiles: select(large.tiles, needed) })
    const leafHash = hashes[index] ?? new Uint8Array(0)
    expect(verifyInclusion({ index, size, leafHash, proof, root })).toBe(true)
  }
})

test('a tree of 70,000 leaves has the partial tiles that the specification lists', () => {
  expect(listPartialTiles(70_000)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ])
  expect(listPartialTiles(256)).toEqual([{ level: 1, index: 0, width: 1 }])
})

test('tile paths have exactly one spelling', () => {
  expect(formatTilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067')
  expect(formatTilePath({ level: 'entries', index: 5, width: 17 })).toBe('tile/entries/005.p/17')
  for (const path of ['tile/0/x001/x234/067', 'tile/63/000.p/1', 'tile/entries/x123/456.p/255'])
    expect(formatTilePath(parseTilePath(path))).toBe(path)
  const malformed = [
    'tile/00/000',
    'tile/64/000',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
  ]
  for (const path of [...malformed, 'tile/0/1', '/tile/0/000', 'tile/0/000/', 'tile/0/x999/x999/x999/x999/x999/999'])
    expect(() => parseTilePath(path)).toThrow()
})

test('proofs outside the tree and missing tiles are refused', () => {
  expect(() => listInclusionTiles({ index: 5, size: 5 })).toThrow('outside')
  expect(() => listInclusionTiles({ index: 0, size: 2 ** 53 })).toThrow('range')
  expect(() => listConsistencyTiles({ size1: 6, size2: 5 })).toThrow('larger')
  expect(() => buildInclusionProof({ index: 0, size: 2, tiles: new Map() })).toThrow('missing')
})
