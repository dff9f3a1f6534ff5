// Trees of a resolution pack: the one of all balances at its moment, with a proof for each holder, and the last one
// whose root is in the transparency log.

import { formatBalanceProof } from '@tern/transparency/liabilities/balance-proof'
import { deriveSalt, formatNode, joinAll, listSiblings, type SumNode } from '@tern/transparency/liabilities/sum-tree'
import { concat, encodeUtf8, toBase64, toHex } from '@tern/transparency/bytes'
import { formatNumber } from '@tern/transparency/byte-format'
import { formatLogProof } from '@tern/transparency/proof-file'
import { formatSums } from '@tern/transparency/liabilities/sums'
import { readRoot } from '../../features/liabilities/close-days.ts'
import { findLastDay } from '../../features/liabilities/prove-balances.ts'
import type { LiabilityDayRow, LiabilityTileRow } from '../../features/liabilities/row-types.ts'
import {
  findDepth,
  type OwedTile,
  readLeaves,
  readTiles,
  toNodes,
  type TreeInput,
} from '../../features/liabilities/sum-leaves.ts'
import { proveEntry, withoutQuorum } from '../../features/transparency/prove-entry.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type PackFolder, writePackFile } from './pack-folder.ts'

export const treeName = 'tree/leaves.csv'
export const rootName = 'tree/root.txt'

const leavesHead = 'commitment,sums\r\n'

const writeLeafLines = (leaves: Uint8Array): string =>
  readLeaves(leaves)
    .map(({ commitment, sums }) => `${toHex(commitment)},${toHex(formatSums(sums))}\r\n`)
    .join('')

interface PackTree extends TreeInput {
  /** Date in UTC of the last movement. */
  readonly day: string
}

/** Writes the tree of all balances and the proofs of all holders; returns the root. */
export async function writeTree(pack: PackFolder, tx: Tx, { day, ...input }: PackTree): Promise<SumNode> {
  const depth = await findDepth(tx, input)
  const nodes: SumNode[] = []
  async function* writeLeaves() {
    yield leavesHead
    for await (const tile of readTiles(tx, { ...input, depth })) {
      nodes.push(tile.node)
      yield writeLeafLines(tile.leaves)
    }
  }
  await writePackFile(pack, treeName, writeLeaves())
  const root = joinAll(nodes)
  const disclosed = concat(encodeUtf8(day), formatNumber(depth, 1), formatNode(root))
  await writePackFile(pack, rootName, [`${toBase64(disclosed)}\n`])
  for await (const tile of readTiles(tx, { ...input, depth })) {
    await writeProofs(pack, { tile, above: listSiblings(nodes, tile.tileIndex), day, seed: input.seed })
  }
  return root
}

interface TileProofs {
  readonly tile: OwedTile
  /** Siblings above the tile. */
  readonly above: readonly SumNode[]
  readonly day: string
  readonly seed: Uint8Array
}

async function writeProofs(pack: PackFolder, { tile, above, day, seed }: TileProofs): Promise<void> {
  const leaves = readLeaves(tile.leaves)
  const nodes = toNodes(leaves)
  for (const [place, userId] of tile.holders.entries()) {
    if (userId === null) continue
    const holder = userId.toString()
    const proof = formatBalanceProof({
      day,
      holder,
      salt: deriveSalt(seed, holder),
      balances: leaves[place]?.sums ?? [],
      position: tile.tileIndex * leaves.length + place,
      siblings: [...listSiblings(nodes, place), ...above],
    })
    await writePackFile(pack, `proofs/${holder.slice(0, 3)}/${holder}.txt`, [`${toBase64(proof)}\n`])
  }
}

/** Writes the last tree whose root is in the log, with the proof of that; returns its day, or undefined without one. */
export async function writeLoggedTree(pack: PackFolder, tx: Tx): Promise<string | undefined> {
  const closed = await findLastDay(tx)
  if (!closed || closed.leaf_index === null) return undefined
  const place = await proveEntry(withoutQuorum, tx, Number(closed.leaf_index)) // not money: a place in the log
  if (!place) return undefined
  const { day, depth } = closed
  const { rows } = await tx.query<Pick<LiabilityDayRow, 'day' | 'depth' | 'root_hash'>>(
    'select day, depth, root_hash from liability_day where day = $1',
    [day],
  )
  const [stored] = rows
  if (!stored) return undefined
  const extra = concat(encodeUtf8(day), formatNumber(depth, 1), formatNode(await readRoot(tx, stored)))
  await writePackFile(pack, 'logged/root.tlog-proof', [formatLogProof({ ...place, extra })])
  await writePackFile(pack, 'logged/leaves.csv', readLoggedLeaves(tx, day))
  return day
}

async function* readLoggedLeaves(tx: Tx, day: string): AsyncGenerator<string, void, undefined> {
  yield leavesHead
  for (let tileIndex = 0; ; tileIndex += 1) {
    const { rows } = await tx.query<Pick<LiabilityTileRow, 'leaves'>>(
      'select leaves from liability_tile where day = $1 and tile_index = $2',
      [day, tileIndex],
    )
    const [tile] = rows
    if (!tile) return
    yield writeLeafLines(new Uint8Array(tile.leaves))
  }
}
