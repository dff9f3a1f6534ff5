// Merkle trees of RFC 6962 and RFC 9162 with SHA-256. Sizes and indexes are whole numbers below 2^53; others are
// refused. A verification returns false for anything that is not exactly one valid proof.

import { sha256 } from '@noble/hashes/sha2.js'
import { areEqual } from './bytes.ts'

export const hashLength = 32

export const hashBytes = (bytes: Uint8Array): Uint8Array => sha256(bytes)

export function hashLeaf(data: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + data.length)
  input.set(data, 1)
  return sha256(input)
}

export function hashChildren(left: Uint8Array, right: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + left.length + right.length)
  input[0] = 1
  input.set(left, 1)
  input.set(right, 1 + left.length)
  return sha256(input)
}

export const emptyRoot: Uint8Array = sha256(new Uint8Array(0))

export const isTreeSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0

/** Largest power of two below a size of at least 2: the number of leaves left of the root. */
export function splitSize(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** Computes the root of a tree from the hashes of its leaves. */
export function computeRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  const [first] = leafHashes
  if (first === undefined) return emptyRoot
  if (leafHashes.length === 1) return first
  const split = splitSize(leafHashes.length)
  return hashChildren(computeRoot(leafHashes.slice(0, split)), computeRoot(leafHashes.slice(split)))
}

const areHashes = (hashes: readonly Uint8Array[]): boolean => hashes.every((hash) => hash.length === hashLength)

const half = (value: number): number => Math.floor(value / 2)
const isOdd = (value: number): boolean => value % 2 === 1

export interface Inclusion {
  readonly index: number
  readonly size: number
  readonly leafHash: Uint8Array
  /** Siblings from the leaf up to the root's child. */
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
}

/** Verifies that a leaf is at an index of the tree with a given root (RFC 9162, section 2.1.3.2). */
export function verifyInclusion({ index, size, leafHash, proof, root }: Inclusion): boolean {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size) return false
  if (!areHashes([leafHash, root, ...proof])) return false
  let node = index
  let last = size - 1
  let hash = leafHash
  for (const sibling of proof) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      hash = hashChildren(sibling, hash)
      while (!isOdd(node) && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else hash = hashChildren(hash, sibling)
    node = half(node)
    last = half(last)
  }
  return last === 0 && areEqual(hash, root)
}

export interface Consistency {
  readonly size1: number
  readonly size2: number
  readonly root1: Uint8Array
  readonly root2: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/**
 * Verifies that a tree of size2 begins with the tree of size1 (RFC 9162, section 2.1.4.2). Trees of one size are
 * consistent if their roots are equal and the proof is empty. An empty first tree proves nothing and is refused.
 */
export function verifyConsistency({ size1, size2, root1, root2, proof }: Consistency): boolean {
  if (!isTreeSize(size1) || !isTreeSize(size2) || size1 === 0 || size1 > size2) return false
  if (size1 === size2) return proof.length === 0 && areEqual(root1, root2)
  if (!areHashes([root1, root2, ...proof])) return false
  let node = size1 - 1
  let last = size2 - 1
  while (isOdd(node)) {
    node = half(node)
    last = half(last)
  }
  // The first tree is one of the second tree's complete subtrees if it is a power of two; its root then starts the path.
  const path = node === 0 ? [root1, ...proof] : proof
  const [seed, ...siblings] = path
  if (seed === undefined) return false
  let hash1 = seed
  let hash2 = seed
  for (const sibling of siblings) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      hash1 = hashChildren(sibling, hash1)
      hash2 = hashChildren(sibling, hash2)
      while (!isOdd(node) && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else hash2 = hashChildren(hash2, sibling)
    node = half(node)
    last = half(last)
  }
  return last === 0 && areEqual(hash1, root1) && areEqual(hash2, root2)
}
