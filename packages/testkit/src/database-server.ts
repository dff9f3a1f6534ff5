// Vitest's global setup: one PostgreSQL server for the whole run, with a migrated template database, of which each test
// file gets a copy. DATABASE_URL names an external server, on which the user may create databases and roles; otherwise
// the bundled server is started.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '@tern/server/platform/database/embedded-postgres'
import { migrate } from '@tern/server/commands/migrate/migrate'
import { testLogFile } from './secrets.ts'
import { isAlive } from '../../../tools/product/data-folder.ts'
import { temporaryFolder, temporaryFolders } from './temporary-folder.ts'
import { runOnce, withDatabase, replaceHost, replaceUser } from './database.ts'

const folderPattern = /^tern-(?:test|product)-(\d+)-/

// Test databases are disposable, so their writes need not survive a crash.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
  max_connections: '1000',
  max_wal_size: '512MB',
  min_wal_size: '64MB',
  // Clients derive a key from the password for each connection; with 4,096 iterations, this takes longer than the
  // statements of many tests.
  scram_iterations: '1',
  // In the data folder of the database. Sockets take half the CPU time of TCP.
  unix_socket_directories: '.',
}

/** Operating systems limit the length of a socket's path. */
const maxSocketPathLength = 80

/** Starts or prepares the server; returns the function that removes everything. */
export default async function startDatabaseServer(): Promise<() => Promise<void>> {
  const outsideUrl = process.env.DATABASE_URL
  const server = outsideUrl === undefined ? await startTemporaryServer() : { url: outsideUrl, remove: async () => {} }
  const template = `tern_test_${randomBytes(4).toString('hex')}`
  await runOnce(server.url, `create database ${template}`)
  const applicationRole = `${template}_app`
  const password = randomBytes(18).toString('base64url')
  await runOnce(server.url, `create role ${applicationRole} login password '${password}'`)
  await migrate(withDatabase(server.url, template), { applicationRole })
  process.env.TEST_DATABASE_URL = server.url
  process.env.TEST_DATABASE_TEMPLATE = template
  process.env.TEST_APPLICATION_URL = replaceUser(server.url, applicationRole, password)
  return async () => {
    const databases = await runOnce(server.url, `select datname from pg_database where datname like '${template}%'`)
    for (const { datname } of databases)
      await runOnce(server.url, `drop database if exists ${String(datname)} with (force)`)
    await runOnce(server.url, `drop role ${applicationRole}`)
    await server.remove()
  }
}

async function startTemporaryServer(): Promise<{ url: string; remove: () => Promise<void> }> {
  await removeAbandoned()
  const dataDir = createDataFolder('test')
  const { url, directory } = await startEmbeddedPostgres({ dataDir, settings })
  await storePasswordCheaply(url)
  return {
    url: directory.length < maxSocketPathLength ? replaceHost(url, directory) : url,
    async remove() {
      storeLogs(dataDir)
      await removeDataFolder(dataDir)
    },
  }
}

/** Hashes the owner's password again, with the low number of iterations that is now set. */
async function storePasswordCheaply(url: string): Promise<void> {
  const { username, password } = new URL(url)
  await runOnce(url, `alter role ${username} password '${decodeURIComponent(password)}'`)
}

export function createDataFolder(kind: 'test' | 'product'): string {
  const dataDir = fs.mkdtempSync(path.join(temporaryFolder(), `tern-${kind}-${process.pid}-`))
  // When run as root, the database server runs under another account, which needs access to this folder.
  fs.chmodSync(dataDir, 0o755)
  return dataDir
}

/** Stops the servers of earlier runs that were killed before their cleanup. */
async function removeAbandoned(): Promise<void> {
  const candidateFolders = temporaryFolders.flatMap((folder) =>
    fs.readdirSync(folder).map((name) => path.join(folder, name)),
  )
  for (const dataDir of candidateFolders) {
    const pid = folderPattern.exec(path.basename(dataDir))?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    // Another run may have removed the folder in the meantime.
    if (fs.statSync(dataDir, { throwIfNoEntry: false })?.uid === process.getuid?.()) await removeDataFolder(dataDir)
  }
}

/** Copies the logs in a data folder to the collected logs of the run. */
export function storeLogs(dataDir: string): void {
  for (const folder of [dataDir, path.join(dataDir, 'logs')]) {
    if (!fs.existsSync(folder)) continue
    for (const file of fs.readdirSync(folder).filter((name) => /\.log(\.\d)?$/.test(name))) {
      const copy = testLogFile(file)
      if (copy !== undefined) fs.copyFileSync(path.join(folder, file), copy)
    }
  }
}

/** Stops the database server of a data folder and deletes the folder. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  await removeEmbeddedPostgres(dataDir)
  fs.rmSync(dataDir, { recursive: true, force: true })
}
