// Vitest's global setup: one PostgreSQL server for the whole run, holding a migrated template that each test file copies.
// DATABASE_URL names an outside server, on which databases and roles may be created; without it the one that comes along starts.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { migrate } from '../../packages/server/src/commands/migrate/migrate.ts'
import { testLogFile } from '../../packages/server/src/platform/keys/test-secrets.ts'
import { isAlive } from '../product/data-folder.ts'
import { temporaryFolder, temporaryFolders } from './folders/temporary-folder.ts'
import { runOnce, withDatabase, withHost, withUser } from './test-database.ts'

const ownFolder = /^tern-(?:test|product)-(\d+)-/

// A test database is thrown away, so its writes need not survive the machine.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
  max_connections: '1000',
  max_wal_size: '512MB',
  min_wal_size: '64MB',
  // Clients derive a key from the password at every connection; 4,096 iterations take longer than many a test's statements.
  scram_iterations: '1',
  // In the database's own folder. Sockets take half the CPU of TCP.
  unix_socket_directories: '.',
}

/** Operating systems take no longer names of sockets. */
const longestFolder = 80

/** Makes the server ready and gives the function that takes everything away again. */
export default async function setup(): Promise<() => Promise<void>> {
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
  process.env.TEST_APPLICATION_URL = withUser(server.url, applicationRole, password)
  return async () => {
    const made = await runOnce(server.url, `select datname from pg_database where datname like '${template}%'`)
    for (const { datname } of made) await runOnce(server.url, `drop database if exists ${String(datname)} with (force)`)
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
    url: directory.length < longestFolder ? withHost(url, directory) : url,
    async remove() {
      keepLogs(dataDir)
      await removeDataFolder(dataDir)
    },
  }
}

/** Stores the owner's password again, with as few iterations as the server is set to. */
async function storePasswordCheaply(url: string): Promise<void> {
  const { username, password } = new URL(url)
  await runOnce(url, `alter role ${username} password '${decodeURIComponent(password)}'`)
}

/** A temporary folder for what a run writes. */
export function createDataFolder(kind: 'test' | 'product'): string {
  const dataDir = fs.mkdtempSync(path.join(temporaryFolder(), `tern-${kind}-${process.pid}-`))
  // Under root the database belongs to another account, which has to get into this folder.
  fs.chmodSync(dataDir, 0o755)
  return dataDir
}

/** Ends the servers of earlier runs that were killed before they could clean up. */
async function removeAbandoned(): Promise<void> {
  const found = temporaryFolders.flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
  for (const dataDir of found) {
    const pid = ownFolder.exec(path.basename(dataDir))?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    // Another run may be removing it, too.
    if (fs.statSync(dataDir, { throwIfNoEntry: false })?.uid === process.getuid?.()) await removeDataFolder(dataDir)
  }
}

/** Copies what was logged in a data folder to where the logs of the run are gathered. */
export function keepLogs(dataDir: string): void {
  for (const folder of [dataDir, path.join(dataDir, 'logs')]) {
    if (!fs.existsSync(folder)) continue
    for (const file of fs.readdirSync(folder).filter((name) => /\.log(\.\d)?$/.test(name))) {
      const copy = testLogFile(file)
      if (copy !== undefined) fs.copyFileSync(path.join(folder, file), copy)
    }
  }
}

/** Ends the database over a data folder and removes the folder. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  await removeEmbeddedPostgres(dataDir)
  fs.rmSync(dataDir, { recursive: true, force: true })
}
