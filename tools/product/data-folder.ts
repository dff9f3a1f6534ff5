// Files of the supervisor in DATA_DIR: a record of the running process, and generated secrets.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Startup failure, printed as its message without a stack trace. */
export class StartError extends Error {}

interface Holder {
  pid: number
  startedAt: string
  url: string
  /** Address of the sandbox, for commands run while the product is running. */
  sandboxUrl?: string | undefined
}

const diskFaults: Readonly<Record<string, (dataDir: string) => string>> = {
  EROFS: (dataDir) => `${dataDir} is on a read-only disk; make it writable, or set DATA_DIR to another folder.`,
  EACCES: (dataDir) =>
    `This account may not write to ${dataDir}; give it the right, or set DATA_DIR to another folder.`,
  EPERM: (dataDir) => `This account may not write to ${dataDir}; give it the right, or set DATA_DIR to another folder.`,
  ENOSPC: (dataDir) => `The disk that holds ${dataDir} is full; free some space, then start again.`,
  EDQUOT: (dataDir) => `The disk quota for ${dataDir} is used up; free some space, then start again.`,
  EIO: (dataDir) => `The disk that holds ${dataDir} reports errors; check it, then restore ${dataDir} from a backup.`,
  ENOTDIR: (dataDir) => `${dataDir} is not a folder; set DATA_DIR to one.`,
  EEXIST: (dataDir) => `${dataDir} is not a folder; set DATA_DIR to one.`,
}

/** Converts a file system error to a StartError with advice for the operator; returns other errors unchanged. */
export function describeError(error: unknown, dataDir: string): unknown {
  if (error instanceof StartError || !(error instanceof Error)) return error
  const code = 'code' in error && 'syscall' in error ? String(error.code) : ''
  const sentence = diskFaults[code]?.(dataDir)
  return sentence === undefined ? error : new StartError(sentence, { cause: error })
}

/** Claims the data folder. Throws StartError if it is in use. `isAfterCrash`: the previous claim was not released. */
export function claimDataFolder(
  dataDir: string,
  { url, sandboxUrl }: Pick<Holder, 'url' | 'sandboxUrl'>,
): { isAfterCrash: boolean; release: () => void } {
  fs.mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, 'running.json')
  const isAfterCrash = fs.existsSync(file)
  if (isAfterCrash) {
    const holder = readJson(file) as Holder | null | undefined
    if (holder && holder.startedAt === readStartTime(holder.pid)) {
      throw new StartError(
        `Tern is already running on ${dataDir} (process ${holder.pid}, ${holder.url}); set DATA_DIR for another one.`,
      )
    }
    fs.rmSync(file)
  }
  const holder: Holder = { pid: process.pid, startedAt: readStartTime(process.pid) ?? '', url, sandboxUrl }
  try {
    fs.writeFileSync(file, JSON.stringify(holder), { flag: 'wx' })
  } catch {
    throw new StartError(`Tern is just being started on ${dataDir} by another process.`)
  }
  return { isAfterCrash, release: () => fs.rmSync(file, { force: true }) }
}

/** Returns the content of a JSON file; undefined if unreadable. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

// Process ids are reused; together with the start time they are unique.
function readStartTime(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim() || undefined
  }
  try {
    const statFields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    return statFields.split(' ')[19]
  } catch {
    return undefined
  }
}

/**
 * Returns the secrets stored in the data folder, generated on first use. Throws StartError if they are damaged, or
 * missing although the folder's database has data sealed with them.
 */
export function readSecrets(dataDir: string): Readonly<Record<string, string>> {
  fs.mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, 'secrets.json')
  if (!fs.existsSync(file)) {
    if (fs.existsSync(path.join(dataDir, 'postgres.json'))) {
      throw new StartError(
        `${file} is missing, though ${dataDir} holds a database whose sealed data only its secrets can open; restore it from a backup, or set TERN_SECRET and SANDBOX_SECRET.`,
      )
    }
    const secrets = { TERN_SECRET: newSecret(), SANDBOX_SECRET: newSecret() }
    fs.writeFileSync(`${file}.new`, JSON.stringify(secrets), { mode: 0o600 })
    fs.renameSync(`${file}.new`, file)
  }
  const secrets = readJson(file) as Partial<Record<string, unknown>> | null | undefined
  const { TERN_SECRET, SANDBOX_SECRET } = secrets ?? {}
  if (typeof TERN_SECRET !== 'string' || typeof SANDBOX_SECRET !== 'string') {
    throw new StartError(
      `${file} is damaged: it must be a JSON object with TERN_SECRET and SANDBOX_SECRET; restore it from a backup.`,
    )
  }
  // TERN_OLD_SECRET is stored with them while TERN_SECRET is being replaced.
  const oldSecrets = Object.entries(secrets ?? {}).filter(([name]) => /^TERN_OLD_SECRET(_\d+)?$/.test(name))
  return { ...(Object.fromEntries(oldSecrets) as Record<string, string>), TERN_SECRET, SANDBOX_SECRET }
}

const newSecret = () => randomBytes(32).toString('base64url')
