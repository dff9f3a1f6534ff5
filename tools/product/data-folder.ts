// The supervisor's files in DATA_DIR: the running process, and generated secrets.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Startup failed; the message is one sentence for the user. */
export class StartError extends Error {}

interface Holder {
  pid: number
  startedAt: string
  url: string
  /** The sandbox's address, for commands run beside the product. */
  sandboxUrl?: string | undefined
}

/** Claims the data folder for one product. `afterCrash`: the previous holder did not release it. */
export function claimDataFolder(
  dataDir: string,
  { url, sandboxUrl }: Pick<Holder, 'url' | 'sandboxUrl'>,
): { afterCrash: boolean; release: () => void } {
  fs.mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, 'running.json')
  const afterCrash = fs.existsSync(file)
  if (afterCrash) {
    const holder = readHolder(file)
    if (holder !== undefined && holder.startedAt === startTimeOf(holder.pid)) {
      throw new StartError(
        `Tern is already running on ${dataDir} (process ${holder.pid}, ${holder.url}); set DATA_DIR for another one.`,
      )
    }
    fs.rmSync(file)
  }
  const holder: Holder = { pid: process.pid, startedAt: startTimeOf(process.pid) ?? '', url, sandboxUrl }
  try {
    fs.writeFileSync(file, JSON.stringify(holder), { flag: 'wx' })
  } catch {
    throw new StartError(`Tern is just being started on ${dataDir} by another process.`)
  }
  return { afterCrash, release: () => fs.rmSync(file, { force: true }) }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

/** Whether a process with this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

// Process ids are reused; with the start time they are unique.
function startTimeOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim() || undefined
  }
  try {
    const afterName = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    return afterName.split(' ')[19]
  } catch {
    return undefined
  }
}

/** The data folder's secrets, generated the first time; unused when the environment sets them. */
export function readSecrets(dataDir: string): { TERN_SECRET: string; SANDBOX_SECRET: string } {
  fs.mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, 'secrets.json')
  if (!fs.existsSync(file)) {
    const secrets = { TERN_SECRET: newSecret(), SANDBOX_SECRET: newSecret() }
    fs.writeFileSync(`${file}.new`, JSON.stringify(secrets), { mode: 0o600 })
    fs.renameSync(`${file}.new`, file)
  }
  return JSON.parse(fs.readFileSync(file, 'utf8')) as ReturnType<typeof readSecrets>
}

const newSecret = () => randomBytes(32).toString('base64url')
