// State of a witness: the latest checkpoint that it cosigned for each log, in one file. The file ends with its own digest
// and every checkpoint carries the witness's signature, so damage is noticed, and nothing ever starts from zero again.

import fs from 'node:fs'
import path from 'node:path'
import { decodeUtf8, encodeUtf8, fromBase64, toBase64, toHex } from '@tern/transparency/bytes'
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@tern/transparency/checkpoint'
import { verifyCosignature } from '@tern/transparency/cosignature'
import { FormatError } from '@tern/transparency/format-error'
import { hashBytes } from '@tern/transparency/merkle'
import type { VerifierKey } from '@tern/transparency/note-keys'
import { isSignedBy } from '@tern/transparency/signed-note'

/** Latest cosigned checkpoint of each log, by origin. */
export type WitnessState = ReadonlyMap<string, Checkpoint>

const firstLine = 'tern witness state v1'
const fileName = 'state'

export function formatState(state: WitnessState): string {
  const lines = [firstLine, ...[...state.values()].map((each) => toBase64(encodeUtf8(formatCheckpoint(each))))]
  const content = lines.map((line) => `${line}\n`).join('')
  return `${content}sha256 ${toHex(hashBytes(encodeUtf8(content)))}\n`
}

export function parseState(text: string, key: VerifierKey): WitnessState {
  const [, content = '', digest = ''] = /^((?:.+\n)+)sha256 ([0-9a-f]{64})\n$/.exec(text) ?? []
  if (toHex(hashBytes(encodeUtf8(content))) !== digest) throw new FormatError('its digest is wrong')
  const [first, ...lines] = content.split('\n').slice(0, -1)
  if (first !== firstLine) throw new FormatError('its format is unknown')
  const state = new Map<string, Checkpoint>()
  for (const line of lines) {
    const checkpoint = parseCheckpoint(decodeUtf8(fromBase64(line)))
    const own = checkpoint.signatures.find((signature) => isSignedBy(signature, key))
    if (own === undefined || verifyCosignature(checkpoint.text, own, key) === undefined)
      throw new FormatError(`the checkpoint of ${checkpoint.origin} is not cosigned by this witness`)
    if (state.has(checkpoint.origin)) throw new FormatError(`${checkpoint.origin} is in it twice`)
    state.set(checkpoint.origin, checkpoint)
  }
  return state
}

/** Reads the state; a file that is missing or damaged is an error. */
export function readState(folder: string, key: VerifierKey): WitnessState {
  const file = path.join(folder, fileName)
  try {
    return parseState(decodeUtf8(fs.readFileSync(file)), key)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${file} cannot be trusted: ${reason}. Restore its latest content; never start without it.`, {
      cause: error,
    })
  }
}

/** Replaces the state atomically; returns once it is on disk. */
export function writeState(folder: string, state: WitnessState): void {
  const file = path.join(folder, fileName)
  writeDurably(`${file}.new`, formatState(state))
  fs.renameSync(`${file}.new`, file)
  syncFolder(folder)
}

/** Writes the file of a new witness; refuses to replace one. */
export function createState(folder: string): void {
  writeDurably(path.join(folder, fileName), formatState(new Map()), 'wx')
  syncFolder(folder)
}

function writeDurably(file: string, content: string, flag: 'w' | 'wx' = 'w'): void {
  const descriptor = fs.openSync(file, flag, 0o600)
  try {
    fs.writeFileSync(descriptor, content)
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Makes a renamed or new file of a folder survive a loss of power. */
function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
