// Databases for tests: copies of the migrated template on the server that database-server.ts prepares.

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connect } from '@tern/server/platform/database/db'

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>

/** Creates an empty database with the latest schema. The caller drops it. */
export async function createTestDatabase() {
  const serverUrl = process.env.TEST_DATABASE_URL
  const template = process.env.TEST_DATABASE_TEMPLATE
  const applicationServerUrl = process.env.TEST_APPLICATION_URL
  if (serverUrl === undefined || template === undefined || applicationServerUrl === undefined) {
    throw new Error('Tests that need a database run under vitest, whose global setup makes the server ready.')
  }
  const name = `${template}_${randomBytes(6).toString('hex')}`
  await copyDatabase(serverUrl, name, template)
  const url = withDatabase(serverUrl, name)
  // Idle connections stay open to keep their statement plans, above all those of the audit.
  const pool = connect(url, 10, { idleMs: 0 })
  return {
    /** Address for the owner of all tables. */
    url,
    pool,
    /** Address for the application's role, whose rights are those in rights.ts. */
    applicationUrl: withDatabase(applicationServerUrl, name),
    /** Ends the pool, closes all other connections, and drops the database. */
    async drop(): Promise<void> {
      await pool.end()
      await runOnce(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}

const databaseInUseCode = '55006'
const copyTimeoutMs = 60_000

/** Copies a database that has no connections; waits for connections that are still closing. */
export async function copyDatabase(serverUrl: string, name: string, template: string): Promise<void> {
  for (const end = Date.now() + copyTimeoutMs; ; await delay(100)) {
    try {
      await runOnce(serverUrl, `create database ${name} template ${template} strategy file_copy`)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== databaseInUseCode || Date.now() > end) throw error
    }
  }
}

export function withDatabase(url: string, name: string): string {
  const changedUrl = new URL(url)
  changedUrl.pathname = `/${name}`
  return changedUrl.href
}

export function replaceUser(url: string, name: string, password: string): string {
  const changedUrl = new URL(url)
  changedUrl.username = name
  changedUrl.password = password
  return changedUrl.href
}

/** Returns the URL with the folder of a Unix socket as host; without `folder`, with TCP. */
export function replaceHost(url: string, folder?: string): string {
  const changedUrl = new URL(url)
  changedUrl.searchParams.delete('host')
  if (folder !== undefined) changedUrl.searchParams.set('host', folder)
  return changedUrl.href
}

/** Runs a statement on a separate connection; returns the rows. */
export async function runOnce(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
