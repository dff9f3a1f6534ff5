// Merkle-sum trees: the hash of a node binds the hash and the sums of each child, so a root cannot state less than the
// balances below it. Trees are complete: they have 2^depth leaves, and leaves without an owner fill them up.

import { formatNumber, formatText } from '../byte-format.ts'
import { concat, encodeUtf8 } from '../bytes.ts'
import { hashBytes, hashLength } from '../merkle.ts'
import { isDay, saltLength } from '../posting-leaf.ts'
import { addSums, formatSums, type Sums } from './sums.ts'

export const largestDepth = 40

const holderDomain = encodeUtf8('tern balance holder v1\n')
const saltDomain = encodeUtf8('tern balance salt v1\n')
const leafDomain = encodeUtf8('tern balance leaf v1\n')
const nodeDomain = encodeUtf8('tern balance node v1\n')
const rootDomain = encodeUtf8('tern liabilities v1\n')

export interface SumNode {
  readonly hash: Uint8Array
  readonly sums: Sums
}

/** Derives the salt of a holder's leaf from the secret seed of the tree. */
export function deriveSalt(seed: Uint8Array, holder: string): Uint8Array {
  return hashBytes(concat(saltDomain, seed, formatText(holder)))
}

/** Commits to the account number of a holder, so that one leaf cannot be shown to two holders. */
export function commitHolder({ holder, salt }: { readonly holder: string; readonly salt: Uint8Array }): Uint8Array {
  if (salt.length !== saltLength) throw new RangeError('salt has a wrong length')
  return hashBytes(concat(holderDomain, salt, formatText(holder)))
}

export function buildLeaf(commitment: Uint8Array, sums: Sums): SumNode {
  if (commitment.length !== hashLength) throw new RangeError('commitment has a wrong length')
  return { hash: hashBytes(concat(leafDomain, commitment, formatSums(sums))), sums }
}

export const formatNode = ({ hash, sums }: SumNode): Uint8Array => concat(hash, formatSums(sums))

export function joinNodes(left: SumNode, right: SumNode): SumNode {
  return {
    hash: hashBytes(concat(nodeDomain, formatNode(left), formatNode(right))),
    sums: addSums(left.sums, right.sums),
  }
}

/** Computes the root above nodes of one level; their count is a power of two. */
export function joinAll(nodes: readonly SumNode[]): SumNode {
  let level = nodes
  while (level.length > 1) level = joinPairs(level)
  const [root] = level
  if (root === undefined) throw new RangeError('a tree has at least one leaf')
  return root
}

function joinPairs(level: readonly SumNode[]): SumNode[] {
  if (level.length % 2 === 1) throw new RangeError('the number of nodes is no power of two')
  return Array.from({ length: level.length / 2 }, (_, place) => {
    const [left, right] = [level[2 * place], level[2 * place + 1]]
    if (left === undefined || right === undefined) throw new RangeError('a node is missing')
    return joinNodes(left, right)
  })
}

/** Returns the siblings of a node from its own level up to the children of the root. */
export function listSiblings(nodes: readonly SumNode[], position: number): SumNode[] {
  const siblings: SumNode[] = []
  let level = nodes
  for (let place = position; level.length > 1; place = Math.floor(place / 2)) {
    const sibling = level[place % 2 === 0 ? place + 1 : place - 1]
    if (sibling === undefined) throw new RangeError('position is outside the tree')
    siblings.push(sibling)
    level = joinPairs(level)
  }
  return siblings
}

/** Recomputes the root from a leaf and its siblings. */
export function climb(
  leaf: SumNode,
  { position, siblings }: { position: number; siblings: readonly SumNode[] },
): SumNode {
  let node = leaf
  let place = position
  for (const sibling of siblings) {
    node = place % 2 === 0 ? joinNodes(node, sibling) : joinNodes(sibling, node)
    place = Math.floor(place / 2)
  }
  return node
}

export interface SumRoot {
  /** Date in UTC at whose end the balances were these. */
  readonly day: string
  readonly depth: number
  readonly root: SumNode
}

/** Digest of a whole tree: its day, its depth, and its root with the sums. */
export function commitRoot({ day, depth, root }: SumRoot): Uint8Array {
  if (!isDay(day)) throw new RangeError('day is no date')
  if (depth > largestDepth) throw new RangeError('tree is too deep')
  return hashBytes(concat(rootDomain, encodeUtf8(day), formatNumber(depth, 1), formatNode(root)))
}
