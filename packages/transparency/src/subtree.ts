// Proofs about subtrees (draft-ietf-plants-merkle-tree-certs, section 4). Tern's log makes none; verifiers that accept
// witnesses' signatures over subtrees need them.

import { areEqual } from './bytes.ts'
import { emptyRoot, hashChildren, hashLength, type Inclusion, isTreeSize, verifyInclusion } from './merkle.ts'

/** The leaves from start up to, excluding, end, which a complete or right-edge node of some tree covers. */
export interface SubtreeRange {
  readonly start: number
  readonly end: number
}

function isSubtree({ start, end }: SubtreeRange): boolean {
  if (!isTreeSize(start) || !isTreeSize(end) || start > end) return false
  let span = 1
  while (span < end - start) span *= 2
  return start % span === 0
}

/** Verifies that a leaf is in a subtree; index is that of the whole tree, root the subtree's. */
export function verifySubtreeInclusion({
  start,
  end,
  index,
  ...proved
}: SubtreeRange & Omit<Inclusion, 'size'>): boolean {
  if (!isSubtree({ start, end }) || !isTreeSize(index) || index < start) return false
  return verifyInclusion({ ...proved, index: index - start, size: end - start })
}

export interface SubtreeConsistency extends SubtreeRange {
  readonly size: number
  readonly subtreeRoot: Uint8Array
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/** Verifies that a tree contains a subtree. */
export function verifySubtreeConsistency(proved: SubtreeConsistency): boolean {
  const { start, end, size, subtreeRoot, root, proof } = proved
  if (!isSubtree({ start, end }) || !isTreeSize(size) || end > size) return false
  if (start === end) return proof.length === 0 && areEqual(subtreeRoot, emptyRoot)
  if (start === 0 && end === size) return proof.length === 0 && areEqual(subtreeRoot, root)
  if ([subtreeRoot, root, ...proof].some(({ length }) => length !== hashLength)) return false
  return climb(proved)
}

/** Follows the path of the subtree's last leaf, at three indexes of one level: first and last of the subtree, last of the tree. */
function climb({ start, end, size, subtreeRoot, root, proof }: SubtreeConsistency): boolean {
  let first = start
  let node = end - 1
  let last = size - 1
  const rise = () => {
    first = Math.floor(first / 2)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  const isAtEdge = node === last
  while (first !== node && (isAtEdge || node % 2 === 1)) rise()
  const [seed, ...siblings] = first === node ? [subtreeRoot, ...proof] : proof
  if (seed === undefined) return false
  let subtreeHash = seed
  let hash = seed
  for (const sibling of siblings) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      if (first < node) subtreeHash = hashChildren(sibling, subtreeHash)
      hash = hashChildren(sibling, hash)
      while (node % 2 === 0 && node !== 0) rise()
    } else hash = hashChildren(hash, sibling)
    rise()
  }
  return last === 0 && areEqual(subtreeHash, subtreeRoot) && areEqual(hash, root)
}
