import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { runOnce, withDatabase, replaceUser } from '@tern/testkit/database'
import { ConfigError } from '../../platform/runtime/settings.ts'
import { migrate, prepareSchema } from './migrate.ts'
import { listBaseline, listMigrations, migrationsFolder } from './schema-files.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const password = randomBytes(18).toString('base64url')

/** Empty database, and a role that owns nothing. */
let url: string
let role: string
let applicationUrl: string

beforeEach(async () => {
  const name = `${process.env.TEST_DATABASE_TEMPLATE}_${randomBytes(4).toString('hex')}`
  role = `${name}_role`
  await runOnce(serverUrl, `create database ${name}`)
  await runOnce(serverUrl, `create role ${role} login password '${password}'`)
  url = withDatabase(serverUrl, name)
  applicationUrl = replaceUser(url, role, password)
})
afterEach(async () => {
  await runOnce(url, `drop owned by ${role}`)
  await runOnce(serverUrl, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
  await runOnce(serverUrl, `drop role ${role}`)
})

const catchRefusal = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  return error instanceof ConfigError ? error.message : `not as a ConfigError: ${String(error)}`
}

function runCommand(program: string, parameters: string[], environment: Record<string, string>) {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const env = { PATH: process.env.PATH, ...environment }
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [file, ...parameters], { env }, (error, stdout, err) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + err }),
    )
  })
}

