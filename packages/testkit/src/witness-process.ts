// A witness as a process of its own.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '@tern/transparency/note-keys'

const program = fileURLToPath(new URL('../../witness/bin/witness.mjs', import.meta.url))

export const callWitness = (args: readonly string[]) =>
  spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })

/** Makes the folder of a witness of the given logs. */
export function createWitnessFolder(logs: readonly VerifierKey[], name = 'witness.example/w1'): string {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tern-witness-')), 'w')
  const { status, stderr } = callWitness(['create', folder, '--name', name])
  if (status !== 0) throw new Error(stderr)
  addLogs(folder, logs)
  return folder
}

/** Adds logs to a witness, which reads them when it starts. */
export const addLogs = (folder: string, logs: readonly VerifierKey[]): void =>
  fs.appendFileSync(path.join(folder, 'logs'), logs.map((key) => `${formatVerifierKey(key)}\n`).join(''))

/** Reads the public key of a witness. */
export const readWitnessKey = (folder: string): VerifierKey =>
  parseVerifierKey(callWitness(['show', folder]).stdout.split('\n')[0] ?? '')

export interface WitnessProcess {
  readonly child: ChildProcess
  readonly url: string
}

/** Starts a witness, by default on a free port, and waits until it listens. */
export async function startWitness(folder: string, port = 0): Promise<WitnessProcess> {
  const child = spawn(process.execPath, [program, 'serve', folder, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const started = once(createInterface(child.stdout), 'line') as Promise<[string]>
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`witness ended with code ${code}`)
  })
  const [line] = await Promise.race([started, ended])
  ended.catch(() => {})
  return { child, url: line.replace(/^.* listens on /, '') }
}

/** Ends a witness with a signal; returns its exit code, or null if the signal ended it. */
export async function endWitness({ child }: WitnessProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit') as Promise<[number | null]>
  child.kill(signal)
  const [code] = await exited
  return code
}

export interface WitnessAnswer {
  readonly status: number
  readonly body: string
  readonly type: string | null
}

export async function addCheckpoint(url: string, body: string): Promise<WitnessAnswer> {
  const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
  return { status: response.status, body: await response.text(), type: response.headers.get('content-type') }
}
