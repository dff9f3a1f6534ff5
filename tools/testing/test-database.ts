// Databases for tests, each a copy of one migrated template, on the server that tools/test-server.ts made ready.

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connect } from '../../packages/server/src/platform/database/db.ts'

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>

/** A database of its own with the newest schema and nothing in it. Whoever makes it drops it. */
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
  // A connection that stays keeps the plans of its statements, most of all those of the audit.
  const pool = connect(url, 10, { idleMs: 0 })
  return {
    /** As the owner, who may damage anything. */
    url,
    pool,
    /** As the role of the application, which has the rights that rights.ts lists and no others. */
    applicationUrl: withDatabase(applicationServerUrl, name),
    /** Ends the pool, whoever else is connected, and removes the database. */
    async drop(): Promise<void> {
      await pool.end()
      await runOnce(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}

const inUse = '55006'
const copyTimeoutMs = 60_000

/** Copies a database to which nobody is connected. Who has just left it may still be on the way out: then it waits. */
export async function copyDatabase(serverUrl: string, name: string, template: string): Promise<void> {
  for (const end = Date.now() + copyTimeoutMs; ; await delay(100)) {
    try {
      await runOnce(serverUrl, `create database ${name} template ${template} strategy file_copy`)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== inUse || Date.now() > end) throw error
    }
  }
}

/** The same server under another database name. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** The same server by another user. */
export function withUser(url: string, name: string, password: string): string {
  const changed = new URL(url)
  changed.username = name
  changed.password = password
  return changed.href
}

/** The same server by the socket in a folder of this machine, or by TCP without one. */
export function withHost(url: string, folder?: string): string {
  const changed = new URL(url)
  changed.searchParams.delete('host')
  if (folder !== undefined) changed.searchParams.set('host', folder)
  return changed.href
}

/** One statement on a connection of its own; gives the rows. */
export async function runOnce(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
