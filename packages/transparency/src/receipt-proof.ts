// Proof of a receipt: one party's facts, disclosed, and their place in a log that signed them. It has two forms of equal
// content: a .tlog-proof file, and a short text for a QR code.

import {
  type ByteReader,
  formatCounted,
  formatNumber,
  formatText,
  readByte,
  readBytes,
  readCounted,
  readSize,
  readText,
  requireEnd,
} from './byte-format.ts'
import { concat, fromBase32, toBase32 } from './bytes.ts'
import { type Checkpoint, formatTreeHead, parseTreeHead } from './checkpoint.ts'
import { FormatError } from './format-error.ts'
import { hashLeaf, hashLength } from './merkle.ts'
import { isKeyName } from './note-keys.ts'
import { commitViewBytes, formatPostingLeaf, mostCommitments, saltLength } from './posting-leaf.ts'
import { formatLogProof, type LogProof, longestInclusion, parseLogProof } from './proof-file.ts'
import type { NoteSignature } from './signed-note.ts'
import { parseViewFacts, type ViewFacts } from './view-facts.ts'

/** Discloses one party's view in the leaf of a posting; the other commitments stay closed. */
export interface Disclosure {
  /** Canonical bytes of the facts. */
  readonly view: Uint8Array
  readonly salt: Uint8Array
  /** Number of the view's commitment in the leaf, from 1. */
  readonly position: number
  /** All other commitments of the leaf, in order. */
  readonly otherCommitments: readonly Uint8Array[]
}

export interface ReceiptProof extends Omit<LogProof, 'extra'> {
  readonly disclosure: Disclosure
}

const version = 1

const parseFacts = ({ view }: Disclosure): ViewFacts => parseViewFacts(view)

/** Facts that a proof states; true only if the proof is valid. */
export const readFacts = ({ disclosure }: ReceiptProof): ViewFacts => parseFacts(disclosure)

/** Hash of the leaf that a disclosure belongs to. */
export function hashDisclosedLeaf({ view, salt, position, otherCommitments }: Disclosure): Uint8Array {
  return hashLeaf(formatPostingLeaf(otherCommitments.toSpliced(position, 0, commitViewBytes(view, salt))))
}

export function formatDisclosure({ view, salt, position, otherCommitments }: Disclosure): Uint8Array {
  return concat(
    formatNumber(version, 1),
    formatNumber(otherCommitments.length + 1, 1),
    formatNumber(position, 1),
    salt,
    ...otherCommitments,
    view,
  )
}

export function parseDisclosure(bytes: Uint8Array): Disclosure {
  const reader: ByteReader = { bytes, at: 0 }
  if (readByte(reader) !== version) throw new FormatError('version of the disclosure is unknown')
  const count = readByte(reader)
  const position = readByte(reader)
  // Commitment 0 is the ledger's, never a view's.
  if (count > mostCommitments || position < 1 || position >= count)
    throw new FormatError('position is outside the leaf')
  const salt = readBytes(reader, saltLength)
  const otherCommitments = Array.from({ length: count - 1 }, () => readBytes(reader, hashLength))
  const disclosure = { view: bytes.slice(reader.at), salt, position, otherCommitments }
  parseFacts(disclosure)
  return disclosure
}

/** Formats a proof as the text of a .tlog-proof file. */
export const formatReceiptProof = ({ disclosure, ...proof }: ReceiptProof): string =>
  formatLogProof({ ...proof, extra: formatDisclosure(disclosure) })

export function parseReceiptProof(text: string): ReceiptProof {
  const { extra, ...proof } = parseLogProof(text)
  if (extra === undefined) throw new FormatError('proof discloses nothing')
  return { ...proof, disclosure: parseDisclosure(extra) }
}

/** Formats a proof as letters A–Z and digits 2–7, the fragment of the address in a QR code. */
export const formatCompactProof = (proof: ReceiptProof): string => toBase32(formatProofBytes(proof))

export const parseCompactProof = (text: string): ReceiptProof => parseProofBytes(fromBase32(text))

function formatProofBytes({ index, inclusion, checkpoint, disclosure }: ReceiptProof): Uint8Array {
  const { origin, size, root, extensions, signatures } = checkpoint
  return concat(
    formatNumber(version, 1),
    formatNumber(index, 8),
    formatNumber(size, 8),
    root,
    formatText(origin),
    formatNumber(extensions.length, 1),
    ...extensions.map((line) => formatText(line)),
    formatNumber(inclusion.length, 1),
    ...inclusion,
    formatNumber(signatures.length, 1),
    ...signatures.map(({ name, keyId, signature }) =>
      // The log's own name is usually the origin, and is then left out.
      concat(formatText(name === origin ? '' : name), keyId, formatCounted(signature)),
    ),
    formatDisclosure(disclosure),
  )
}

function parseProofBytes(bytes: Uint8Array): ReceiptProof {
  const reader: ByteReader = { bytes, at: 0 }
  if (readByte(reader) !== version) throw new FormatError('version of the proof is unknown')
  const index = readSize(reader)
  const size = readSize(reader)
  const root = readBytes(reader, hashLength)
  const origin = readText(reader)
  const extensions = Array.from({ length: readByte(reader) }, () => readText(reader))
  const inclusionLength = readByte(reader)
  if (inclusionLength > longestInclusion) throw new FormatError('inclusion proof is malformed')
  const inclusion = Array.from({ length: inclusionLength }, () => readBytes(reader, hashLength))
  const signatures = Array.from({ length: readByte(reader) }, () => readSignature(reader, origin))
  if (signatures.length === 0) throw new FormatError('proof has no signatures')
  const disclosure = parseDisclosure(readBytes(reader, bytes.length - reader.at))
  requireEnd(reader)
  return { index, inclusion, checkpoint: buildCheckpoint({ origin, size, root, extensions, signatures }), disclosure }
}

function readSignature(reader: ByteReader, origin: string): NoteSignature {
  const written = readText(reader)
  const name = written === '' ? origin : written
  if (written === origin || !isKeyName(name)) throw new FormatError('key name is invalid')
  const keyId = readBytes(reader, 4)
  const signature = readCounted(reader)
  if (signature.length === 0) throw new FormatError('signature is too short')
  return { name, keyId, signature }
}

function buildCheckpoint({ signatures, ...head }: Omit<Checkpoint, 'text'>): Checkpoint {
  try {
    const text = formatTreeHead(head)
    return { ...parseTreeHead(text), text, signatures }
  } catch (error) {
    if (error instanceof RangeError) throw new FormatError(error.message)
    throw error
  }
}
