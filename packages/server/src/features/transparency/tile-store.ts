// Tiles of the log's Merkle tree in the database: full ones for good, and those at the right edge of the current tree.

import { formatEntryBundle } from '@tern/transparency/entry-bundle'
import { hashLength } from '@tern/transparency/merkle'
import { formatTilePath, type Tile, tileWidth } from '@tern/transparency/tile-paths'
import type { HashTile, Tiles } from '@tern/transparency/tiles'
import { type FilledTile, type TreeEdge, listEdgeTiles } from '@tern/transparency/tree-edge'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { TransparencyEdgeRow, TransparencyTileRow } from './row-types.ts'

/** Reads the partial tiles of the current tree. */
export async function readEdge(db: Db, size: number): Promise<TreeEdge> {
  const { rows } = await db.query<Pick<TransparencyEdgeRow, 'hashes'>>(
    'select hashes from transparency_edge order by level',
  )
  return { size, levels: rows.map(({ hashes }) => new Uint8Array(hashes)) }
}

/** Stores a grown tree: its size, its full tiles and its new edge. */
export async function storeGrowth(
  tx: Tx,
  { edge, fullTiles }: { readonly edge: TreeEdge; readonly fullTiles: readonly FilledTile[] },
): Promise<void> {
  await tx.query(
    `insert into transparency_tile (level, tile_index, hashes)
      select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])`,
    [
      fullTiles.map(({ level }) => level),
      fullTiles.map(({ index }) => index),
      fullTiles.map(({ hashes }) => Buffer.from(hashes)),
    ],
  )
  const places = new Map(listEdgeTiles(edge).map(({ level, index }) => [level, index]))
  await tx.query(
    `insert into transparency_edge (level, tile_index, hashes)
      select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])
      on conflict (level) do update set tile_index = excluded.tile_index, hashes = excluded.hashes`,
    [
      edge.levels.map((_, level) => level),
      edge.levels.map((_, level) => places.get(level) ?? 0),
      edge.levels.map((hashes) => Buffer.from(hashes)),
    ],
  )
  await tx.query('update transparency_position set size = $1', [edge.size])
}

/** Reads a tile as it is in every tree that contains it; undefined if the log is too small. */
async function readHashTile(db: Db, { level, index, width }: HashTile): Promise<Uint8Array | undefined> {
  const { rows } = await db.query<Pick<TransparencyTileRow, 'hashes'>>(
    `select hashes from transparency_tile where level = $1 and tile_index = $2
      union all select hashes from transparency_edge where level = $1 and tile_index = $2 and octet_length(hashes) >= $3
      limit 1`,
    [level, index, width * hashLength],
  )
  const [tile] = rows
  return tile && new Uint8Array(tile.hashes.subarray(0, width * hashLength))
}

/** Reads the entries of a bundle; undefined if the log is too small. */
async function readEntryBundle(db: Db, { index, width }: Tile): Promise<Uint8Array | undefined> {
  const first = index * tileWidth
  const { rows } = await db.query<{ data: Buffer }>(
    'select data from transparency_leaf where leaf_index >= $1 and leaf_index < $2 order by leaf_index',
    [first, first + width],
  )
  return rows.length === width ? formatEntryBundle(rows.map(({ data }) => new Uint8Array(data))) : undefined
}

/** Reads a tile or an entry bundle; undefined if the log is too small. */
export const readTile = (db: Db, tile: Tile): Promise<Uint8Array | undefined> =>
  tile.level === 'entries' ? readEntryBundle(db, tile) : readHashTile(db, { ...tile, level: tile.level })

/** A tile that a signed tree contains is not stored. */
export class MissingTileError extends Error {}

/** Loads tiles of the log, by path. Throws MissingTileError. */
export async function loadTiles(db: Db, wanted: readonly HashTile[]): Promise<Tiles> {
  const tiles = new Map<string, Uint8Array>()
  for (const tile of wanted) {
    const hashes = await readHashTile(db, tile)
    if (!hashes) throw new MissingTileError(`the log has no ${formatTilePath(tile)}`)
    tiles.set(formatTilePath(tile), hashes)
  }
  return tiles
}
