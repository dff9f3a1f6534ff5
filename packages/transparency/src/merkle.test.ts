import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fromBase64 } from './bytes.ts'
import { verifyConsistency, verifyInclusion } from './merkle.ts'
import { verifySubtreeConsistency, verifySubtreeInclusion } from './subtree.ts'

type Vector = Readonly<Record<string, string>> & { readonly proof: string[] | null; readonly wantErr: boolean }

const load = (kind: string) =>
  JSON.parse(readFileSync(new URL(`../test/vectors/${kind}.json`, import.meta.url), 'utf8')) as Vector[]
const decode = (proof: readonly string[] | null) => (proof ?? []).map((hash) => fromBase64(hash))

test('all 98 inclusion vectors of transparency-dev/merkle have their verdict', () => {
  const vectors = load('inclusion')
  expect(vectors).toHaveLength(98)
  for (const { file, leafIdx, treeSize, root = '', leafHash = '', proof, wantErr } of vectors) {
    const verdict = verifyInclusion({
      index: Number(leafIdx),
      size: Number(treeSize),
      leafHash: fromBase64(leafHash),
      proof: decode(proof),
      root: fromBase64(root),
    })
    expect(verdict, file).toBe(!wantErr)
  }
})

test('all 98 consistency vectors of transparency-dev/merkle have their verdict', () => {
  const vectors = load('consistency')
  expect(vectors).toHaveLength(98)
  for (const { file, size1, size2, root1 = '', root2 = '', proof, wantErr } of vectors) {
    const verdict = verifyConsistency({
      size1: Number(size1),
      size2: Number(size2),
      root1: fromBase64(root1),
      root2: fromBase64(root2),
      proof: decode(proof),
    })
    expect(verdict, file).toBe(!wantErr)
  }
})

test('all 204 subtree inclusion vectors of transparency-dev/merkle have their verdict', () => {
  const vectors = load('subtree-inclusion')
  expect(vectors).toHaveLength(204)
  for (const { file, leafIdx, start, end, root = '', leafHash = '', proof, wantErr } of vectors) {
    const verdict = verifySubtreeInclusion({
      index: Number(leafIdx),
      start: Number(start),
      end: Number(end),
      leafHash: fromBase64(leafHash),
      proof: decode(proof),
      root: fromBase64(root),
    })
    expect(verdict, file).toBe(!wantErr)
  }
})

test('all 118 subtree consistency vectors of transparency-dev/merkle have their verdict', () => {
  const vectors = load('subtree-consistency')
  expect(vectors).toHaveLength(118)
  for (const { file, start, end, size, root1 = '', root2 = '', proof, wantErr } of vectors) {
    const verdict = verifySubtreeConsistency({
      start: Number(start),
      end: Number(end),
      size: Number(size),
      subtreeRoot: fromBase64(root1),
      root: fromBase64(root2),
      proof: decode(proof),
    })
    expect(verdict, file).toBe(!wantErr)
  }
})

test('sizes that JavaScript cannot represent exactly are refused', () => {
  const hash = new Uint8Array(32)
  for (const size of [2 ** 53, 1.5, -1, Number.NaN, Infinity]) {
    expect(verifyInclusion({ index: 0, size, leafHash: hash, proof: [], root: hash })).toBe(false)
    expect(verifyConsistency({ size1: size, size2: size, root1: hash, root2: hash, proof: [] })).toBe(false)
  }
})
