// Databases for tests, each a copy of one migrated template on the server prepared by
// packages/testkit/src/database-server.ts.

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connect } from '@tern/server/platform/database/db'

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>

/** Creates an empty database with the newest schema. The caller drops it. */
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
  // A persistent connection keeps its statement plans, above all those of the audit.
  const pool = connect(url, 10, { idleMs: 0 })
  return {
    /** As the owner, who may damage anything. */
    url,
    pool,
    /** As the application's role, with exactly the rights in rights.ts. */
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

/** Copies a database without connections. Waits if a closing connection has not disappeared yet. */
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

/** Returns the URL with the socket folder on this machine, or with TCP if none is given. */
export function replaceHost(url: string, folder?: string): string {
  const changedUrl = new URL(url)
  changedUrl.searchParams.delete('host')
  if (folder !== undefined) changedUrl.searchParams.set('host', folder)
  return changedUrl.href
}

/** Runs one statement on its own connection; returns the rows. */
export async function runOnce(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
