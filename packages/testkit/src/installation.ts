// For tests: a whole installation in production mode, in which all is well: its own database server with both roles and a
// standby, an app behind a proxy with TLS, and doubles of every provider.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { migrate } from '@tern/server/commands/migrate/migrate'
import { connect } from '@tern/server/platform/database/db'
import { startEmbeddedPostgres } from '@tern/server/platform/database/embedded-postgres'
import { choosePort, startTestApp } from './app.ts'
import { replaceUser, runOnce, withDatabase } from './database.ts'
import { startStandby } from './standby.ts'
import { createDataFolder, removeDataFolder } from './database-server.ts'
import { startProviderDoubles } from './providers/provider-doubles.ts'
import { type Certificate, startTlsProxy } from './http/tls-proxy.ts'

export type Installation = Awaited<ReturnType<typeof startInstallation>>

const databaseSettings = { archive_mode: 'on', archive_command: '/bin/true', scram_iterations: '1' }

/** Starts the database server, and migrates a database as docs/operating.md says. */
async function startDatabase() {
  const dataDir = createDataFolder('test')
  const server = await startEmbeddedPostgres({ dataDir, settings: databaseSettings })
  const password = randomBytes(18).toString('base64url')
  await runOnce(server.url, `create role tern_owner login password '${password}'`)
  await runOnce(server.url, 'grant pg_monitor to tern_owner')
  await runOnce(server.url, 'create database live owner tern_owner')
  const url = withDatabase(replaceUser(server.url, 'tern_owner', password), 'live')
  await migrate(url, { applicationRole: server.applicationRole })
  await runOnce(server.url, 'select pg_switch_wal()')
  const standby = await startStandby(server.url)
  const pool = connect(url, 4, { idleMs: 0 })
  return {
    dataDir,
    standby,
    /** As a superuser, on the installation's database. */
    superUrl: withDatabase(server.url, 'live'),
    database: {
      url,
      pool,
      applicationUrl: withDatabase(server.applicationUrl, 'live'),
      async drop(): Promise<void> {
        await pool.end()
        await standby.remove()
        await server.stop()
        await removeDataFolder(dataDir)
      },
    },
  }
}

/** Serves one status for every path, such as a desk or the redirect of a plain address. */
async function startPage(answer: { status: number; headers?: Record<string, string> }) {
  const server = createServer((_request, response) => response.writeHead(answer.status, answer.headers).end())
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { answer, port, url: `http://localhost:${port}`, stop: () => void server.close() }
}

/** Rows that a running installation has: a worker's last task, an audit, a comparison, lists, two operators. */
const soundRows = [
  `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
     values ('flatten_positions', now(), now())`,
  'insert into audit_run (id, finished_at, checks, broken) values (gen_random_uuid(), now(), 40, 0)',
  `insert into reconciliation_run values (gen_random_uuid(), 'stripe', now() - interval '1 day', now(), now(), 0, 0, 0, 0, 0)`,
  `insert into screening_list (source, version, sha256, files, entries, imported_at, checked_at)
     select source, 1, repeat('0', 64), '{}', 1000, now(), now() from screening_policy`,
  `insert into desk_operator (id, name, roles, created_at) values
     (gen_random_uuid(), 'Ana', '{lead,reviewer}', now()), (gen_random_uuid(), 'Ben', '{reviewer}', now())`,
  `insert into desk_passkey (id, operator_id, credential_id, public_key, counter, transports, created_at)
     select gen_random_uuid(), id, name, 'x', 0, '{}', now() from desk_operator`,
]

export async function startInstallation(certificate: Certificate) {
  const proxy = await startTlsProxy(certificate)
  const doubles = await startProviderDoubles({ publicUrl: proxy.url })
  const desk = await startPage({ status: 200 })
  const plain = await startPage({ status: 308, headers: { location: `${proxy.url}/` } })
  const { database, dataDir, superUrl, standby } = await startDatabase()
  const settings = {
    TERN_MODE: 'production',
    DATABASE_URL: database.applicationUrl,
    REPLICA_DATABASE_URL: standby.url(database.applicationUrl),
    DATA_DIR: dataDir,
    PUBLIC_URL: proxy.url,
    TRUSTED_PROXIES: '1',
    ADMIN_PORT: String(await choosePort()),
    DESK_URL: desk.url,
    ...doubles.settings,
    SCREENING_LIST_URLS: 'off',
  }
  const world = await startTestApp({ database, environment: settings })
  const { port } = world.app.http.server.address() as AddressInfo
  proxy.passTo(port)
  for (const statement of soundRows) await database.pool.query(statement)
  return {
    world,
    database,
    superUrl,
    standby,
    proxy,
    ...doubles,
    desk,
    plain,
    /** Environment for the commands of operators. */
    environment: { ...settings, TERN_SECRET: world.secret, MIGRATION_DATABASE_URL: database.url },
    async close(): Promise<void> {
      await world.close()
      for (const part of [proxy, desk, plain, doubles]) await part.stop()
    },
  }
}
