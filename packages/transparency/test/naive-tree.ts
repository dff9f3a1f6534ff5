// Trees by the recursive definitions of RFC 6962, to compare with.

import { computeRoot, hashLeaf, splitSize } from '../src/merkle.ts'

export const createLeafHashes = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => hashLeaf(new TextEncoder().encode(`leaf ${index}`)))

export function buildNaiveInclusion(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  if (leaves.length <= 1) return []
  const split = splitSize(leaves.length)
  return index < split
    ? [...buildNaiveInclusion(leaves.slice(0, split), index), computeRoot(leaves.slice(split))]
    : [...buildNaiveInclusion(leaves.slice(split), index - split), computeRoot(leaves.slice(0, split))]
}

export function buildNaiveConsistency(leaves: readonly Uint8Array[], size1: number, isWhole = true): Uint8Array[] {
  if (size1 === leaves.length) return isWhole ? [] : [computeRoot(leaves)]
  const split = splitSize(leaves.length)
  return size1 <= split
    ? [...buildNaiveConsistency(leaves.slice(0, split), size1, isWhole), computeRoot(leaves.slice(split))]
    : [...buildNaiveConsistency(leaves.slice(split), size1 - split, false), computeRoot(leaves.slice(0, split))]
}
