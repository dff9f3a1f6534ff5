import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOnce, withDatabase } from '../../../../../tools/testing/test-database.ts'
import { connect } from '../../platform/database/db.ts'
import { audit } from '../audit/audit.ts'
import { listMigrations, migrate } from './migrate.ts'

// A database as version 032 left it: sends, exchanges, payments that are pending, settled, failed, late and reversed, a
// pending payout, open reconciliation exceptions of every kind. The fixture has one JSON text per table.

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
let url: string

beforeAll(async () => {
  const name = `${process.env.TEST_DATABASE_TEMPLATE}_${randomBytes(4).toString('hex')}`
  await runOnce(serverUrl, `create database ${name}`)
  url = withDatabase(serverUrl, name)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await applyUntil(client, 'ledger/006', '032')
  await restore(client)
  for (const [issuer, subject, linkedAt] of identities) {
    await client.query(
      `insert into external_identity (issuer, subject, user_id, provider, linked_at)
       select $1, $2, min(id), 'external', $3 from app_user`,
      [issuer, subject, linkedAt],
    )
  }
  await client.end()
})
afterAll(() => runOnce(serverUrl, `drop database ${new URL(url).pathname.slice(1)} with (force)`))

const identities = [
  ['https://id.example/', 'twice', '2026-01-01'],
  ['https://id.example', 'twice', '2026-01-02'],
  ['https://ID.example:443/Realm/', 'path', '2026-01-01'],
  ['https://id.example', 'plain', '2026-01-01'],
  ['http://localhost:3001/oidc', 'local', '2026-01-01'],
] as const

/** Applies migrations up to these. */
async function applyUntil(client: pg.Client, lastOfLedger: string, lastOfServer: string): Promise<void> {
  await client.query(
    'create table schema_migration (name text primary key, applied_at timestamptz not null default now(), checksum text)',
  )
  for (const { name, sql, checksum } of await listMigrations()) {
    const last = name.startsWith('ledger/') ? lastOfLedger : lastOfServer
    if (name.slice(0, last.length) > last) continue
    await client.query(sql)
    await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [name, checksum])
  }
}

async function restore(client: pg.Client): Promise<void> {
  const fixture = gunzipSync(await readFile(new URL('fixtures/rows-of-032.json.gz', import.meta.url))).toString()
  await client.query('set session_replication_role = replica')
  for (const [table, rows] of Object.entries(JSON.parse(fixture) as Record<string, string>)) {
    await client.query(`delete from ${table}`)
    await client.query(
      `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::json)`,
      [rows],
    )
  }
  await client.query('set session_replication_role = default')
}

test('a database of an earlier version migrates, and the audit finds nothing', async () => {
  const applied = await migrate(url)
  expect(applied).toContain('033-standard-names.sql')
  const pool = connect(url, 1)
  const { checks } = await audit(pool)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  const { rows } = await pool.query<{ key: string }>(
    `select concat_ws(' ', issuer, subject, extract(day from linked_at)) as key from external_identity
      where subject = any($1) order by key`,
    [identities.map(([, subject]) => subject)],
  )
  expect(
    rows.map(({ key }) => key),
    'one key per person, the first account stays',
  ).toEqual([
    'http://localhost:3001/oidc local 1',
    'https://id.example plain 1',
    'https://id.example twice 1',
    'https://id.example/Realm path 1',
  ])
  const counted = checks.filter(({ detail }) => detail !== '0 checked').map(({ name }) => name)
  expect(counted.length).toBeGreaterThan(10)
  const { rows: statuses } = await pool.query<{ of: string }>(
    `select 'payment ' || status as of from payment union select 'payout ' || status from payout order by 1`,
  )
  expect(statuses.map(({ of }) => of)).toEqual([
    'payment completed',
    'payment failed',
    'payment pending',
    'payout completed',
    'payout failed',
    'payout pending',
    'payout returned',
  ])
  const { rows: exceptions } = await pool.query<{ kind: string }>(
    'select distinct kind from reconciliation_exception where closed_at is null order by kind',
  )
  expect(exceptions.map(({ kind }) => kind)).toEqual([
    'amount_differs',
    'ledger_differs',
    'loss',
    'missing_external',
    'missing_internal',
    'unmatched',
  ])
  await pool.end()
})
