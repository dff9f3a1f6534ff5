// Proof that a holder's balances are in a tree of liabilities, and what it discloses.

import {
  type ByteReader,
  formatNumber,
  formatText,
  readByte,
  readBytes,
  readSize,
  readText,
  requireEnd,
} from '../byte-format.ts'
import { concat, decodeUtf8, encodeUtf8 } from '../bytes.ts'
import { FormatError } from '../format-error.ts'
import { hashLength } from '../merkle.ts'
import { isDay, saltLength } from '../posting-leaf.ts'
import { buildLeaf, climb, commitHolder, formatNode, largestDepth, type SumNode, type SumRoot } from './sum-tree.ts'
import { formatSums, readSums, type Sums } from './sums.ts'

export interface BalanceProof {
  /** Date in UTC at whose end the balances were these. */
  readonly day: string
  /** Account number of the holder. */
  readonly holder: string
  readonly salt: Uint8Array
  /** Available money and money on hold, together. */
  readonly balances: Sums
  /** Place of the leaf, from 0. */
  readonly position: number
  /** Siblings from the leaf up to the children of the root; their number is the tree's depth. */
  readonly siblings: readonly SumNode[]
}

const version = 1

export function formatBalanceProof({ day, holder, salt, balances, position, siblings }: BalanceProof): Uint8Array {
  if (!isDay(day)) throw new RangeError('day is no date')
  return concat(
    formatNumber(version, 1),
    encodeUtf8(day),
    formatText(holder),
    salt,
    formatSums(balances),
    formatNumber(position, 8),
    formatNumber(siblings.length, 1),
    ...siblings.map((sibling) => formatNode(sibling)),
  )
}

/** Decodes a proof; refuses every spelling other than that of formatBalanceProof. */
export function parseBalanceProof(bytes: Uint8Array): BalanceProof {
  const reader: ByteReader = { bytes, at: 0 }
  if (readByte(reader) !== version) throw new FormatError('version of the proof is unknown')
  const day = decodeUtf8(readBytes(reader, 10))
  if (!isDay(day)) throw new FormatError('day is no date')
  const holder = readText(reader)
  if (!/^[!-~]{1,64}$/.test(holder)) throw new FormatError('holder is no account number')
  const salt = readBytes(reader, saltLength)
  const balances = readSums(reader)
  const position = readSize(reader)
  const depth = readByte(reader)
  if (depth > largestDepth || position >= 2 ** depth) throw new FormatError('position is outside the tree')
  const siblings = Array.from({ length: depth }, () => readNode(reader))
  requireEnd(reader)
  return { day, holder, salt, balances, position, siblings }
}

const readNode = (reader: ByteReader): SumNode => ({ hash: readBytes(reader, hashLength), sums: readSums(reader) })

/** Recomputes the tree's root from what a proof discloses. Throws FormatError if the sums of its nodes do not add up. */
export function computeProofRoot({ day, holder, salt, balances, position, siblings }: BalanceProof): SumRoot {
  const leaf = buildLeaf(commitHolder({ holder, salt }), balances)
  return { day, depth: siblings.length, root: addUp(leaf, position, siblings) }
}

function addUp(leaf: SumNode, position: number, siblings: readonly SumNode[]): SumNode {
  try {
    return climb(leaf, { position, siblings })
  } catch (error) {
    if (error instanceof RangeError) throw new FormatError(error.message)
    throw error
  }
}
