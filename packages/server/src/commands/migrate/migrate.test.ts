import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runOnce, withDatabase, withUser } from '../../../../../tools/testing/test-database.ts'
import { ConfigError } from '../../platform/runtime/config-values.ts'
import { listMigrations, migrate, prepareSchema } from './migrate.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const password = randomBytes(18).toString('base64url')

/** An empty database, and a role that owns nothing. */
let url: string
let role: string
let applicationUrl: string

beforeEach(async () => {
  const name = `${process.env.TEST_DATABASE_TEMPLATE}_${randomBytes(4).toString('hex')}`
  role = `${name}_role`
  await runOnce(serverUrl, `create database ${name}`)
  await runOnce(serverUrl, `create role ${role} login password '${password}'`)
  url = withDatabase(serverUrl, name)
  applicationUrl = withUser(url, role, password)
})
afterEach(async () => {
  await runOnce(url, `drop owned by ${role}`)
  await runOnce(serverUrl, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
  await runOnce(serverUrl, `drop role ${role}`)
})

const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  return error instanceof ConfigError ? error.message : `not as a ConfigError: ${String(error)}`
}

function run(program: string, parameters: string[], environment: Record<string, string>) {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const env = { PATH: process.env.PATH, ...environment }
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [file, ...parameters], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, output: out + err }),
    )
  })
}

test('concurrent processes apply every migration once, with its checksum', async () => {
  const files = await listMigrations()
  const applied = await Promise.all(Array.from({ length: 3 }, () => migrate(url)))
  expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([files.map(({ name }) => name), [], []])
  const rows = await runOnce(url, 'select name, checksum from schema_migration order by name collate "C"')
  const byName = files.map(({ name, checksum }) => ({ name, checksum })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(rows).toEqual(byName)
})

test('checksums are added once for earlier migrations', async () => {
  await migrate(url)
  await runOnce(url, 'alter table schema_migration drop column checksum')
  expect(await migrate(url)).toEqual([])
  const rows = await runOnce(url, 'select from schema_migration where checksum is null')
  expect(rows).toHaveLength(0)
})

test('a migration changed after being applied is named, and nothing else happens', async () => {
  await migrate(url)
  await runOnce(url, `update schema_migration set checksum = repeat('0', 64) where name = '004-exchange.sql'`)
  const sentence =
    'The migration 004-exchange.sql was changed after it had been applied to this database; put the file back as it was.'
  expect(await refusal(migrate(url))).toBe(sentence)
  expect(await refusal(prepareSchema(url))).toBe(sentence)
})

test('every command refuses a database newer than the program, with exit code 78', async () => {
  await migrate(url, { applicationRole: role })
  await runOnce(url, `insert into schema_migration (name, checksum) values ('999-later.sql', repeat('0', 64))`)
  const sentence =
    'The database is newer than this program, which does not know the migration 999-later.sql; use the version that made it.'
  expect(await refusal(migrate(url))).toBe(sentence)
  for (const databaseUrl of [url, applicationUrl]) expect(await refusal(prepareSchema(databaseUrl))).toBe(sentence)
  const secret = 'x'.repeat(40)
  const settings = { DATABASE_URL: applicationUrl, TERN_SECRET: secret, SANDBOX_SECRET: secret }
  for (const part of ['app', 'worker']) {
    expect(await run('../../main.ts', [part], settings)).toEqual({ code: 78, output: `${sentence}\n` })
  }
  expect(await run('migrate.ts', [], { DATABASE_URL: url })).toEqual({ code: 78, output: `${sentence}\n` })
})

test('the owner creates the schema at start; another role waits for `npm run migrate`', async () => {
  expect(await refusal(prepareSchema(applicationUrl))).toMatch(/finds no schema .* run `npm run migrate`/)
  await prepareSchema(url)
  expect(await refusal(prepareSchema(applicationUrl))).toMatch(/finds no schema .* run `npm run migrate`/)
  await migrate(url, { applicationRole: role })
  expect([await prepareSchema(url), await prepareSchema(applicationUrl)]).toEqual(['owner', 'application'])

  await runOnce(url, `revoke all on mail from ${role}`)
  expect(await refusal(prepareSchema(applicationUrl))).toContain(`may not read the table public.mail: run`)
  await migrate(url, { applicationRole: role })
  await runOnce(url, 'delete from graphile_worker.migrations where id = 20')
  expect(await refusal(prepareSchema(applicationUrl))).toContain('older job queue')
  await runOnce(url, 'insert into graphile_worker.migrations (id) values (20)')
  await runOnce(url, `delete from schema_migration where name ~ '^02[67]'`)
  expect(await refusal(prepareSchema(applicationUrl))).toMatch(
    /lacks the migration 026-application-role.sql and 1 more: run `npm run migrate`/,
  )
})

test('npm run migrate reports what it did, and names an unusable setting', async () => {
  const settings = { MIGRATION_DATABASE_URL: url, DATABASE_URL: applicationUrl, APPLICATION_ROLE: role }
  const first = await run('migrate.ts', [], settings)
  expect(first.code).toBe(0)
  expect(first.output).toContain('Applied 001-wallets.sql.')
  expect(first.output).toContain(`The role ${role} has the rights of the application.`)
  expect((await run('migrate.ts', [], { DATABASE_URL: url })).output).toBe(
    'The schema is current.\nNo rights were granted: APPLICATION_ROLE is not set.\n',
  )
  const refused: [Record<string, string>, RegExp][] = [
    [{}, /^MIGRATION_DATABASE_URL must be set/],
    [{ MIGRATION_DATABASE_URL: 'mysql://x' }, /^MIGRATION_DATABASE_URL must be an address/],
    [{ ...settings, APPLICATION_ROLE: 'nobody_at_all' }, /which is no role of this database/],
    [{ ...settings, APPLICATION_ROLE: new URL(url).username }, /it must be an ordinary role/],
  ]
  for (const [environment, sentence] of refused) {
    const { code, output } = await run('migrate.ts', [], environment)
    expect([code, output]).toEqual([78, expect.stringMatching(sentence)])
    expect(output.trim().split('\n')).toHaveLength(1)
  }
})

test('a role with more rights than the application is refused', async () => {
  await migrate(url, { applicationRole: role })
  const group = `${role}_group`
  await runOnce(url, `create role ${group}; grant ${group} to ${role}; grant delete on payment to ${group}`)
  expect(await refusal(migrate(url, { applicationRole: role }))).toBe(
    `The role "${role}" may delete on public.payment by another role or by PUBLIC; take that right away first.`,
  )
  await runOnce(url, `drop owned by ${group}; drop role ${group}`)
  await runOnce(url, `alter role ${role} createrole`)
  expect(await refusal(migrate(url, { applicationRole: role }))).toContain('it must be an ordinary role')
})
