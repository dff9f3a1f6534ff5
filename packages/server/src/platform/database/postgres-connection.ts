// Connection data of the bundled database, stored in the data folder: directory, port and passwords.

import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { canReach, isRoot, makeSharedFolder, findOtherAccount, sharedFolder } from './postgres-account.ts'

/** Failure to start the bundled database; the message is for the operator. */
export class EmbeddedPostgresError extends Error {}

/** The role that owns the database. */
export const userName = 'tern'

/** Connection data in the file postgres.json of the data folder. */
export interface Connection {
  directory: string
  port: number
  password: string
  /** For the application role; missing in files of earlier versions. */
  applicationPassword?: string
  /** False until the folder has a database; missing in files of earlier versions, whose folders have one. */
  isCreated?: boolean
}

/** Returns the stored connection, if any. Throws EmbeddedPostgresError if it is damaged. */
export function readConnection(dataDir: string): Connection | undefined {
  const file = path.join(dataDir, 'postgres.json')
  if (!fs.existsSync(file)) return undefined
  const { directory, port, password, applicationPassword, isCreated } = parse(fs.readFileSync(file, 'utf8'))
  if (typeof directory !== 'string' || typeof port !== 'number' || typeof password !== 'string') {
    throw new EmbeddedPostgresError(
      `${file} is damaged: it must hold the database's folder, port and passwords; restore it from a backup.`,
    )
  }
  return {
    directory,
    port,
    password,
    ...(typeof applicationPassword === 'string' ? { applicationPassword } : {}),
    ...(isCreated === false ? { isCreated } : {}),
  }
}

function parse(text: string): Partial<Record<keyof Connection, unknown>> {
  try {
    return (JSON.parse(text) as Partial<Connection> | null) ?? {}
  } catch {
    return {}
  }
}

/** Entries of every database folder; in incomplete copies some are often missing or empty. */
const requiredEntries = ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal', 'postgresql.conf']

/**
 * Throws EmbeddedPostgresError if the database folder is missing or incomplete, so that no empty database replaces it.
 */
export function requireCompleteData(dataDir: string, { directory }: Connection): void {
  if (!fs.existsSync(directory)) {
    throw new EmbeddedPostgresError(
      `${directory} is missing, though ${path.join(dataDir, 'postgres.json')} belongs to the database in it; restore it from a backup, or delete ${dataDir} to start over.`,
    )
  }
  const missingEntry = requiredEntries.find((name) => {
    const fileStats = fs.statSync(path.join(directory, name), { throwIfNoEntry: false })
    return fileStats === undefined || (fileStats.isFile() && fileStats.size === 0)
  })
  if (missingEntry !== undefined) {
    throw new EmbeddedPostgresError(
      `The database in ${directory} is incomplete: ${missingEntry} is missing or empty. Restore ${dataDir} from a backup.`,
    )
  }
}

/** Stores the connection, readable only by its owner. */
export function writeConnection(dataDir: string, connection: Connection): void {
  const file = path.join(dataDir, 'postgres.json')
  fs.writeFileSync(`${file}.new`, JSON.stringify(connection), { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
}

/**
 * Returns a place and passwords for a new database. Throws EmbeddedPostgresError if a database exists without its
 * passwords.
 */
export function newConnection(dataDir: string, port: number, log: (sentence: string) => void): Connection {
  let home = dataDir
  if (isRoot() && !canReach(findOtherAccount(), dataDir)) {
    home = path.join(sharedFolder, createHash('sha256').update(dataDir).digest('hex').slice(0, 12))
    makeSharedFolder(home)
    log(`PostgreSQL does not run as root, and no other account can reach ${dataDir}: the database is kept in ${home}.`)
  }
  const directory = path.join(home, 'postgres')
  if (fs.existsSync(directory)) {
    throw new EmbeddedPostgresError(
      `${directory} holds a database, but postgres.json with its password is missing from ${dataDir}.`,
    )
  }
  return { directory, port, password: newPassword(), isCreated: false }
}

/** Replaces PostgreSQL's message about a full or read-only disk with a sentence; returns other messages unchanged. */
export function describeStartFault(directory: string, output: string): string {
  if (output.includes('No space left on device')) {
    return `The disk that holds ${directory} is full; free some space, then start again.`
  }
  return output.includes('Read-only file system')
    ? `${directory} is on a read-only disk; make it writable, then start again.`
    : output
}

export const newPassword = () => randomBytes(24).toString('base64url')

export function buildUrl({ password, port }: Connection, database: string, user = userName): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
}
