// Files with the extension .tlog-proof (c2sp.org/tlog-proof).

import { fromBase64, parseSize, toBase64 } from './bytes.ts'
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { FormatError } from './format-error.ts'
import { hashLength, isTreeSize } from './merkle.ts'

export interface LogProof {
  readonly index: number
  /** Siblings from the leaf up to the root's child. */
  readonly inclusion: readonly Uint8Array[]
  readonly checkpoint: Checkpoint
  /** Data of the application; authenticated only by what it does with it. */
  readonly extra?: Uint8Array
}

const firstLine = 'c2sp.org/tlog-proof@v1'
/** A tree of less than 2^63 leaves has no longer proofs. */
export const longestInclusion = 63

export function formatLogProof({ index, inclusion, checkpoint, extra }: LogProof): string {
  if (!isTreeSize(index)) throw new RangeError('index is out of range')
  const lines = [
    firstLine,
    ...(extra === undefined ? [] : [`extra ${toBase64(extra)}`]),
    `index ${index}`,
    ...inclusion.map((hash) => toBase64(hash)),
  ]
  return `${lines.join('\n')}\n\n${formatCheckpoint(checkpoint)}`
}

export function parseLogProof(text: string): LogProof {
  const end = text.indexOf('\n\n')
  if (end === -1) throw new FormatError('proof is cut off')
  const [first, ...lines] = text.slice(0, end).split('\n')
  if (first !== firstLine) throw new FormatError('file is no proof of a transparency log')
  const extra = lines[0]?.startsWith('extra ') === true ? lines.shift()?.slice('extra '.length) : undefined
  const index = lines.shift()
  if (index?.startsWith('index ') !== true) throw new FormatError('proof has no index')
  const inclusion = lines.map((line) => fromBase64(line))
  if (inclusion.length > longestInclusion || inclusion.some(({ length }) => length !== hashLength))
    throw new FormatError('inclusion proof is malformed')
  return {
    index: parseSize(index.slice('index '.length)),
    inclusion,
    checkpoint: parseCheckpoint(text.slice(end + 2)),
    ...(extra === undefined ? {} : { extra: fromBase64(extra) }),
  }
}
