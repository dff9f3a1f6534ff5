// A tree of liabilities from fixed seeds, and proofs of its balances in the log of sample-proof.ts.

import { compareBytes } from '../src/bytes.ts'
import { signCheckpoint } from '../src/checkpoint.ts'
import { buildLeaf, commitHolder, commitRoot, deriveSalt, joinAll, listSiblings } from '../src/liabilities/sum-tree.ts'
import { type Sums, toSums } from '../src/liabilities/sums.ts'
import type { LoggedBalanceProof } from '../src/liabilities/verify-balance.ts'
import { hashLeaf } from '../src/merkle.ts'
import { formatLiabilitiesLeaf } from '../src/posting-leaf.ts'
import { buildInclusionProof } from '../src/tiles.ts'
import { formatTilePath } from '../src/tile-paths.ts'
import { appendLeaves, computeEdgeRoot, emptyEdge, listEdgeTiles } from '../src/tree-edge.ts'
import { cosignSample, derive, logKey, witnessKeys } from './sample-proof.ts'

export const sampleDay = '2026-11-29'
const seed = derive('liabilities')

/** Account number of a sample holder. */
export const nameHolder = (number: number): string => String(1_000_000_000 + number)

export const sampleBalances = (number: number): Sums =>
  toSums([
    { currency: 'USD', scale: 2, minor: BigInt(number) * 1005n },
    { currency: 'EUR', scale: 2, minor: number % 2 === 0 ? 7n : 0n },
    { currency: 'ETH', scale: 18, minor: number === 3 ? 10n ** 21n : 0n },
  ])

/** Builds the tree of the holders with these balances, in 2^depth leaves. */
export function buildSampleTree(holders: ReadonlyMap<string, Sums>, depth = 3) {
  const padding = Array.from({ length: 2 ** depth - holders.size }, (_, number) => [`padding ${number}`, []] as const)
  const leaves = [...holders, ...padding]
    .map(([holder, balances]) => {
      const salt = deriveSalt(seed, holder)
      const commitment = commitHolder({ holder, salt })
      return { holder, balances, salt, commitment, node: buildLeaf(commitment, balances) }
    })
    .toSorted((a, b) => compareBytes(a.commitment, b.commitment))
  const nodes = leaves.map(({ node }) => node)
  return { leaves, nodes, depth, root: joinAll(nodes) }
}

export type SampleTree = ReturnType<typeof buildSampleTree>

export const sampleHolders: ReadonlyMap<string, Sums> = new Map(
  [1, 2, 3, 4, 5].map((number) => [nameHolder(number), sampleBalances(number)]),
)

/** Puts a tree into a log of ten entries, and proves the balances of a holder in it. */
export function proveSample(
  tree: Pick<SampleTree, 'leaves' | 'nodes' | 'depth' | 'root'>,
  holder: string,
): LoggedBalanceProof {
  const position = tree.leaves.findIndex((leaf) => leaf.holder === holder)
  const leaf = tree.leaves[position]
  if (leaf === undefined) throw new Error('the tree does not count this holder')
  const entry = formatLiabilitiesLeaf({ day: sampleDay, digest: commitRoot({ ...tree, day: sampleDay }) })
  const [index, size] = [6, 10]
  const leafHashes = Array.from({ length: size }, (_, place) =>
    place === index ? hashLeaf(entry) : derive(`leaf ${place}`),
  )
  const { edge, fullTiles } = appendLeaves(emptyEdge, leafHashes)
  const tiles = new Map([...fullTiles, ...listEdgeTiles(edge)].map((tile) => [formatTilePath(tile), tile.hashes]))
  const signed = signCheckpoint({ origin: logKey.name, size, root: computeEdgeRoot(edge) }, logKey)
  return {
    index,
    inclusion: buildInclusionProof({ index, size, tiles }),
    checkpoint: cosignSample(signed, witnessKeys),
    proof: {
      day: sampleDay,
      holder,
      salt: leaf.salt,
      balances: leaf.balances,
      position,
      siblings: listSiblings(tree.nodes, position),
    },
  }
}
