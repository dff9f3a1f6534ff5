// Folder of a witness: `key`, its private key; `logs`, the keys of the logs that it watches; `state`; and `lock`.

import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  formatSigningKey,
  generateSigningKey,
  parseSigningKey,
  parseVerifierKey,
  type SigningKey,
  type VerifierKey,
} from '@tern/transparency/note-keys'
import { createState } from './state-file.ts'

const logsHeader = `# Keys of the logs that this witness cosigns, one on each line: <origin>+<id>+<key>
`

/** Makes the folder of a new witness; refuses a folder that has a key. */
export function createFolder(folder: string, { name }: { readonly name: string }): SigningKey {
  const key = generateSigningKey({ name, type: 4 })
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  fs.writeFileSync(path.join(folder, 'key'), `${formatSigningKey(key)}\n`, { flag: 'wx', mode: 0o600 })
  fs.writeFileSync(path.join(folder, 'logs'), logsHeader, { flag: 'wx' })
  createState(folder)
  return key
}

export function readKey(folder: string): SigningKey {
  const key = parseSigningKey(fs.readFileSync(path.join(folder, 'key'), 'utf8').trim())
  if (key.type !== 4) throw new Error(`The key in ${folder} is no key of a witness.`)
  return key
}

export function readLogs(folder: string): VerifierKey[] {
  const lines = fs.readFileSync(path.join(folder, 'logs'), 'utf8').split('\n')
  const keys = lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => parseVerifierKey(line))
  for (const { name, type } of keys) if (type !== 1) throw new Error(`The key of ${name} is no key of a log.`)
  return keys
}

/**
 * Holds the folder for this process. The operating system releases the lock when the process ends in any way, so no lock
 * is ever left over.
 */
export function lockFolder(folder: string): DatabaseSync {
  const lock = new DatabaseSync(path.join(folder, 'lock'))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    throw new Error(`Another witness uses ${folder}.`, { cause: error })
  }
  return lock
}
