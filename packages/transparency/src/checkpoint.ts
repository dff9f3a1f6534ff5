// Checkpoints (c2sp.org/tlog-checkpoint): the signed size and root of a log.

import { fromBase64, parseSize, toBase64 } from './bytes.ts'
import { FormatError } from './format-error.ts'
import { hashLength, isTreeSize } from './merkle.ts'
import type { SigningKey } from './note-keys.ts'
import { formatNote, isNoteText, type NoteSignature, parseNote, signText } from './signed-note.ts'

export interface TreeHead {
  /** Identity of the log. */
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
  /** Lines after the root; Tern's log writes none. */
  readonly extensions?: readonly string[]
}

export interface Checkpoint extends Required<TreeHead> {
  /** The signed text, with its final newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const isLine = (line: string): boolean => line !== '' && !line.includes('\n') && isNoteText(line)

/** Formats the text that a log signs. */
export function formatTreeHead({ origin, size, root, extensions = [] }: TreeHead): string {
  if (!isLine(origin) || !extensions.every(isLine)) throw new RangeError('line of a checkpoint is invalid')
  if (!isTreeSize(size) || root.length !== hashLength) throw new RangeError('tree head is out of range')
  return [origin, String(size), toBase64(root), ...extensions].map((line) => `${line}\n`).join('')
}

export function parseTreeHead(text: string): Required<TreeHead> {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  if (rest.pop() !== '') throw new FormatError('checkpoint is cut off')
  if (![origin, ...rest].every(isLine)) throw new FormatError('line of a checkpoint is invalid')
  const head = { origin, size: parseSize(size), root: fromBase64(root), extensions: rest }
  if (head.root.length !== hashLength) throw new FormatError('root has a wrong length')
  return head
}

export function parseCheckpoint(note: string): Checkpoint {
  const { text, signatures } = parseNote(note)
  return { ...parseTreeHead(text), text, signatures }
}

export const formatCheckpoint = ({ text, signatures }: Pick<Checkpoint, 'text' | 'signatures'>): string =>
  formatNote({ text, signatures })

/** Signs a tree head with a log's key. Never sign two that are inconsistent: witnesses would publish the proof. */
export function signCheckpoint(head: TreeHead, key: SigningKey): Checkpoint {
  const text = formatTreeHead(head)
  return { ...parseTreeHead(text), text, signatures: [signText(text, key)] }
}