test('concurrent processes apply every schema file once, with its checksum', async () => {
  const files = [...(await listBaseline()), ...(await listMigrations(migrationsFolder))]
  const appliedMigrations = await Promise.all(Array.from({ length: 3 }, () => migrate(url)))
  expect(appliedMigrations.toSorted((a, b) => b.length - a.length)).toEqual([files.map(({ name }) => name), [], []])
  const rows = await runOnce(url, 'select name, checksum from schema_migration order by name collate "C"')
  const sortedFiles = files
    .map(({ name, checksum }) => ({ name, checksum }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(rows).toEqual(sortedFiles)
})

test('the body of every function refers to what exists', async () => {
  await migrate(url)
  // Checks function bodies, because the baseline is applied with `check_function_bodies` off.
  await runOnce(
    url,
    `do $$ declare f regprocedure; begin
       for f in select oid from pg_proc where pronamespace in ('public'::regnamespace, 'ledger'::regnamespace)
         and prolang in (select oid from pg_language where lanname in ('sql', 'plpgsql'))
       loop
         if (select lanname from pg_language l join pg_proc p on p.prolang = l.oid where p.oid = f) = 'sql'
           then perform fmgr_sql_validator(f); else perform plpgsql_validator(f); end if;
       end loop;
     end $$`,
  )
})

test('a database from before version 0.1.0 is left alone, and the manual is named', async () => {
  await runOnce(
    url,
    `create table schema_migration (name text primary key, applied_at timestamptz not null default now(), checksum text);
     insert into schema_migration (name) values ('001-wallets.sql')`,
  )
  const sentence = /from before version 0.1.0; move its data to a new one, see "(.*)" in docs\/operating.md/
  const message = await catchRefusal(migrate(url))
  expect(message).toMatch(sentence)
  const operatingGuide = fs.readFileSync(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
  expect(operatingGuide).toContain(`## ${sentence.exec(message)?.[1]}`)
  expect(await runOnce(url, `select to_regclass('app_user') as found`)).toEqual([{ found: null }])
})

test('a schema file changed after being applied is named, and nothing else happens', async () => {
  await migrate(url)
  await runOnce(url, `update schema_migration set checksum = repeat('0', 64) where name = 'baseline/exchange'`)
  const sentence =
    'The schema file baseline/exchange was changed after it had been applied to this database; put the file back as it was.'
  expect(await catchRefusal(migrate(url))).toBe(sentence)
  expect(await catchRefusal(prepareSchema(url))).toBe(sentence)
})

test('every command refuses a database with an unknown breaking migration, with exit code 78', async () => {
  await migrate(url, { applicationRole: role })
  await runOnce(
    url,
    `insert into schema_migration (name, checksum, compatible) values ('999-later.sql', repeat('0', 64), false)`,
  )
  const sentence =
    'The database is newer than this program, which cannot run with its migration 999-later.sql; use the version that made it.'
  expect(await catchRefusal(migrate(url))).toBe(sentence)
  for (const databaseUrl of [url, applicationUrl]) expect(await catchRefusal(prepareSchema(databaseUrl))).toBe(sentence)
  const secret = 'x'.repeat(40)
  const settings = { DATABASE_URL: applicationUrl, TERN_SECRET: secret, SANDBOX_SECRET: secret }
  for (const part of ['app', 'worker']) {
    expect(await runCommand('../../main.ts', [part], settings)).toEqual({ code: 78, output: `${sentence}\n` })
  }
  expect(await runCommand('../runner/tern.ts', ['migrate'], { DATABASE_URL: url })).toEqual({
    code: 78,
    output: `${sentence}\n`,
  })
})

test('the owner creates the schema at start; another role waits for `tern migrate`', async () => {
  expect(await catchRefusal(prepareSchema(applicationUrl))).toMatch(/finds no schema .* run `npx tern migrate`/)
  await prepareSchema(url)
  expect(await catchRefusal(prepareSchema(applicationUrl))).toMatch(/finds no schema .* run `npx tern migrate`/)
  await migrate(url, { applicationRole: role })
  expect([await prepareSchema(url), await prepareSchema(applicationUrl)]).toEqual(['owner', 'application'])

  await runOnce(url, `revoke all on mail from ${role}`)
  expect(await catchRefusal(prepareSchema(applicationUrl))).toContain(`may not read the table public.mail: run`)
  await migrate(url, { applicationRole: role })
  await runOnce(url, 'delete from graphile_worker.migrations where id = 20')
  expect(await catchRefusal(prepareSchema(applicationUrl))).toContain('older job queue')
  await runOnce(url, 'insert into graphile_worker.migrations (id) values (20)')
  await runOnce(url, `delete from schema_migration where name ~ 'baseline/(disputes|desk)'`)
  expect(await catchRefusal(prepareSchema(applicationUrl))).toMatch(
    /lacks baseline\/disputes and 1 more: run `npx tern migrate`/,
  )
})

test('tern migrate reports what it did, and names an unusable setting', async () => {
  const settings = { MIGRATION_DATABASE_URL: url, DATABASE_URL: applicationUrl, APPLICATION_ROLE: role }
  const first = await runCommand('../runner/tern.ts', ['migrate'], settings)
  expect(first.code).toBe(0)
  expect(first.output).toContain('Applied baseline/wallets.')
  expect(first.output).toContain(`The role ${role} has the rights of the application.`)
  expect((await runCommand('../runner/tern.ts', ['migrate'], { DATABASE_URL: url })).output).toBe(
    'The schema is current.\nNo rights were granted: APPLICATION_ROLE is not set.\n',
  )
  const refusedCases: [Record<string, string>, RegExp][] = [
    [{}, /^MIGRATION_DATABASE_URL must be set/],
    [{ MIGRATION_DATABASE_URL: 'mysql://x' }, /^MIGRATION_DATABASE_URL must be an address/],
    [{ ...settings, APPLICATION_ROLE: 'nobody_at_all' }, /which is no role of this database/],
    [{ ...settings, APPLICATION_ROLE: new URL(url).username }, /it must be an ordinary role/],
  ]
  for (const [environment, sentence] of refusedCases) {
    const { code, output } = await runCommand('../runner/tern.ts', ['migrate'], environment)
    expect([code, output]).toEqual([78, expect.stringMatching(sentence)])
    expect(output.trim().split('\n')).toHaveLength(1)
  }
})

test('a role with more rights than the application is refused', async () => {
  await migrate(url, { applicationRole: role })
  const group = `${role}_group`
  await runOnce(url, `create role ${group}; grant ${group} to ${role}`)
  for (const privilege of ['delete', 'truncate', 'trigger']) {
    await runOnce(url, `grant ${privilege} on payment to ${group}`)
    expect(await catchRefusal(migrate(url, { applicationRole: role }))).toBe(
      `The role "${role}" may ${privilege} on public.payment by another role or by PUBLIC; take that right away first.`,
    )
    await runOnce(url, `revoke ${privilege} on payment from ${group}`)
  }
  await runOnce(url, `drop owned by ${group}; drop role ${group}`)
  await runOnce(url, `alter role ${role} createrole`)
  expect(await catchRefusal(migrate(url, { applicationRole: role }))).toContain('it must be an ordinary role')
})

describe('migrations', () => {
  let folder: string
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(temporaryFolder(), 'tern-migrations-'))
  })
  afterEach(() => fs.rmSync(folder, { recursive: true }))
  const writeMigration = (name: string, sql: string) => fs.writeFileSync(path.join(folder, name), sql)

  test('run in order, each in its own transaction; a failed one leaves nothing and is repeated', async () => {
    writeMigration('001-create-note.sql', '-- compatible\ncreate table note (text text);')
    writeMigration('002-fill-note.sql', `-- breaking\ninsert into note values ('one'); select 1 / 0;`)
    await expect(migrate(url, { folder })).rejects.toThrow('division by zero')
    expect(await runOnce(url, 'select text from note')).toEqual([])
    fs.rmSync(path.join(folder, '002-fill-note.sql'))
    writeMigration('002-fill-note.sql', `-- breaking\ninsert into note values ('two');`)
    expect(await migrate(url, { folder })).toEqual(['002-fill-note.sql'])
    expect(await runOnce(url, 'select text from note')).toEqual([{ text: 'two' }])
    expect(await runOnce(url, `select name, compatible from schema_migration where name ~ '^0' order by 1`)).toEqual([
      { name: '001-create-note.sql', compatible: true },
      { name: '002-fill-note.sql', compatible: false },
    ])
  })

  test('unknown compatible ones let programs of the version before start, and keep the rights of the newer', async () => {
    await migrate(url, { applicationRole: role })
    writeMigration('001-create-note.sql', '-- compatible\ncreate table note (text text);')
    await migrate(url, { applicationRole: role, folder })
    await runOnce(url, `grant select on note to ${role}`)
    expect([await prepareSchema(url), await prepareSchema(applicationUrl)]).toEqual(['owner', 'application'])
    expect(await migrate(url, { applicationRole: role })).toEqual([])
    expect(await runOnce(applicationUrl, 'select text from note')).toEqual([])
  })

  test('a migration that waits for a long reader lets others use the table, and runs once the reader ends', async () => {
    writeMigration('001-create-note.sql', '-- compatible\ncreate table note (text text);')
    await migrate(url, { folder })
    const [reader, other] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
    await Promise.all([reader.connect(), other.connect()])
    await reader.query('begin')
    await reader.query('select text from note')
    writeMigration('002-extend-note.sql', '-- compatible\nalter table note add column author text;')
    const migrating = migrate(url, { folder })
    const countWaiting = async () =>
      (await other.query(`select from pg_locks where not granted and relation = 'note'::regclass`)).rowCount
    await expect.poll(countWaiting, { interval: 10 }).toBe(1)
    // It would wait for as long as the reader lasts if the migration kept its place.
    expect((await other.query('select text from note')).rows).toEqual([])
    await reader.query('commit')
    expect(await migrating).toEqual(['002-extend-note.sql'])
    await Promise.all([reader.end(), other.end()])
  })

  test('indexes are built without a transaction; an invalid one of a failed run is built again', async () => {
    writeMigration(
      '001-create-note.sql',
      `-- compatible\ncreate table note as select 'same' as text from generate_series(1, 2);`,
    )
    writeMigration(
      '002-index-note.sql',
      `-- Finds notes.
-- compatible
-- no transaction
create index concurrently if not exists note_length on note (length(text));
create unique index concurrently if not exists note_text on note (text);
`,
    )
    await expect(migrate(url, { folder })).rejects.toThrow('could not create unique index')
    const indexStateSql = `select relname, indisvalid from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = 'note'::regclass order by 1`
    expect(await runOnce(url, indexStateSql)).toEqual([
      { relname: 'note_length', indisvalid: true },
      { relname: 'note_text', indisvalid: false },
    ])
    await runOnce(url, 'delete from note where ctid = (select min(ctid) from note)')
    const appliedMigrations = await Promise.all([migrate(url, { folder }), migrate(url, { folder })])
    expect(appliedMigrations.flat()).toEqual(['002-index-note.sql'])
    expect(await runOnce(url, indexStateSql)).toEqual([
      { relname: 'note_length', indisvalid: true },
      { relname: 'note_text', indisvalid: true },
    ])
  })

  test.each([
    ['1-first.sql', '-- compatible\n', 'is named like 001-add-something.sql'],
    ['001-unmarked.sql', '-- Adds notes.\ncreate table note ();', 'either "-- compatible" or "-- breaking"'],
    ['001-both.sql', '-- compatible\n-- breaking\n', 'either "-- compatible" or "-- breaking"'],
    ['001-marked-late.sql', 'create table note ();\n-- compatible\n', 'either "-- compatible" or "-- breaking"'],
    ['001-table.sql', '-- compatible\n-- no transaction\ncreate table note ();', 'without a transaction, only'],
    [
      '001-index.sql',
      '-- breaking\n-- no transaction\ncreate index note_x on note (x);',
      'without a transaction, only',
    ],
  ])('%s is refused for its form', async (name, sql, sentence) => {
    writeMigration(name, sql)
    await expect(migrate(url, { folder })).rejects.toThrow(sentence)
  })

  test('two files of one number are refused by name', async () => {
    writeMigration('001-first.sql', '-- compatible\n')
    writeMigration('001-second.sql', '-- compatible\n')
    await expect(migrate(url, { folder })).rejects.toThrow('001-second.sql has the number of 001-first.sql')
  })

  test('the ones of this program have the right form', async () => {
    for (const { name, isCompatible } of await listMigrations(migrationsFolder)) {
      expect(name).toMatch(/^\d{3}-/)
      expect(typeof isCompatible).toBe('boolean')
    }
  })
})
