// Leaves of a tree of liabilities, read from the ledger in the order of the tree, or stored.

import { type ByteReader, readBytes } from '@tern/transparency/byte-format'
import { concatAll } from '@tern/transparency/bytes'
import { buildLeaf, joinAll, type SumNode } from '@tern/transparency/liabilities/sum-tree'
import { readSums, type Sums } from '@tern/transparency/liabilities/sums'
import { hashLength } from '@tern/transparency/merkle'
import type { Tx } from '../../platform/database/db.ts'
import { countHoldersSql, leavesSql } from './owed-balances.ts'

/** Levels of a tile, and its number of leaves. */
export const tileDepth = 8
export const tileWidth = 2 ** tileDepth
const tilesPerRead = 8

export interface OwedLeaf {
  /** Commitment to the holder. */
  readonly commitment: Uint8Array
  readonly sums: Sums
}

/** Subtree of 256 leaves. */
export interface OwedTile {
  readonly tileIndex: number
  /** Stored leaves: the commitment and the sums of each. */
  readonly leaves: Uint8Array
  /** Holders of the leaves, in order; null for leaves without one. */
  readonly holders: readonly (bigint | null)[]
  readonly node: SumNode
}

export const toNodes = (leaves: readonly OwedLeaf[]): SumNode[] =>
  leaves.map(({ commitment, sums }) => buildLeaf(commitment, sums))

/** Reads the stored leaves of a tile. */
export function readLeaves(bytes: Uint8Array): OwedLeaf[] {
  const reader: ByteReader = { bytes, at: 0 }
  const leaves: OwedLeaf[] = []
  while (reader.at < bytes.length) leaves.push({ commitment: readBytes(reader, hashLength), sums: readSums(reader) })
  return leaves
}

export function readNode(bytes: Uint8Array): SumNode {
  const reader: ByteReader = { bytes, at: 0 }
  return { hash: readBytes(reader, hashLength), sums: readSums(reader) }
}

export interface TreeInput {
  /** First instant whose entries no longer count. */
  readonly at: Date
  readonly seed: Uint8Array
}

/**
 * Returns the depth of the tree of balances at a time: 256 leaves, or the next power of two that has room for all
 * holders. Throws if the ledger owes money to a wallet that nobody owns.
 */
export async function findDepth(tx: Tx, { at }: Pick<TreeInput, 'at'>): Promise<number> {
  const { rows } = await tx.query<{ count: bigint; unowned: bigint }>(countHoldersSql, [at])
  const [{ count, unowned } = { count: 0n, unowned: 0n }] = rows
  if (unowned > 0n) throw new Error('the ledger owes money to a wallet without an owner')
  let depth = tileDepth
  while (2n ** BigInt(depth) < count) depth += 1
  return depth
}

interface LeafRow {
  readonly user_id: bigint | null
  readonly commitment: Buffer
  readonly sums: Buffer
}

/**
 * Reads the tree of balances at a time, tile by tile, so that memory does not depend on the number of holders. The
 * transaction must see one state for all reads, as `repeatable read` does.
 */
export async function* readTiles(
  tx: Tx,
  { at, seed, depth }: TreeInput & { readonly depth: number },
): AsyncGenerator<OwedTile, void, undefined> {
  await tx.query(`declare owed_leaves no scroll cursor for ${leavesSql}`, [at, Buffer.from(seed), 2 ** depth])
  try {
    for (let tileIndex = 0; ;) {
      const { rows } = await tx.query<LeafRow>(`fetch ${tilesPerRead * tileWidth} from owed_leaves`)
      if (rows.length === 0) return
      for (let place = 0; place < rows.length; place += tileWidth) {
        yield buildTile(tileIndex, rows.slice(place, place + tileWidth))
        tileIndex += 1
      }
    }
  } finally {
    await tx.query('close owed_leaves')
  }
}

function buildTile(tileIndex: number, rows: readonly LeafRow[]): OwedTile {
  const leaves = new Uint8Array(concatAll(rows.flatMap(({ commitment, sums }) => [commitment, sums])))
  return {
    tileIndex,
    leaves,
    holders: rows.map((row) => row.user_id),
    node: joinAll(toNodes(readLeaves(leaves))),
  }
}
